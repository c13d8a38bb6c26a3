// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the comments that an earlier run left where it took out `[[graphprof::ignore]]`.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_IGNOREMARKERS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_IGNOREMARKERS_H

#include "source/Unit.h"

namespace graphprof::instrument {

/// Adds each of the file's comments as an annotation: in front of a token, of a macro's use, or in
/// a macro's body. They are rare, so the file is searched before its tokens are.
void recordIgnoreMarkers(Unit &Parsed, Unit::File &File);

} // namespace graphprof::instrument

#endif

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the comments with which an earlier run replaced `[[graphprof::ignore]]`.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_IGNOREMARKERS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_IGNOREMARKERS_H

#include "source/Unit.h"

namespace graphprof::instrument {

/// Adds an annotation for each such comment in the file: before a token, before a macro use, or in
/// a macro's body. They are rare, so the text is searched first.
void recordIgnoreMarkers(Unit &Parsed, Unit::File &File);

} // namespace graphprof::instrument

#endif

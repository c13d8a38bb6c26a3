// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Says what construct begins behind each annotation, and where control jumps in the functions of
// the files that hold annotations.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_CONSTRUCTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_CONSTRUCTS_H

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Adds one construct for each annotation of the unit's files, and the jumps.
void recordConstructs(Unit &Parsed, clang::ASTContext &Context);

} // namespace graphprof::instrument

#endif

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the construct behind each annotation, and the jumps in functions of files with annotations.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_CONSTRUCTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_CONSTRUCTS_H

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Adds one construct for each annotation of the unit's files, the kernels around those in device
/// code, and the jumps.
void recordConstructs(Unit &Parsed, clang::ASTContext &Context);

} // namespace graphprof::instrument

#endif

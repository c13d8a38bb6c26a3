// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Says what construct begins behind each annotation, and where control jumps in the functions of
// the main file.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_CONSTRUCTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_CONSTRUCTS_H

#include "Facts.h"
#include "SourceText.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

/// Adds one construct for each annotation, in the order of NextTokens (what recordAnnotations
/// returned), and the jumps.
void recordConstructs(const SourceText &Source, clang::ASTContext &Context,
                      llvm::ArrayRef<size_t> NextTokens, Facts &Into);

} // namespace graphprof::instrument

#endif

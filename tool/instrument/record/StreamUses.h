// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the streams that a construct's launches and calls work on, as far as its text shows them.
//
// A use is the stream operand of a launch, or an argument of type cudaStream_t in any call. Plan
// decides whether all uses are one stream. This file decides whether the expression would have the
// same value where the construct begins; if in doubt, it says no.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_STREAMUSES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_STREAMUSES_H

#include "facts/Facts.h"
#include "source/SourceText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace graphprof::instrument {

/// Whether this is cudaStream_t, or CUstream.
bool isStream(clang::QualType Type);

/// `Inside` is the range of the construct's own declarations, which do not exist yet where the
/// construct begins.
std::vector<StreamUse> streamUses(const SourceText &Source, clang::ASTContext &Context,
                                  clang::Stmt *Construct, TextRange Inside);

/// The stream that one launch names, if it can be evaluated before Region, whose statements contain
/// the launch. A null Stream is the default stream.
StreamUse launchStream(const SourceText &Source, clang::ASTContext &Context,
                       const clang::Expr *Stream, llvm::ArrayRef<clang::Stmt *> Region,
                       TextRange Inside);

} // namespace graphprof::instrument

#endif

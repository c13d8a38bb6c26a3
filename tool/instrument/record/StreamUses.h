// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The streams that a construct's own launches and calls work on, as far as its text shows them.
//
// A use is the stream operand of a launch, or an argument of type cudaStream_t of any call: CUDA's,
// a library's or the program's own. Whether all uses are one stream is for Plan to decide; whether
// the expression would mean the same where the construct begins is decided here, and doubtful cases
// count as no.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_STREAMUSES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_STREAMUSES_H

#include "facts/Facts.h"
#include "source/SourceText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace graphprof::instrument {

/// Whether this is cudaStream_t, or CUstream.
bool isStream(clang::QualType Type);

/// Inside is where the construct's own declarations lie: they do not exist yet where it begins.
std::vector<StreamUse> streamUses(const SourceText &Source, clang::ASTContext &Context,
                                  clang::Stmt *Construct, TextRange Inside);

/// The stream that one launch names, where it is evaluated before Region, whose statements hold the
/// launch. A null Stream is the default stream.
StreamUse launchStream(const SourceText &Source, clang::ASTContext &Context,
                       const clang::Expr *Stream, llvm::ArrayRef<clang::Stmt *> Region,
                       TextRange Inside);

} // namespace graphprof::instrument

#endif

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a single statement says about itself: what kind of construct it is, where it ends, what it
// calls. Knows nothing of annotations and of where the statement stands.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_STATEMENTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_STATEMENTS_H

#include "facts/Facts.h"

#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

namespace graphprof::instrument {

/// Whether the last token of a statement's source range is followed by a semicolon that belongs to
/// it.
bool endsBeforeSemicolon(const clang::Stmt *S);

/// What construct a statement is.
ConstructKind kindOf(const clang::Stmt *S);

/// The function that a statement consists of a call or launch of, by itself or as the argument of a
/// macro (`CHECK(cudaGraphLaunch(exec, stream))`); empty where it is anything else.
std::string onlyCallee(const clang::Stmt *S, const clang::SourceManager &Sources);

/// What an OpenMP directive is for, without what clang wraps it in; null where it stands alone.
clang::Stmt *statementBehind(clang::OMPExecutableDirective *Directive);

/// Whether the statement behind a directive may be put into braces: each thread that runs it is in
/// a region of its own then.
bool allowsBraces(clang::OpenMPDirectiveKind Kind);

/// Whether a case inside of a statement belongs to a switch around it, as a macro's argument may
/// have it: the text of the macro's body does not show it.
bool hasOuterCase(const clang::Stmt *S);

} // namespace graphprof::instrument

#endif

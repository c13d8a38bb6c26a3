// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Examines single statements: the kind of construct, the end, the function that is called. Knows
// nothing of annotations or of the statement's surroundings.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_STATEMENTS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_STATEMENTS_H

#include "facts/Facts.h"

#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"

namespace graphprof::instrument {

/// Whether the statement's own semicolon follows the last token of its source range.
bool endsBeforeSemicolon(const clang::Stmt *S);

/// The kind of construct that a statement is.
ConstructKind kindOf(const clang::Stmt *S);

/// The function, if a statement is only a call or launch of it, by itself or as the argument of a
/// macro (`CHECK(cudaGraphLaunch(exec, stream))`). Otherwise empty.
std::string onlyCallee(const clang::Stmt *S, const clang::SourceManager &Sources);

/// The statement of an OpenMP directive, without what clang wraps it in; null if the directive has
/// none.
clang::Stmt *statementBehind(clang::OMPExecutableDirective *Directive);

/// Whether braces can enclose the statement of a directive: each thread that runs it is then in its
/// own region.
bool allowsBraces(clang::OpenMPDirectiveKind Kind);

/// Whether a case inside a statement belongs to a switch around the statement. That is possible in
/// a macro's argument, and the text of the macro's body does not show it.
bool hasOuterCase(const clang::Stmt *S);

} // namespace graphprof::instrument

#endif

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds every reference to a listed CUDA function: calls, function pointers, template arguments,
// names handed to macros.
//
// A reference is found by what it means (CUDA's own global function, not a namesake) and edited
// where its name is written: in the file's text, in a macro's argument, or in the body of a macro
// that the file defines. A check macro that expands its argument twice makes two references at one
// place, which is one edit.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_GRAPHCALLS_H
#define GRAPHPROF_TOOL_INSTRUMENT_GRAPHCALLS_H

#include "Facts.h"
#include "SourceText.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"

namespace graphprof::instrument {

/// Adds the main file's references, and a finding for each that is left alone for a reason that the
/// user may not expect. Returns the places in the project's headers that hold such references.
std::vector<clang::SourceLocation> recordGraphCalls(const SourceText &Source,
                                                    clang::ASTContext &Context,
                                                    const clang::Preprocessor &Preprocessor,
                                                    Facts &Into);

} // namespace graphprof::instrument

#endif

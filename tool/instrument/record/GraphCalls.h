// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds every reference to a listed CUDA function, of graphs or of memory: calls, function
// pointers, template arguments, names handed to macros.
//
// A reference is found by what it means (CUDA's own global function, not a namesake) and edited
// where its name is written: in the file's text, in a macro's argument, or in the body of a macro
// that one of the unit's files defines. A check macro that expands its argument twice makes two
// references at one place, which is one edit.
//
// A profile without its graph calls is wrong, so the user hears of those that stay. One without a
// copy or an allocation is only short of that: these stay silently where redirecting them could
// change what the program means.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_GRAPHCALLS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_GRAPHCALLS_H

#include "source/Toolkit.h"
#include "source/Unit.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"

namespace graphprof::instrument {

struct CallRecording {
  bool OfMemory = true; ///< the functions of memory as well
  /// The compiler has rejected something: what it could not parse is looked through for names.
  bool Broken = false;
  /// What a call is worth that changes graphs and cannot be redirected: see changesGraphs().
  Severity Unsafe = Severity::Error;
};

/// A call in a project header that is not among the files.
struct CallElsewhere {
  clang::SourceLocation At;
  bool Changes = false; ///< see changesGraphs()
};

/// Adds the references in the unit's files, and a finding for each to a function of graphs that is
/// left alone for a reason that the user may not expect. Returns those to functions of graphs in
/// other headers of the project.
std::vector<CallElsewhere> recordGraphCalls(Unit &Parsed, clang::ASTContext &Context,
                                            const clang::Preprocessor &Preprocessor, Toolkit &Cudas,
                                            const CallRecording &Asked);

} // namespace graphprof::instrument

#endif

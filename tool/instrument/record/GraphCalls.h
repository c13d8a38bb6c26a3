// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds every reference to a listed CUDA function, for graphs or memory: calls, function pointers,
// template arguments, and names passed to macros.
//
// A reference is found by its meaning (CUDA's own global function, not one of the same name) and
// edited where its name is spelled: in the file's text, in a macro's argument, or in a macro body
// of one of the unit's files. A check macro that expands its argument twice makes two references
// but one edit.
//
// Without its graph calls a profile is wrong, so calls that are not redirected are reported.
// Without a copy or allocation it only lacks that one, so these stay silently if redirecting them
// could change the program's meaning.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_GRAPHCALLS_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_GRAPHCALLS_H

#include "source/MacroNames.h"
#include "source/Toolkit.h"
#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

namespace graphprof::instrument {

struct CallRecording {
  bool OfMemory = true; ///< also copies and allocations
  /// Clang reported errors: search the code that it could not parse for names.
  bool Broken = false;
  /// The severity of a call that changes graphs and cannot be redirected. See changesGraphs().
  Severity Unsafe = Severity::Error;
};

/// A call in a project header outside the unit's files.
struct CallElsewhere {
  clang::SourceLocation At;
  bool Changes = false; ///< see changesGraphs()
};

/// Adds the references in the unit's files. Adds a finding for each reference to a graph function
/// that is left alone, unless the user expects that. Returns the references to graph functions in
/// other headers of the project.
std::vector<CallElsewhere> recordGraphCalls(Unit &Parsed, clang::ASTContext &Context,
                                            const Spellings &Spelled, Toolkit &Cudas,
                                            const CallRecording &Asked);

} // namespace graphprof::instrument

#endif

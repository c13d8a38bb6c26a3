// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds what is timed without an annotation of its own: launches of kernels (`<<<>>>`,
// cudaLaunchKernel and its kin), because --auto asks for them or because their kernel is annotated,
// and host functions that give work to the GPU.
//
// A launch is an expression and may stand wherever one may. What is recorded is the range of text
// that a guard can go around: the launch, or the whole use of the macro that writes it.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHES_H
#define GRAPHPROF_TOOL_INSTRUMENT_RECORD_LAUNCHES_H

#include "source/Unit.h"

#include "clang/AST/ASTContext.h"

#include <functional>

namespace graphprof::instrument {

/// What --auto asks for.
struct Automatic {
  bool Launches = false;
  bool Functions = false;
  /// Whether a kernel or function is wanted, by its qualified name. All are where this is empty.
  std::function<bool(llvm::StringRef)> Selected;
};

/// Adds the launches and functions to the facts of the unit's files, those that cannot be timed
/// with the reason, and the guards that an earlier run left. Constructs must be recorded before.
void recordLaunches(Unit &Parsed, clang::ASTContext &Context, const Automatic &Asked);

} // namespace graphprof::instrument

#endif

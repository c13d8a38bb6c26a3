// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds what is timed without an annotation of its own: launches of kernels (`<<<>>>`,
// cudaLaunchKernel and related functions), because --auto asks for them or because the kernel is
// annotated, and host functions that give work to the GPU.
//
// A launch is an expression and can be anywhere in one. The recorded range is the text that a guard
// can enclose: the launch, or the whole use of the macro that spells it.

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
  /// Whether to time a kernel or function, by its qualified name. Empty: all.
  std::function<bool(llvm::StringRef)> Selected;
};

/// Adds the launches and functions to the facts of the unit's files, with the reason for those that
/// cannot be timed, and the guards of an earlier run. Record the constructs first.
void recordLaunches(Unit &Parsed, clang::ASTContext &Context, const Automatic &Asked);

} // namespace graphprof::instrument

#endif

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs a piece of work on a thread with a stack for sources that nest deeply: clang's parser and
// the walks through its syntax tree recurse. Where even that stack is too small, or clang fails an
// assertion, the work is given up and the process goes on: other sources are done all the same.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_DEEPSTACK_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphprof::instrument {

/// Brackets that may be open at once: what the stack has room for.
inline constexpr unsigned MostBrackets = 20000;

/// False where the work crashed. What it had allocated is lost then, and so is what it was writing.
[[nodiscard]] bool runOnDeepStack(llvm::function_ref<void()> Work);

} // namespace graphprof::instrument

#endif

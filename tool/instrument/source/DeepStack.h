// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs work on a thread with a large stack, because clang's parser and the walks over its syntax
// tree recurse. If even that stack overflows, or clang fails an assertion, the work is abandoned
// and the process goes on with other sources.

#ifndef GRAPHPROF_TOOL_INSTRUMENT_SOURCE_DEEPSTACK_H
#define GRAPHPROF_TOOL_INSTRUMENT_SOURCE_DEEPSTACK_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace graphprof::instrument {

/// The most brackets that may be open at once. The stack has room for so many.
inline constexpr unsigned MostBrackets = 20000;

/// Returns false if the work crashed. Its allocations and unfinished output are then lost.
[[nodiscard]] bool runOnDeepStack(llvm::function_ref<void()> Work);

} // namespace graphprof::instrument

#endif

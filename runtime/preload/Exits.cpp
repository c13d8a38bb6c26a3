// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Handles exits without exit handlers, as in the children of Python's multiprocessing: libgraphprof
// closes its outputs first, within a bound.

#include <cstdlib>

#include <unistd.h>

#include "preload/ChildLaunchSignal.h"
#include "preload/Library.h"
#include "preload/NextSymbols.h"

#define GRAPHPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace graphprof::preload;

// Reports if a program under `graphprof run` launched no graph.
void sayIfNothing() noexcept {
  if (soughtHere() && !hasLaunched.load(std::memory_order_relaxed) && isRuns() &&
      !childMayHaveLaunched())
    say({"nothing was recorded: the program uses CUDA, but no launch of a CUDA graph was seen in "
         "it or in a child"});
}

__attribute__((destructor)) void atExit() { sayIfNothing(); }

// Tells libgraphprof, unless this child shares its parent's memory until it runs another program
// (vfork).
[[noreturn]] void leave(const char *how, int status) noexcept {
  if (loadedHere())
    loaded.leaving();
  sayIfNothing();
  if (void *const real = behindOurs(how))
    reinterpret_cast<void (*)(int)>(real)(status);
  abort();
}

} // namespace

GRAPHPROF_EXPORT void _exit(int status) { leave("_exit", status); }
GRAPHPROF_EXPORT void _Exit(int status) noexcept { leave("_Exit", status); }
GRAPHPROF_EXPORT void quick_exit(int status) noexcept { leave("quick_exit", status); }

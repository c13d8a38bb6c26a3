// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Ways to leave a process without its exit handlers, as the children of Python's multiprocessing
// do: libgraphprof closes its outputs first, in bounded time.

#include <cstdlib>

#include <unistd.h>

#include "preload/Real.h"
#include "preload/Telling.h"

#define GRAPHPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace graphprof::preload;

// Not in a child that shares its parent's memory until it runs another program (vfork).
[[noreturn]] void leave(const char *how, int status) noexcept {
  if (loadedHere())
    told.leaving();
  if (void *const real = behindOurs(how))
    reinterpret_cast<void (*)(int)>(real)(status);
  abort();
}

} // namespace

GRAPHPROF_EXPORT void _exit(int status) { leave("_exit", status); }
GRAPHPROF_EXPORT void _Exit(int status) noexcept { leave("_Exit", status); }
GRAPHPROF_EXPORT void quick_exit(int status) noexcept { leave("quick_exit", status); }

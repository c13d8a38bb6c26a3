// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What libgraphprof_preload.so calls where the process begins to use CUDA, and where it leaves
// without exit(): by _exit() and its like.

#include "api/Lifetime.h"
#include "cuda/Driver.h"

namespace {
// As for signals (Signals.cpp): whoever waits for the process waits no longer.
constexpr std::chrono::milliseconds most{2000};
} // namespace

// From now on a forked child has no CUDA (Lifetime.cpp).
extern "C" __attribute__((visibility("default"))) void graphprof_preload_cuda_began() {
  (void)graphprof::driver::functions();
}

extern "C" __attribute__((visibility("default"))) void graphprof_preload_leaving() {
  graphprof::leaveWithin(most);
}

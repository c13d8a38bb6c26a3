// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What libgraphprof_preload.so calls where the process leaves without exit(): _exit() and its like.

#include "api/Lifetime.h"

namespace {
// As for signals (Signals.cpp): whoever waits for the process waits no longer.
constexpr std::chrono::milliseconds most{2000};
} // namespace

extern "C" __attribute__((visibility("default"))) void graphprof_preload_leaving() {
  graphprof::leaveWithin(most);
}

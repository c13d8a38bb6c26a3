// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Per-thread state of API calls.

#include "Call.h"

namespace cudasim {
namespace {
thread_local bool insideCallback = false;
} // namespace

bool inCallback() { return insideCallback; }

int &InCall::depth() {
  thread_local int depth = 0;
  return depth;
}

bool inCall() { return InCall::depth() > 0; }

void runEffects(std::vector<std::function<void()>> &effects) {
  insideCallback = true;
  for (auto &effect : effects)
    effect();
  insideCallback = false;
}

cudaError_t &lastError() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

} // namespace cudasim

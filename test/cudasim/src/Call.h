// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The way into the device for every API function: lock, count, fail on order, do, unlock, then run
// what the call does to memory. The two APIs differ in one thing: a runtime call leaves its error
// behind for cudaGetLastError, a driver call leaves no trace.

#ifndef CUDASIM_SRC_CALL_H
#define CUDASIM_SRC_CALL_H

#include "Device.h"

namespace cudasim {

// Whether this thread is inside a host function, a kernel body or a user object's destructor, where
// CUDA may not be called.
bool inCallback();

// While it lives, its thread is in a call: cudasim::inCall().
class InCall {
public:
  InCall() { ++depth(); }
  ~InCall() { --depth(); }
  InCall(const InCall &) = delete;
  InCall &operator=(const InCall &) = delete;
  static int &depth();
};

// Runs effects in order, as a callback.
void runEffects(std::vector<std::function<void()>> &effects);

cudaError_t &lastError();

template <typename Body> cudaError_t call(const char *function, Body &&body) {
  const InCall in;
  if (inCallback())
    return cudaErrorNotPermitted;
  std::vector<std::function<void()>> effects;
  cudaError_t status;
  {
    Device &device = cudasim::device();
    std::lock_guard guard(device.lock);
    status = device.enter(function);
    if (status == cudaSuccess)
      status = body(device);
    effects.swap(device.effects);
  }
  runEffects(effects);
  return status;
}

// For the runtime API.
template <typename Body> cudaError_t runtimeCall(const char *function, Body &&body) {
  cudaError_t status = call(function, [&](Device &device) {
    device.initialised = device.runtimeUsed() = true;
    return body(device);
  });
  // "Not ready" is an answer, not an error.
  if (status != cudaSuccess && status != cudaErrorNotReady)
    lastError() = status;
  return status;
}

// For the driver API; cuda.h's CUresult is named by the file that includes it.
template <typename Result, typename Body> Result driverCall(const char *function, Body &&body) {
  return static_cast<Result>(call(function, [&](Device &device) {
    return device.initialised ? body(device) : cudaErrorInitializationError;
  }));
}

} // namespace cudasim

#endif // CUDASIM_SRC_CALL_H

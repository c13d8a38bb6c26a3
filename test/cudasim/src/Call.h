// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The entry of every API function into the device: lock, count, inject failures, run the body,
// unlock, then apply effects on memory. A runtime call stores its error for cudaGetLastError; a
// driver call does not.

#ifndef CUDASIM_SRC_CALL_H
#define CUDASIM_SRC_CALL_H

#include "Device.h"

namespace cudasim {

// Whether this thread is in a host function, a kernel body or a user object's destructor, where
// CUDA calls are not allowed.
bool inCallback();

// While an object of this class lives, cudasim::inCall() is true for its thread.
class InCall {
public:
  InCall() { ++depth(); }
  ~InCall() { --depth(); }
  InCall(const InCall &) = delete;
  InCall &operator=(const InCall &) = delete;
  static int &depth();
};

// Runs effects in order, with inCallback() true.
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

// For the driver API. The file that includes this one passes cuda.h's CUresult.
template <typename Result, typename Body> Result driverCall(const char *function, Body &&body) {
  return static_cast<Result>(call(function, [&](Device &device) {
    return device.initialised ? body(device) : cudaErrorInitializationError;
  }));
}

} // namespace cudasim

#endif // CUDASIM_SRC_CALL_H

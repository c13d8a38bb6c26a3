// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A minimal static CUDA runtime for runtime.cpp. Like NVIDIA's, it asks the driver for each
// function at the first call.

#include <cstdlib>

#include <cuda_runtime_api.h>

#include "Driver.h"

namespace {

const Driver &driver() {
  static CUcontext context = nullptr;
  static const Driver found = [] {
    const Driver all = findDriver("proc2");
    if (all.Init(0) || all.DevicePrimaryCtxRetain(&context, 0))
      std::abort();
    return all;
  }();
  thread_local const bool current = found.CtxSetCurrent(context) == CUDA_SUCCESS;
  if (!current)
    std::abort();
  return found;
}

CUdeviceptr at(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
cudaError_t as(CUresult result) { return static_cast<cudaError_t>(result); }

} // namespace

extern "C" {
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return as(driver().StreamCreate(stream, 0)); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return as(driver().StreamDestroy(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return as(driver().StreamSynchronize(stream));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return as(driver().StreamWaitEvent(stream, event, flags));
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return as(driver().EventCreate(event, 0)); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return as(driver().EventRecord(event, stream));
}
cudaError_t cudaMalloc(void **pointer, size_t size) {
  CUdeviceptr memory = 0;
  const cudaError_t result = as(driver().MemAlloc(&memory, size));
  *pointer = reinterpret_cast<void *>(memory);
  return result;
}
cudaError_t cudaMemcpyAsync(void *target, const void *source, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return as(kind == cudaMemcpyHostToDevice
                ? driver().MemcpyHtoDAsync(at(target), source, size, stream)
                : driver().MemcpyDtoDAsync(at(target), at(source), size, stream));
}
cudaError_t cudaMemcpy(void *target, const void *source, size_t size, cudaMemcpyKind) {
  return as(driver().MemcpyDtoH(target, at(source), size));
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return as(driver().StreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return as(driver().StreamEndCapture(stream, graph));
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return as(driver().GraphInstantiateWithFlags(exec, graph, flags));
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return as(driver().GraphLaunch(exec, stream));
}
}

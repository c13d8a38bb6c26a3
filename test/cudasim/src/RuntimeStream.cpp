// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: streams, capture, events, launches, and the functions that compilers call.

#include "Call.h"
#include "Event.h"
#include "Launch.h"
#include "cuda.h"

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

cudaError_t launch(Device &d, const void *function, dim3 grid, dim3 block, void **args,
                   size_t sharedMem, cudaStream_t stream,
                   std::span<const cudaLaunchAttribute> attributes = {}) {
  KernelOp op;
  if (cudaError_t wrong =
          makeKernelOp(d, d.kernels.ofHost(function), grid, block, sharedMem, args, nullptr, &op))
    return wrong;
  return launch(d, stream, std::move(op), attributes);
}

} // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  CUDA_CALL({ return streamCreate(d, stream, cudaStreamDefault, 0); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  CUDA_CALL({ return streamCreate(d, stream, flags, 0); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  CUDA_CALL({ return streamCreate(d, stream, flags, priority); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  CUDA_CALL({ return streamDestroy(d, stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CUDA_CALL({ return streamSynchronize(d, stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CUDA_CALL({ return streamQuery(d, stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  CUDA_CALL({ return streamWaitEvent(d, stream, event, flags); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  CUDA_CALL({ return streamGetId(d, stream, id); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int *flags) {
  CUDA_CALL({
    CUstream_st *stream = d.stream(handle);
    if (!stream || !flags)
      return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *flags = stream->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  CUDA_CALL({
    CUstream_st *stream = d.stream(handle);
    if (!stream || !priority)
      return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *priority = stream->priority;
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData) {
  CUDA_CALL({ return fn ? submit(d, stream, HostOp{fn, userData}) : cudaErrorInvalidValue; });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  CUDA_CALL({ return beginCapture(d, stream, mode); });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edgeData, size_t count,
                                          cudaStreamCaptureMode mode) {
  CUDA_CALL({ return beginCaptureToGraph(d, stream, graph, dependencies, edgeData, count, mode); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  CUDA_CALL({ return endCapture(d, stream, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  CUDA_CALL({ return isCapturing(d, stream, status); });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edgeData, size_t *count) {
  CUDA_CALL({ return captureInfo(d, stream, status, id, graph, dependencies, edgeData, count); });
}

// CUDA 12's form; cuda12_forms.h declares it.
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph,
                                        const cudaGraphNode_t **dependencies, size_t *count) {
  CUDA_CALL({ return captureInfo(d, stream, status, id, graph, dependencies, nullptr, count); });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edgeData, size_t count,
                                                unsigned int flags) {
  CUDA_CALL({ return updateCaptureDependencies(d, stream, dependencies, edgeData, count, flags); });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  CUDA_CALL({ return exchangeMode(mode); });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  CUDA_CALL({ return eventCreate(d, event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  CUDA_CALL({ return eventCreate(d, event, flags); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUDA_CALL({ return eventRecord(d, event, stream, cudaEventRecordDefault); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  CUDA_CALL({ return eventRecord(d, event, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  CUDA_CALL({ return eventQuery(d, event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CUDA_CALL({ return eventSynchronize(d, event); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CUDA_CALL({ return eventDestroy(d, event); });
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  CUDA_CALL({ return eventElapsed(d, ms, start, end); });
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                             size_t sharedMem, cudaStream_t stream) {
  CUDA_CALL({ return launch(d, function, grid, block, args, sharedMem, stream); });
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t sharedMem, cudaStream_t stream) {
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  CUDA_CALL(
      { return launch(d, function, grid, block, args, sharedMem, stream, {&cooperative, 1}); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                void **args) {
  CUDA_CALL({
    if (!config || (config->numAttrs && !config->attrs))
      return cudaErrorInvalidValue;
    return launch(d, function, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                  config->stream, {config->attrs, config->numAttrs});
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  CUDA_CALL({
    if (!attributes || !function)
      return attributes ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    const auto found = d.kernels.ofHost(function);
    const auto ask = [&](CUfunction_attribute attribute) {
      int value = 0;
      functionAttribute(d.kernels, *found, attribute, &value);
      return value;
    };
    *attributes = {};
    attributes->sharedSizeBytes = static_cast<size_t>(ask(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    attributes->maxThreadsPerBlock = ask(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attributes->numRegs = ask(CU_FUNC_ATTRIBUTE_NUM_REGS);
    attributes->ptxVersion = ask(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    attributes->binaryVersion = ask(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    attributes->maxDynamicSharedSizeBytes = ask(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  CUDA_CALL({
    const auto found = d.kernels.ofHost(function);
    return found ? setFunctionAttribute(d.kernels, *found, attribute, value)
                 : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
  CUDA_CALL({
    auto found = d.kernels.ofHost(function);
    if (!name || !found)
      return name ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *name = found->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
  CUDA_CALL({
    auto found = d.kernels.ofHost(symbol);
    if (!function || !found)
      return function ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *function = found.get();
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
  CUDA_CALL({
    auto found = d.kernels.ofHost(symbol);
    if (!kernel || !found)
      return kernel ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue;
    *kernel = d.kernels.kernelOf(found).get();
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int blockSize, size_t dynamicBytes) {
  CUDA_CALL({
    const auto found = d.kernels.ofHost(function);
    return found ? activeBlocks(d.kernels, *found, blocks, blockSize, dynamicBytes, 0)
                 : cudaErrorInvalidDeviceFunction;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int blockSize, size_t dynamicBytes, unsigned int flags) {
  CUDA_CALL({
    const auto found = d.kernels.ofHost(function);
    return found ? activeBlocks(d.kernels, *found, blocks, blockSize, dynamicBytes, flags)
                 : cudaErrorInvalidDeviceFunction;
  });
}

unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedMem,
                                         CUstream_st *stream) {
  pushConfiguration({grid, block, sharedMem, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *sharedMem, void *stream) {
  LaunchConfiguration configuration;
  if (!popConfiguration(&configuration))
    return cudaErrorMissingConfiguration;
  *grid = configuration.grid;
  *block = configuration.block;
  *sharedMem = configuration.sharedMemBytes;
  *static_cast<cudaStream_t *>(stream) = configuration.stream;
  return cudaSuccess;
}

// Registration happens before main. Nothing is unregistered: launching a kernel of a closed library
// is the program's bug.
void **__cudaRegisterFatBinary(void *image) {
  static void *handle;
  handle = image;
  return &handle;
}

void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}

void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, void *,
                            void *, void *, void *, int *) {
  std::lock_guard guard(device().lock);
  device().kernels.addFunction(host, name);
}

void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}

} // extern "C"

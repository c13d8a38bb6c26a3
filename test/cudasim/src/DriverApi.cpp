// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: device, context, streams, events. Calls that create something need a
// current context, as in CUDA; any runtime call makes the primary context current.

#include "Call.h"
#include "Context.h"
#include "DriverParams.h"
#include "Event.h"
#include "Properties.h"
#include "Versions.h"

#include <cstring>

using namespace cudasim;

namespace {

// The calling thread's context stack. Its top is current. It has no destructor, because static
// objects may call CUDA in destructors that run after the thread's.
struct Contexts {
  static constexpr std::size_t most = 4096; // more than any test pushes
  CUcontext entries[most];
  std::size_t size;

  bool empty() const { return size == 0; }
  CUcontext back() const { return entries[size - 1]; }
  cudaError_t push_back(CUcontext context) {
    if (size == most)
      return cudaErrorMemoryAllocation;
    entries[size++] = context;
    return cudaSuccess;
  }
  void pop_back() { --size; }
};
Contexts &contexts() {
  thread_local Contexts stack{};
  return stack;
}

cudaStreamCaptureStatus *runtimes(CUstreamCaptureStatus *status) {
  return reinterpret_cast<cudaStreamCaptureStatus *>(status);
}

// Whether it was not destroyed.
bool isContext(Device &d, CUcontext context) {
  if (context == primaryContext() || d.createdContexts.get(context))
    return true;
  bool isGreen = false; // a handle that ended is not followed
  d.greenContexts.forEach(
      [&](const CUgreenCtx_st &green) { isGreen = isGreen || &green.context == context; });
  if (!isGreen) // which may be where another one was
    d.createdContexts.refuseEnded(context, "a call");
  return isGreen;
}

unsigned long long *plain(cuuint64_t *value) {
  return reinterpret_cast<unsigned long long *>(value);
}

} // namespace

CUcontext cudasim::primaryContext() {
  static CUctx_st context;
  return &context;
}

CUcontext cudasim::currentContext(Device &d) {
  if (!contexts().empty())
    return contexts().back();
  return d.runtimeUsed() ? primaryContext() : nullptr;
}

bool cudasim::hasContext(Device &d) { return currentContext(d) != nullptr; }

extern "C" {

CUresult cuInit(unsigned int flags) {
  return static_cast<CUresult>(call(__func__, [&](Device &d) {
    if (flags)
      return cudaErrorInvalidValue;
    d.initialised = true;
    return cudaSuccess;
  }));
}

CUresult cuGetErrorName(CUresult error, const char **name) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = errorEntry(error).driverName;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  if (!text)
    return CUDA_ERROR_INVALID_VALUE;
  const ErrorEntry entry = errorEntry(error);
  *text = entry.driverName ? entry.text : nullptr;
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Works before cuInit, as in CUDA.
CUresult cuDriverGetVersion(int *version) {
  return static_cast<CUresult>(call(__func__, [&](Device &) {
    if (!version)
      return cudaErrorInvalidValue;
    *version = driverVersion();
    return cudaSuccess;
  }));
}

CUresult cuDeviceGet(CUdevice *ordinal, int which) {
  CU_CALL({
    if (!ordinal)
      return cudaErrorInvalidValue;
    if (which != 0)
      return cudaErrorInvalidDevice;
    *ordinal = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetCount(int *count) {
  CU_CALL({
    if (!count)
      return cudaErrorInvalidValue;
    *count = 1;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice ordinal) {
  CU_CALL({
    if (!name || length <= 0)
      return cudaErrorInvalidValue;
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    std::strncpy(name, deviceProperties().name, static_cast<size_t>(length));
    name[length - 1] = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice ordinal) {
  CU_CALL({
    if (!bytes)
      return cudaErrorInvalidValue;
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    *bytes = deviceProperties().totalGlobalMem;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice ordinal) {
  CU_CALL({
    if (!id || length <= 0)
      return cudaErrorInvalidValue;
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<size_t>(length), "0000:01:00.0");
    return cudaSuccess;
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice ordinal) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    return value && deviceAttribute(attribute, value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice ordinal) {
  CU_CALL({
    if (!context)
      return cudaErrorInvalidValue;
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    *context = primaryContext();
    ++d.primaryRetains;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice ordinal) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    const bool isLast = d.primaryRetains == 1;
    if (d.primaryRetains > 0)
      --d.primaryRetains;
    if (isLast && !d.runtimeUsed())
      d.destroyObjects();
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice ordinal, unsigned int *flags, int *active) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    if (!flags || !active)
      return cudaErrorInvalidValue;
    *flags = 0;
    *active = d.primaryRetains > 0 || d.runtimeUsed();
    return cudaSuccess;
  });
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice ordinal) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    if (!context || flags)
      return cudaErrorInvalidValue;
    auto made = std::make_shared<CUctx_st>();
    made->id = d.nextContextId();
    *context = d.createdContexts.add(std::move(made));
    return contexts().push_back(*context);
  });
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  CU_CALL({
    if (!d.createdContexts.get(context))
      return cudaErrorInvalidValue;
    d.endWith([context](const CUctx_st *ending) { return ending == context; });
    d.createdContexts.removeForGood(context);
    if (!contexts().empty() && contexts().back() == context)
      contexts().pop_back();
    return cudaSuccess;
  });
}

CUresult cuProfilerStart() {
  CU_CALL({ return cudaSuccess; });
}

CUresult cuProfilerStop() {
  CU_CALL({ return cudaSuccess; });
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice ordinal) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    d.destroyObjects();
    return cudaSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  CU_CALL({
    if (!context)
      return cudaErrorInvalidValue;
    *context = currentContext(d);
    return cudaSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  CU_CALL({
    if (!contexts().empty())
      contexts().pop_back();
    return context ? contexts().push_back(context) : cudaSuccess;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  CU_CALL({
    if (!isContext(d, context))
      return cudaErrorInvalidValue;
    return contexts().push_back(context);
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  CU_CALL({
    if (contexts().empty())
      return cudaErrorDeviceUninitialized;
    if (context)
      *context = contexts().back();
    contexts().pop_back();
    return cudaSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice *ordinal) {
  CU_CALL({
    NEEDS_CONTEXT;
    if (!ordinal)
      return cudaErrorInvalidValue;
    *ordinal = 0;
    return cudaSuccess;
  });
}

// After a reset a context's handle can be the same, but not its id.
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  CU_CALL({
    if (!isContext(d, context) || !id)
      return cudaErrorInvalidValue;
    *id = context == primaryContext() ? d.contextId() : context->id;
    return cudaSuccess;
  });
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  CU_CALL({
    NEEDS_CONTEXT;
    if (least)
      *least = kLeastPriority;
    if (greatest)
      *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  CU_CALL({ return exchangeMode(reinterpret_cast<cudaStreamCaptureMode *>(mode)); });
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  CU_CALL({
    NEEDS_CONTEXT;
    return streamCreate(d, stream, flags, 0, currentContext(d));
  });
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  CU_CALL({
    NEEDS_CONTEXT;
    return streamCreate(d, stream, flags, priority, currentContext(d));
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  CU_CALL({ return streamDestroy(d, stream); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  CU_CALL({ return isCapturing(d, stream, runtimes(status)); });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **dependencies,
                                   size_t *count) {
  CU_CALL({
    NEEDS_CONTEXT_OF(stream);
    return captureInfo(d, stream, runtimes(status), plain(id), graph, dependencies, nullptr, count);
  });
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edgeData, size_t *count) {
  CU_CALL({
    NEEDS_CONTEXT_OF(stream);
    return captureInfo(d, stream, runtimes(status), plain(id), graph, dependencies,
                       reinterpret_cast<const cudaGraphEdgeData **>(edgeData), count);
  });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, size_t count,
                                           unsigned int flags) {
  CU_CALL({ return updateCaptureDependencies(d, stream, dependencies, nullptr, count, flags); });
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *edgeData, size_t count,
                                              unsigned int flags) {
  CU_CALL({
    return updateCaptureDependencies(d, stream, dependencies, edges(edgeData), count, flags);
  });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  CU_CALL({ return streamGetId(d, stream, id); });
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  CU_CALL({
    if (!context)
      return cudaErrorInvalidValue;
    const CUstream_st *found = d.stream(stream);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    *context = found->context ? found->context : primaryContext();
    return cudaSuccess;
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  CU_CALL({ return streamWaitEvent(d, stream, event, flags); });
}

// The value must already be there: work that is enqueued later cannot write it at an earlier
// virtual time.
CUresult cuStreamWaitValue64_v2(CUstream handle, CUdeviceptr address, cuuint64_t value,
                                unsigned int flags) {
  CU_CALL({
    CUstream_st *stream = d.stream(handle);
    if (!stream)
      return cudaErrorInvalidResourceHandle;
    if (!address || address % sizeof(value))
      return cudaErrorInvalidValue;
    if (stream->capture)
      return cudaErrorNotSupported;
    const cuuint64_t now =
        __atomic_load_n(reinterpret_cast<cuuint64_t *>(address), __ATOMIC_ACQUIRE);
    switch (flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH)) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return static_cast<int64_t>(now - value) >= 0 ? cudaSuccess : cudaErrorNotSupported;
    case CU_STREAM_WAIT_VALUE_EQ:
      return now == value ? cudaSuccess : cudaErrorNotSupported;
    case CU_STREAM_WAIT_VALUE_AND:
      return now & value ? cudaSuccess : cudaErrorNotSupported;
    case CU_STREAM_WAIT_VALUE_NOR:
      return ~(now | value) ? cudaSuccess : cudaErrorNotSupported;
    default:
      return cudaErrorInvalidValue;
    }
  });
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams *operations, unsigned int flags) {
  CU_CALL({
    const CUDA_BATCH_MEM_OP_NODE_PARAMS params{nullptr, count, operations, flags};
    Op op;
    const cudaError_t wrong = opFrom(d, &params, &op);
    return wrong ? wrong : submit(d, stream, std::move(op));
  });
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned int flags) {
  CUstreamBatchMemOpParams word{};
  word.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, address, {value}, flags, 0};
  return cuStreamBatchMemOp_v2(stream, 1, &word, 0);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                 unsigned int flags) {
  CUstreamBatchMemOpParams word{};
  word.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_64, address, {}, flags, 0};
  word.writeValue.value64 = value;
  return cuStreamBatchMemOp_v2(stream, 1, &word, 0);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *userData) {
  return cuLaunchHostFunc_v2(stream, fn, userData, CU_HOST_TASK_BLOCKING);
}

// CUDA 13.2
CUresult cuLaunchHostFunc_v2(CUstream stream, CUhostFn fn, void *userData, unsigned int syncMode) {
  CU_CALL({
    return fn && syncMode <= CU_HOST_TASK_SPINWAIT
               ? submit(d, stream, HostOp{fn, userData, syncMode})
               : cudaErrorInvalidValue;
  });
}

CUresult cuCtxSynchronize() {
  CU_CALL({ return deviceSynchronize(d); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  CU_CALL({ return streamSynchronize(d, stream); });
}

CUresult cuStreamQuery(CUstream stream) {
  CU_CALL({ return streamQuery(d, stream); });
}

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  CU_CALL({
    NEEDS_CONTEXT;
    return eventCreate(d, event, flags);
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  CU_CALL({ return eventDestroy(d, event); });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  CU_CALL({ return eventRecord(d, event, stream, cudaEventRecordDefault); });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  CU_CALL({ return eventRecord(d, event, stream, flags); });
}

CUresult cuEventQuery(CUevent event) {
  CU_CALL({ return eventQuery(d, event); });
}

CUresult cuEventSynchronize(CUevent event) {
  CU_CALL({ return eventSynchronize(d, event); });
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
  CU_CALL({ return eventElapsed(d, ms, start, end); });
}

CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end) {
  CU_CALL({ return eventElapsed(d, ms, start, end); });
}

} // extern "C"

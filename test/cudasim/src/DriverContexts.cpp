// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: green contexts (CUDA 12.4). Each may have any number of the device's
// multiprocessors: what runs in it is as fast as elsewhere.

#include "Call.h"
#include "Context.h"
#include "DriverParams.h"
#include "Properties.h"

#include <algorithm>
#include <memory>
#include <utility>

using namespace cudasim;

// A description is never read, so all are this one.
struct CUdevResourceDesc_st {};

extern "C" {

CUresult cuDeviceGetDevResource(CUdevice ordinal, CUdevResource *resource, CUdevResourceType type) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    if (!resource || type != CU_DEV_RESOURCE_TYPE_SM)
      return cudaErrorInvalidValue;
    *resource = {};
    resource->type = type;
    resource->sm = {static_cast<unsigned>(deviceProperties().multiProcessorCount), 8, 8};
    return cudaSuccess;
  });
}

CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *groups,
                                     const CUdevResource *input, CUdevResource *remaining,
                                     unsigned int flags, unsigned int minCount) {
  CU_CALL({
    if (!groups || !input || input->type != CU_DEV_RESOURCE_TYPE_SM || flags)
      return cudaErrorInvalidValue;
    const unsigned alignment = input->sm.smCoscheduledAlignment;
    const unsigned each = std::max(1U, (minCount + alignment - 1) / alignment) *
                          alignment; // rounded up, as CUDA does
    const unsigned possible = input->sm.smCount / each;
    *groups = result ? std::min(*groups, possible) : possible;
    for (unsigned i = 0; result && i < *groups; ++i) {
      result[i] = *input;
      result[i].sm.smCount = each;
    }
    if (remaining) {
      *remaining = *input;
      remaining->sm.smCount = input->sm.smCount - *groups * each;
    }
    return cudaSuccess;
  });
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources,
                                   unsigned int count) {
  CU_CALL({
    if (!description || !resources || !count)
      return cudaErrorInvalidValue;
    static CUdevResourceDesc_st every;
    *description = &every;
    return cudaSuccess;
  });
}

CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc description, CUdevice ordinal,
                          unsigned int flags) {
  CU_CALL({
    if (ordinal != 0)
      return cudaErrorInvalidDevice;
    if (!context || !description || flags != CU_GREEN_CTX_DEFAULT_STREAM)
      return cudaErrorInvalidValue;
    auto made = std::make_shared<CUgreenCtx_st>();
    made->context.id = d.nextContextId();
    made->context.isGreen = true;
    *context = d.greenContexts.add(std::move(made));
    return cudaSuccess;
  });
}

CUresult cuGreenCtxDestroy(CUgreenCtx context) {
  CU_CALL({
    CUgreenCtx_st *found = d.greenContexts.get(context);
    if (!found)
      return cudaErrorInvalidValue;
    d.endWith([found](const CUctx_st *ending) { return ending == &found->context; });
    d.greenContexts.removeForGood(context);
    return cudaSuccess;
  });
}

CUresult cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx green) {
  CU_CALL({
    CUgreenCtx_st *found = d.greenContexts.get(green);
    if (!context || !found)
      return cudaErrorInvalidValue;
    *context = &found->context;
    return cudaSuccess;
  });
}

CUresult cuStreamGetGreenCtx(CUstream handle, CUgreenCtx *context) {
  CU_CALL({
    NEEDS_CONTEXT_OF(handle);
    const CUstream_st *stream = d.stream(handle);
    if (!stream || !context)
      return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    const bool isDefault = !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
    *context = greenOf(isDefault ? currentContext(d) : stream->context);
    return cudaSuccess;
  });
}

CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned int flags,
                                int priority) {
  CU_CALL({
    CUgreenCtx_st *found = d.greenContexts.get(context);
    if (!found || flags != CU_STREAM_NON_BLOCKING) // no other is allowed
      return cudaErrorInvalidValue;
    return streamCreate(d, stream, flags, priority, &found->context);
  });
}

} // extern "C"

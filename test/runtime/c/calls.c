// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graphprof/backend.h"
#include "graphprof/c.h"
#include "graphprof/capi.h"

#include "calls.h"

const struct RuntimeCalls runtimeCalls = {
    graphprof_cudaStreamBeginCapture,
    graphprof_cudaStreamEndCapture,
    graphprof_cudaGraphInstantiate,
    graphprof_cudaGraphUpload,
    graphprof_cudaGraphLaunch,
    graphprof_cudaGraphExecUpdate,
    graphprof_cudaGraphExecMemsetNodeSetParams,
    graphprof_cudaGraphAddExternalSemaphoresSignalNode,
    graphprof_cudaGraphExecExternalSemaphoresSignalNodeSetParams,
    graphprof_cudaGraphExternalSemaphoresSignalNodeSetParams,
    graphprof_cudaGraphAddExternalSemaphoresWaitNode,
    graphprof_cudaGraphExecExternalSemaphoresWaitNodeSetParams,
    graphprof_cudaGraphExternalSemaphoresWaitNodeSetParams,
    graphprof_cudaGraphKernelNodeCopyAttributes,
    graphprof_cudaGraphMemsetNodeSetParams,
    graphprof_cudaGraphAddEmptyNode,
    graphprof_cudaGraphCreate,
    graphprof_cudaGraphAddMemsetNode,
    graphprof_cudaGraphAddChildGraphNode,
    graphprof_cudaGraphAddNode,
    graphprof_cudaGraphAddMemAllocNode,
    graphprof_cudaGraphAddMemFreeNode,
    graphprof_cudaGraphExecChildGraphNodeSetParams,
    graphprof_cudaGraphExecNodeSetParams,
    graphprof_cudaGraphNodeSetParams,
    graphprof_cudaGraphDestroyNode,
    graphprof_cudaGraphClone,
    graphprof_cudaGraphExecDestroy,
    graphprof_cudaGraphDestroy,
};

const struct DriverCalls driverCalls = {
    graphprof_cuStreamBeginCapture,
    graphprof_cuStreamEndCapture,
    graphprof_cuGraphInstantiate,
    graphprof_cuGraphLaunch,
    graphprof_cuGraphExecMemsetNodeSetParams,
    graphprof_cuGraphMemsetNodeSetParams,
    graphprof_cuGraphAddBatchMemOpNode,
    graphprof_cuGraphExecBatchMemOpNodeSetParams,
    graphprof_cuGraphBatchMemOpNodeSetParams,
    graphprof_cuGraphAddExternalSemaphoresSignalNode,
    graphprof_cuGraphExecExternalSemaphoresSignalNodeSetParams,
    graphprof_cuGraphExternalSemaphoresSignalNodeSetParams,
    graphprof_cuGraphAddExternalSemaphoresWaitNode,
    graphprof_cuGraphExecExternalSemaphoresWaitNodeSetParams,
    graphprof_cuGraphExternalSemaphoresWaitNodeSetParams,
    graphprof_cuGraphKernelNodeCopyAttributes,
    graphprof_cuGraphCreate,
    graphprof_cuGraphAddEmptyNode,
    graphprof_cuGraphAddChildGraphNode,
    graphprof_cuGraphAddNode,
    graphprof_cuGraphAddMemAllocNode,
    graphprof_cuGraphAddMemFreeNode,
    graphprof_cuGraphExecChildGraphNodeSetParams,
    graphprof_cuGraphExecNodeSetParams,
    graphprof_cuGraphNodeSetParams,
    graphprof_cuGraphDestroyNode,
    graphprof_cuGraphExecDestroy,
    graphprof_cuGraphDestroy,
};

const struct MemoryCalls memoryCalls = {
    graphprof_cudaMemcpy,         graphprof_cudaMemcpyAsync,
    graphprof_cudaMemcpy2D,       graphprof_cudaMemcpy2DAsync,
    graphprof_cudaMemcpyToSymbol, graphprof_cudaMemcpyToSymbolAsync,
    graphprof_cudaMemcpy3D,       graphprof_cudaMemcpyFromSymbol,
    graphprof_cudaMalloc,         graphprof_cudaMallocManaged,
    graphprof_cudaMallocPitch,    graphprof_cudaMalloc3D,
    graphprof_cudaMallocAsync,    graphprof_cudaMallocFromPoolAsync,
    graphprof_cudaMallocHost,     graphprof_cudaHostAlloc,
    graphprof_cudaFree,           graphprof_cudaFreeAsync,
    graphprof_cudaFreeHost,       graphprof_cuMemcpyHtoD,
    graphprof_cuMemcpyHtoDAsync,  graphprof_cuMemcpyDtoH,
    graphprof_cuMemcpy2DAsync,    graphprof_cuMemAlloc,
    graphprof_cuMemAllocManaged,  graphprof_cuMemAllocPitch,
    graphprof_cuMemAllocAsync,    graphprof_cuMemAllocFromPoolAsync,
    graphprof_cuMemAllocHost,     graphprof_cuMemHostAlloc,
    graphprof_cuMemFree,          graphprof_cuMemFreeAsync,
    graphprof_cuMemFreeHost,
};

const struct StepCalls stepCalls = {
    graphprof_step,          graphprof_set_copies, graphprof_wrap_h2d, graphprof_patch_h2d_begin,
    graphprof_patch_h2d_end,
};

const struct MappedCalls mappedCalls = {
    graphprof_cuMemCreate,  graphprof_cuMemRetainAllocationHandle,
    graphprof_cuMemMap,     graphprof_cuMemUnmap,
    graphprof_cuMemRelease,
};

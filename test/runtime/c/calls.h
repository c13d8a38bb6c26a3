// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected calls as an instrumented C unit sees them, as function pointers for CCallsTest.cu.

#ifndef GRAPHPROF_TEST_RUNTIME_C_CALLS_H
#define GRAPHPROF_TEST_RUNTIME_C_CALLS_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "graphprof/c_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct RuntimeCalls {
  cudaError_t (*beginCapture)(cudaStream_t, enum cudaStreamCaptureMode);
  cudaError_t (*endCapture)(cudaStream_t, cudaGraph_t *);
  cudaError_t (*instantiate)(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
  cudaError_t (*upload)(cudaGraphExec_t, cudaStream_t);
  cudaError_t (*launch)(cudaGraphExec_t, cudaStream_t);
  cudaError_t (*update)(cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo *);
  cudaError_t (*setMemset)(cudaGraphExec_t, cudaGraphNode_t, const struct cudaMemsetParams *);
  cudaError_t (*addSignal)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                           const struct cudaExternalSemaphoreSignalNodeParams *);
  cudaError_t (*setSignal)(cudaGraphExec_t, cudaGraphNode_t,
                           const struct cudaExternalSemaphoreSignalNodeParams *);
  cudaError_t (*editSignal)(cudaGraphNode_t, const struct cudaExternalSemaphoreSignalNodeParams *);
  cudaError_t (*addWait)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                         const struct cudaExternalSemaphoreWaitNodeParams *);
  cudaError_t (*setWait)(cudaGraphExec_t, cudaGraphNode_t,
                         const struct cudaExternalSemaphoreWaitNodeParams *);
  cudaError_t (*editWait)(cudaGraphNode_t, const struct cudaExternalSemaphoreWaitNodeParams *);
  cudaError_t (*copyAttributes)(cudaGraphNode_t, cudaGraphNode_t);
  cudaError_t (*editMemset)(cudaGraphNode_t, const struct cudaMemsetParams *);
  cudaError_t (*addEmpty)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
  cudaError_t (*create)(cudaGraph_t *, unsigned int);
  cudaError_t (*addMemset)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                           const struct cudaMemsetParams *);
  cudaError_t (*addChild)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                          cudaGraph_t);
  cudaError_t (*addNode)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                         const cudaGraphEdgeData *, size_t, struct cudaGraphNodeParams *);
  cudaError_t (*addAlloc)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                          struct cudaMemAllocNodeParams *);
  cudaError_t (*addFree)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *);
  cudaError_t (*setChild)(cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t);
  cudaError_t (*setNode)(cudaGraphExec_t, cudaGraphNode_t, struct cudaGraphNodeParams *);
  cudaError_t (*editNode)(cudaGraphNode_t, struct cudaGraphNodeParams *);
  cudaError_t (*destroyNode)(cudaGraphNode_t);
  cudaError_t (*clone)(cudaGraph_t *, cudaGraph_t);
  cudaError_t (*destroyExec)(cudaGraphExec_t);
  cudaError_t (*destroyGraph)(cudaGraph_t);
};
extern const struct RuntimeCalls runtimeCalls;

struct DriverCalls {
  CUresult (*beginCapture)(CUstream, CUstreamCaptureMode);
  CUresult (*endCapture)(CUstream, CUgraph *);
  CUresult (*instantiate)(CUgraphExec *, CUgraph, unsigned long long);
  CUresult (*launch)(CUgraphExec, CUstream);
  CUresult (*setMemset)(CUgraphExec, CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *, CUcontext);
  CUresult (*editMemset)(CUgraphNode, const CUDA_MEMSET_NODE_PARAMS *);
  CUresult (*addWords)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                       const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
  CUresult (*setWords)(CUgraphExec, CUgraphNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
  CUresult (*editWords)(CUgraphNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
  CUresult (*addSignal)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                        const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
  CUresult (*setSignal)(CUgraphExec, CUgraphNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
  CUresult (*editSignal)(CUgraphNode, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *);
  CUresult (*addWait)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                      const CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
  CUresult (*setWait)(CUgraphExec, CUgraphNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
  CUresult (*editWait)(CUgraphNode, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *);
  CUresult (*copyAttributes)(CUgraphNode, CUgraphNode);
  CUresult (*create)(CUgraph *, unsigned int);
  CUresult (*addEmpty)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t);
  CUresult (*addChild)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph);
  CUresult (*addNode)(CUgraphNode *, CUgraph, const CUgraphNode *, const CUgraphEdgeData *, size_t,
                      CUgraphNodeParams *);
  CUresult (*addAlloc)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                       CUDA_MEM_ALLOC_NODE_PARAMS *);
  CUresult (*addFree)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUdeviceptr);
  CUresult (*setChild)(CUgraphExec, CUgraphNode, CUgraph);
  CUresult (*setNode)(CUgraphExec, CUgraphNode, CUgraphNodeParams *);
  CUresult (*editNode)(CUgraphNode, CUgraphNodeParams *);
  CUresult (*destroyNode)(CUgraphNode);
  CUresult (*destroyExec)(CUgraphExec);
  CUresult (*destroyGraph)(CUgraph);
};
extern const struct DriverCalls driverCalls;

struct MemoryCalls {
  cudaError_t (*copy)(void *, const void *, size_t, enum cudaMemcpyKind);
  cudaError_t (*copyAsync)(void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t);
  cudaError_t (*copy2D)(void *, size_t, const void *, size_t, size_t, size_t, enum cudaMemcpyKind);
  cudaError_t (*copy2DAsync)(void *, size_t, const void *, size_t, size_t, size_t,
                             enum cudaMemcpyKind, cudaStream_t);
  cudaError_t (*copyToSymbol)(const void *, const void *, size_t, size_t, enum cudaMemcpyKind);
  cudaError_t (*copyToSymbolAsync)(const void *, const void *, size_t, size_t, enum cudaMemcpyKind,
                                   cudaStream_t);
  cudaError_t (*copy3D)(const struct cudaMemcpy3DParms *);
  cudaError_t (*copyFromSymbol)(void *, const void *, size_t, size_t, enum cudaMemcpyKind);
  cudaError_t (*allocate)(void **, size_t);
  cudaError_t (*allocateManaged)(void **, size_t, unsigned int);
  cudaError_t (*allocatePitch)(void **, size_t *, size_t, size_t);
  cudaError_t (*allocate3D)(struct cudaPitchedPtr *, struct cudaExtent);
  cudaError_t (*allocateAsync)(void **, size_t, cudaStream_t);
  cudaError_t (*allocateFromPool)(void **, size_t, cudaMemPool_t, cudaStream_t);
  cudaError_t (*allocateHost)(void **, size_t);
  cudaError_t (*hostAllocate)(void **, size_t, unsigned int);
  cudaError_t (*free)(void *);
  cudaError_t (*freeAsync)(void *, cudaStream_t);
  cudaError_t (*freeHost)(void *);
  CUresult (*driverCopy)(CUdeviceptr, const void *, size_t);
  CUresult (*driverCopyAsync)(CUdeviceptr, const void *, size_t, CUstream);
  CUresult (*driverCopyBack)(void *, CUdeviceptr, size_t);
  CUresult (*driverCopyRows)(const CUDA_MEMCPY2D *, CUstream);
  CUresult (*driverAllocate)(CUdeviceptr *, size_t);
  CUresult (*driverAllocateManaged)(CUdeviceptr *, size_t, unsigned int);
  CUresult (*driverAllocatePitch)(CUdeviceptr *, size_t *, size_t, size_t, unsigned int);
  CUresult (*driverAllocateAsync)(CUdeviceptr *, size_t, CUstream);
  CUresult (*driverAllocateFromPool)(CUdeviceptr *, size_t, CUmemoryPool, CUstream);
  CUresult (*driverAllocateHost)(void **, size_t);
  CUresult (*driverHostAllocate)(void **, size_t, unsigned int);
  CUresult (*driverFree)(CUdeviceptr);
  CUresult (*driverFreeAsync)(CUdeviceptr, CUstream);
  CUresult (*driverFreeHost)(void *);
};
extern const struct MemoryCalls memoryCalls;

struct StepCalls {
  void (*step)(void);
  void (*setCopies)(struct graphprof_copy_options);
  const void *(*wrap)(const void *);
  void (*patchBegins)(void);
  void (*patchEnds)(void);
};
extern const struct StepCalls stepCalls;

struct MappedCalls {
  CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
                     unsigned long long);
  CUresult (*retain)(CUmemGenericAllocationHandle *, void *);
  CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
  CUresult (*unmap)(CUdeviceptr, size_t);
  CUresult (*release)(CUmemGenericAllocationHandle);
};
extern const struct MappedCalls mappedCalls;

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_TEST_RUNTIME_C_CALLS_H

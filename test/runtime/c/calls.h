// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected calls as an instrumented C unit has them, by their addresses, for CCallsTest.cu.

#ifndef GRAPHPROF_TEST_RUNTIME_C_CALLS_H
#define GRAPHPROF_TEST_RUNTIME_C_CALLS_H

#include <cuda.h>
#include <cuda_runtime_api.h>

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
  cudaError_t (*editMemset)(cudaGraphNode_t, const struct cudaMemsetParams *);
  cudaError_t (*addEmpty)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
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
  CUresult (*destroyExec)(CUgraphExec);
  CUresult (*destroyGraph)(CUgraph);
};
extern const struct DriverCalls driverCalls;

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_TEST_RUNTIME_C_CALLS_H

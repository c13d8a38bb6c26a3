// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: executable graphs.

#include "Call.h"
#include "Copy.h"
#include "Exec.h"
#include "NodeParams.h"

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

template <typename Params>
cudaError_t set(Device &d, cudaGraphExec_t exec, cudaGraphNode_t node, Params *params) {
  Op op;
  if (cudaError_t wrong = opFrom(d, params, &op))
    return wrong;
  return execSetOp(d, exec, node, std::move(op));
}

} // namespace

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  CUDA_CALL({ return instantiate(d, exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  CUDA_CALL({ return instantiate(d, exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
  CUDA_CALL({
    if (!params)
      return cudaErrorInvalidValue;
    return instantiate(d, exec, graph, params->flags, params);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  CUDA_CALL({ return execLaunch(d, exec, stream); });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  CUDA_CALL({ return execUpload(d, exec, stream); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  CUDA_CALL({ return execDestroy(d, exec); });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
  CUDA_CALL({ return execUpdate(d, exec, graph, info); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaExternalSemaphoreWaitNodeParams *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void *dst, const void *src, size_t bytes,
                                               cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(dst, src, bytes, kind, &op);
    return wrong ? wrong : execSetOp(d, exec, node, op);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *src,
                                                     size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(inSymbol(symbol, offset), src, bytes, kind, &op);
    return wrong ? wrong : execSetOp(d, exec, node, op);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *dst, const void *symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(dst, inSymbol(symbol, offset), bytes, kind, &op);
    return wrong ? wrong : execSetOp(d, exec, node, op);
  });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t childGraph) {
  CUDA_CALL({
    const cudaChildGraphNodeParams params{childGraph, cudaGraphChildGraphOwnershipClone};
    return set(d, exec, node, &params);
  });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  CUDA_CALL({
    const cudaEventRecordNodeParams params{event};
    return set(d, exec, node, &params);
  });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  CUDA_CALL({
    const cudaEventWaitNodeParams params{event};
    return set(d, exec, node, &params);
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams *params) {
  CUDA_CALL({ return set(d, exec, node, params); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled) {
  CUDA_CALL({ return execSetEnabled(d, exec, node, enabled != 0); });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled) {
  CUDA_CALL({ return execGetEnabled(d, exec, node, enabled); });
}

} // extern "C"

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: graphs, their nodes and edges, user objects.

#include "Call.h"
#include "Copy.h"
#include "Exec.h"
#include "NodeParams.h"

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

// The op for params, or an error.
template <typename Params>
cudaError_t add(Device &d, cudaGraphNode_t *node, cudaGraph_t graph,
                const cudaGraphNode_t *dependencies, size_t count, Params *params) {
  Op op;
  if (cudaError_t wrong = opFrom(d, params, &op))
    return wrong;
  return addNode(d, graph, dependencies, nullptr, count, std::move(op), node);
}

template <typename Params> cudaError_t set(Device &d, cudaGraphNode_t node, Params *params) {
  Op op;
  if (cudaError_t wrong = opFrom(d, params, &op))
    return wrong;
  return nodeSetOp(d, node, std::move(op));
}

} // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  CUDA_CALL({ return graphCreate(d, graph, flags); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  CUDA_CALL({ return graphDestroy(d, graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original) {
  CUDA_CALL({ return graphClone(d, clone, original); });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  CUDA_CALL({ return findInClone(d, node, original, clone); });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  CUDA_CALL({ return getNodes(d, graph, nodes, count); });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  CUDA_CALL({ return getRoots(d, graph, nodes, count); });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edgeData, size_t *count) {
  CUDA_CALL({ return getEdges(d, graph, from, to, edgeData, count); });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *dependencies,
                                         cudaGraphEdgeData *edgeData, size_t *count) {
  CUDA_CALL({ return getNeighbours(d, Direction::In, node, dependencies, edgeData, count); });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *dependents,
                                           cudaGraphEdgeData *edgeData, size_t *count) {
  CUDA_CALL({ return getNeighbours(d, Direction::Out, node, dependents, edgeData, count); });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                     size_t count) {
  CUDA_CALL({ return addDependencies(d, graph, from, to, edgeData, count); });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edgeData, size_t count) {
  CUDA_CALL({ return removeDependencies(d, graph, from, to, edgeData, count); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t handle, cudaGraphNodeType *type) {
  CUDA_CALL({
    CUgraphNode_st *node = findNode(d, handle);
    if (!node || !type)
      return cudaErrorInvalidValue;
    *type = node->type();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  CUDA_CALL({ return destroyNode(d, node); });
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int flags) {
  CUDA_CALL({ return userObjectCreate(d, object, pointer, destroy, count, flags); });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  CUDA_CALL({ return userObjectRetain(d, object, count); });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  CUDA_CALL({ return userObjectRelease(d, object, count); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags) {
  CUDA_CALL({ return graphRetainUserObject(d, graph, object, count, flags); });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count) {
  CUDA_CALL({ return graphReleaseUserObject(d, graph, object, count); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edgeData,
                             size_t count, cudaGraphNodeParams *params) {
  CUDA_CALL({
    Op op;
    if (cudaError_t wrong = opFrom(d, params, &op))
      return wrong;
    const cudaError_t status =
        addNode(d, graph, dependencies, edgeData, count, std::move(op), node);
    if (status == cudaSuccess && params->type == cudaGraphNodeTypeConditional)
      params->conditional.phGraph_out = bodiesOf(d, *node);
    return status;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaKernelNodeParams *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemcpy3DParms *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count, void *dst,
                                     const void *src, size_t bytes, cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(dst, src, bytes, kind, &op);
    return wrong ? wrong : addNode(d, graph, dependencies, nullptr, count, op, node);
  });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count,
                                           const void *symbol, const void *src, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(inSymbol(symbol, offset), src, bytes, kind, &op);
    return wrong ? wrong : addNode(d, graph, dependencies, nullptr, count, op, node);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count,
                                             void *dst, const void *symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(dst, inSymbol(symbol, offset), bytes, kind, &op);
    return wrong ? wrong : addNode(d, graph, dependencies, nullptr, count, op, node);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies, size_t count,
                                   const cudaMemsetParams *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies, size_t count,
                                 const cudaHostNodeParams *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       cudaGraph_t childGraph) {
  CUDA_CALL({
    const cudaChildGraphNodeParams params{childGraph, cudaGraphChildGraphOwnershipClone};
    return add(d, node, graph, dependencies, count, &params);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies, size_t count) {
  CUDA_CALL({ return addNode(d, graph, dependencies, nullptr, count, EmptyOp{}, node); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaEvent_t event) {
  CUDA_CALL({
    const cudaEventRecordNodeParams params{event};
    return add(d, node, graph, dependencies, count, &params);
  });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies, size_t count,
                                      cudaEvent_t event) {
  CUDA_CALL({
    const cudaEventWaitNodeParams params{event};
    return add(d, node, graph, dependencies, count, &params);
  });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies, size_t count,
                                     cudaMemAllocNodeParams *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    void *pointer) {
  CUDA_CALL({
    const cudaMemFreeNodeParams params{pointer};
    return add(d, node, graph, dependencies, count, &params);
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params) {
  CUDA_CALL({ return paramsOf(d, node, params); });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *params) {
  CUDA_CALL({ return set(d, node, params); });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t target, cudaGraphNode_t source) {
  CUDA_CALL({ return copyAttributes(d, target, source); });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue *value) {
  CUDA_CALL({ return getAttribute(d, node, attribute, value); });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue *value) {
  CUDA_CALL({ return setAttribute(d, node, attribute, value); });
}

cudaError_t
cudaGraphAddExternalSemaphoresSignalNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                         const cudaGraphNode_t *dependencies, size_t count,
                                         const cudaExternalSemaphoreSignalNodeParams *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t
cudaGraphAddExternalSemaphoresWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies, size_t count,
                                       const cudaExternalSemaphoreWaitNodeParams *params) {
  CUDA_CALL({ return add(d, node, graph, dependencies, count, params); });
}

cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreSignalNodeParams *params) {
  CUDA_CALL({ return set(d, node, params); });
}

cudaError_t
cudaGraphExternalSemaphoresWaitNodeSetParams(cudaGraphNode_t node,
                                             const cudaExternalSemaphoreWaitNodeParams *params) {
  CUDA_CALL({ return set(d, node, params); });
}

cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *semaphore,
                                        const cudaExternalSemaphoreHandleDesc *description) {
  CUDA_CALL({
    if (!semaphore || !description || !description->handle.nvSciSyncObj ||
        description->type != cudaExternalSemaphoreHandleTypeNvSciSync)
      return cudaErrorInvalidValue;
    *semaphore =
        static_cast<cudaExternalSemaphore_t>(const_cast<void *>(description->handle.nvSciSyncObj));
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore) {
  CUDA_CALL({ return semaphore ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms *params) {
  CUDA_CALL({ return paramsOf(d, node, params); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *params) {
  CUDA_CALL({ return set(d, node, params); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
                                           size_t bytes, cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(dst, src, bytes, kind, &op);
    return wrong ? wrong : nodeSetOp(d, node, op);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
                                                 const void *src, size_t bytes, size_t offset,
                                                 cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(inSymbol(symbol, offset), src, bytes, kind, &op);
    return wrong ? wrong : nodeSetOp(d, node, op);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                   const void *symbol, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind) {
  CUDA_CALL({
    CopyOp op;
    cudaError_t wrong = makeCopy(dst, inSymbol(symbol, offset), bytes, kind, &op);
    return wrong ? wrong : nodeSetOp(d, node, op);
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *params) {
  CUDA_CALL({ return paramsOf(d, node, params); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *params) {
  CUDA_CALL({ return set(d, node, params); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams *params) {
  CUDA_CALL({ return paramsOf(d, node, params); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams *params) {
  CUDA_CALL({ return set(d, node, params); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  CUDA_CALL({ return childGraphOf(d, node, graph); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  CUDA_CALL({ return eventOf<RecordOp>(d, node, event); });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  CUDA_CALL({
    const cudaEventRecordNodeParams params{event};
    return set(d, node, &params);
  });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  CUDA_CALL({ return eventOf<WaitOp>(d, node, event); });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  CUDA_CALL({
    const cudaEventWaitNodeParams params{event};
    return set(d, node, &params);
  });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int defaultLaunchValue, unsigned int flags) {
  CUDA_CALL({ return conditionalHandleCreate(d, handle, graph, defaultLaunchValue, flags); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *params) {
  CUDA_CALL({ return set(d, node, params); });
}

} // extern "C"

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: captures, graphs and execs. What a graph's nodes do is in DriverNodes.cpp.

#include "Call.h"
#include "DriverParams.h"
#include "Exec.h"
#include "Launch.h"

using namespace cudasim;

namespace {

// A kernel's attributes stay.
cudaError_t set(Device &d, CUgraphExec exec, CUgraphNode node,
                const CUDA_KERNEL_NODE_PARAMS *params) {
  const auto *kernel = opOf<KernelOp>(d, node);
  Op op;
  if (cudaError_t wrong = opFrom(
          d, params, &op, kernel ? mostSharedBytes(kernel->attributes) : kMostSharedBytesPerBlock))
    return wrong;
  return execSetOp(d, exec, node, std::move(op));
}

template <typename Params>
cudaError_t set(Device &d, CUgraphExec exec, CUgraphNode node, Params *params) {
  Op op;
  if (cudaError_t wrong = opFrom(d, params, &op))
    return wrong;
  return execSetOp(d, exec, node, std::move(op));
}

} // namespace

extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  CU_CALL({ return beginCapture(d, stream, static_cast<cudaStreamCaptureMode>(mode)); });
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edgeData, size_t count,
                                     CUstreamCaptureMode mode) {
  CU_CALL({
    return beginCaptureToGraph(d, stream, graph, dependencies, edges(edgeData), count,
                               static_cast<cudaStreamCaptureMode>(mode));
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  CU_CALL({ return endCapture(d, stream, graph); });
}

// CUDA 13.2. Every context is one for graphics here.
CUresult cuStreamBeginCaptureToCig(CUstream stream, CUstreamCigCaptureParams *params) {
  CU_CALL({
    return params && params->streamCigParams ? beginCommandList(d, stream) : cudaErrorInvalidValue;
  });
}

CUresult cuStreamEndCaptureToCig(CUstream stream) {
  CU_CALL({ return endCommandList(d, stream); });
}

// CUDA 13.3
CUresult cuStreamBeginRecaptureToGraph(CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
                                       CUgraphRecaptureCallback callback, void *userData) {
  CU_CALL({
    Recapture::Changed changed;
    if (callback)
      changed = [&d, callback, userData](CUgraphNode_st &node, const Op &recaptured) {
        CUgraphNodeParams before{};
        CUgraphNodeParams now{};
        if (const cudaError_t unread = paramsOf(d, &node, &before))
          return unread;
        Op original = std::exchange(node.op, recaptured);
        const cudaError_t unread = paramsOf(d, &node, &now);
        node.op = std::move(original);
        if (unread != cudaSuccess)
          return unread;
        const CUresult taken =
            callback(userData, &node, &before, &now, CU_GRAPH_RECAPTURE_ELIGIBLE_FOR_UPDATE);
        return taken == CUDA_SUCCESS ? cudaSuccess : cudaErrorGraphRecaptureFailure;
      };
    return beginRecapture(d, stream, static_cast<cudaStreamCaptureMode>(mode), graph,
                          std::move(changed));
  });
}

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags) {
  CU_CALL({ return graphCreate(d, graph, flags); });
}

CUresult cuGraphDestroy(CUgraph graph) {
  CU_CALL({ return graphDestroy(d, graph); });
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original) {
  CU_CALL({ return graphClone(d, clone, original); });
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
  CU_CALL({ return findInClone(d, node, original, clone); });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  CU_CALL({ return getNodes(d, graph, nodes, count); });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  CU_CALL({ return getRoots(d, graph, nodes, count); });
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  CU_CALL({ return getEdges(d, graph, from, to, nullptr, count); });
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edgeData, size_t *count) {
  CU_CALL({ return getEdges(d, graph, from, to, edges(edgeData), count); });
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  CU_CALL({
    CUgraphNode_st *node = findNode(d, handle);
    if (!node || !type)
      return cudaErrorInvalidValue;
    *type = static_cast<CUgraphNodeType>(node->type());
    return cudaSuccess;
  });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
  CU_CALL({ return getNeighbours(d, Direction::In, node, nodes, nullptr, count); });
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
                                       CUgraphEdgeData *edgeData, size_t *count) {
  CU_CALL({ return getNeighbours(d, Direction::In, node, nodes, edges(edgeData), count); });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
  CU_CALL({ return getNeighbours(d, Direction::Out, node, nodes, nullptr, count); });
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
                                         CUgraphEdgeData *edgeData, size_t *count) {
  CU_CALL({ return getNeighbours(d, Direction::Out, node, nodes, edges(edgeData), count); });
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count) {
  CU_CALL({ return addDependencies(d, graph, from, to, nullptr, count); });
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edgeData, size_t count) {
  CU_CALL({ return addDependencies(d, graph, from, to, edges(edgeData), count); });
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count) {
  CU_CALL({ return removeDependencies(d, graph, from, to, nullptr, count); });
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edgeData, size_t count) {
  CU_CALL({ return removeDependencies(d, graph, from, to, edges(edgeData), count); });
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  CU_CALL({ return destroyNode(d, node); });
}

CUresult cuUserObjectCreate(CUuserObject *object, void *pointer, CUhostFn destroy,
                            unsigned int count, unsigned int flags) {
  CU_CALL({ return userObjectCreate(d, object, pointer, destroy, count, flags); });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count) {
  CU_CALL({ return userObjectRetain(d, object, count); });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count) {
  CU_CALL({ return userObjectRelease(d, object, count); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count,
                                 unsigned int flags) {
  CU_CALL({ return graphRetainUserObject(d, graph, object, count, flags); });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count) {
  CU_CALL({ return graphReleaseUserObject(d, graph, object, count); });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags) {
  CU_CALL({ return instantiate(d, exec, graph, flags); });
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  CU_CALL({
    if (!params)
      return cudaErrorInvalidValue;
    cudaGraphInstantiateParams out{};
    cudaError_t status = instantiate(d, exec, graph, params->flags, &out);
    params->hErrNode_out = out.errNode_out;
    params->result_out = static_cast<CUgraphInstantiateResult>(out.result_out);
    return status;
  });
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  CU_CALL({ return execLaunch(d, exec, stream); });
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  CU_CALL({ return execUpload(d, exec, stream); });
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  CU_CALL({ return execDestroy(d, exec); });
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
  CU_CALL({
    if (!info)
      return cudaErrorInvalidValue;
    cudaGraphExecUpdateResultInfo out{};
    cudaError_t status = execUpdate(d, exec, graph, &out);
    *info = {static_cast<CUgraphExecUpdateResult>(out.result), out.errorNode, out.errorFromNode};
    return status;
  });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params, CUcontext) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params, CUcontext) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph childGraph) {
  CU_CALL({
    const cudaChildGraphNodeParams params{childGraph, cudaGraphChildGraphOwnershipClone};
    return set(d, exec, node, &params);
  });
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult
cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult
cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  CU_CALL({
    const cudaEventRecordNodeParams params{event};
    return set(d, exec, node, &params);
  });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  CU_CALL({
    const cudaEventWaitNodeParams params{event};
    return set(d, exec, node, &params);
  });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
  CU_CALL({ return set(d, exec, node, params); });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int enabled) {
  CU_CALL({ return execSetEnabled(d, exec, node, enabled != 0); });
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned int *enabled) {
  CU_CALL({ return execGetEnabled(d, exec, node, enabled); });
}

} // extern "C"

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: adding, reading and changing nodes.

#include "Call.h"
#include "Context.h"
#include "DriverParams.h"
#include "Exec.h"
#include "Launch.h"

using namespace cudasim;

namespace {

template <typename Params>
cudaError_t add(Device &d, CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                const CUgraphEdgeData *edgeData, size_t count, Params *params) {
  Op op;
  if (cudaError_t wrong = opFrom(d, params, &op))
    return wrong;
  const cudaError_t status =
      addNode(d, graph, dependencies, edges(edgeData), count, std::move(op), node);
  if (status == cudaSuccess)
    (*node)->context = contextFor(d, *params);
  return status;
}

template <typename Params>
cudaError_t addIn(Device &d, CUcontext context, CUgraphNode *node, CUgraph graph,
                  const CUgraphNode *dependencies, size_t count, const Params *params) {
  const cudaError_t status = add(d, node, graph, dependencies, nullptr, count, params);
  if (status == cudaSuccess && context)
    (*node)->context = context;
  return status;
}

// A kernel's attributes stay.
cudaError_t set(Device &d, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  const auto *kernel = opOf<KernelOp>(d, node);
  Op op;
  if (cudaError_t wrong = opFrom(
          d, params, &op, kernel ? mostSharedBytes(kernel->attributes) : kMostSharedBytesPerBlock))
    return wrong;
  return nodeSetOp(d, node, std::move(op));
}

template <typename Params> cudaError_t set(Device &d, CUgraphNode node, Params *params) {
  Op op;
  if (cudaError_t wrong = opFrom(d, params, &op))
    return wrong;
  return nodeSetOp(d, node, std::move(op));
}

} // namespace

extern "C" {

CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                        size_t count, CUgraphNodeParams *params) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edgeData, size_t count,
                           CUgraphNodeParams *params) {
  CU_CALL({
    const cudaError_t status = add(d, node, graph, dependencies, edgeData, count, params);
    if (status == cudaSuccess && params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      params->conditional.phGraph_out = bodiesOf(d, *node);
    return status;
  });
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph, CUcontext,
                                        unsigned int defaultLaunchValue, unsigned int flags) {
  CU_CALL({
    cudaGraphConditionalHandle made = 0;
    const cudaError_t status = conditionalHandleCreate(d, &made, graph, defaultLaunchValue, flags);
    if (handle && status == cudaSuccess)
      *handle = made;
    return handle ? status : cudaErrorInvalidValue;
  });
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
  CU_CALL({ return set(d, node, params); });
}

// CUDA 13.2
CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams *params) {
  CU_CALL({ return paramsOf(d, node, params); });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS *params) {
  CU_CALL({ return add(d, node, graph, dependencies, nullptr, count, params); });
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
  CU_CALL({ return paramsOf(d, node, params); });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params) {
  CU_CALL({ return set(d, node, params); });
}

// The layout of values is the same in both APIs.
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       const CUkernelNodeAttrValue *value) {
  static_assert(sizeof *value == sizeof(cudaKernelNodeAttrValue));
  CU_CALL({
    return setAttribute(d, node, attribute,
                        reinterpret_cast<const cudaKernelNodeAttrValue *>(value));
  });
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue *value) {
  CU_CALL({
    return getAttribute(d, node, attribute, reinterpret_cast<cudaKernelNodeAttrValue *>(value));
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode target, CUgraphNode source) {
  CU_CALL({ return copyAttributes(d, target, source); });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMCPY3D *params, CUcontext context) {
  CU_CALL({ return addIn(d, context, node, graph, dependencies, count, params); });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params) {
  CU_CALL({ return paramsOf(d, node, params); });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *params) {
  CU_CALL({ return set(d, node, params); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                              size_t count, const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context) {
  CU_CALL({ return addIn(d, context, node, graph, dependencies, count, params); });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params) {
  CU_CALL({ return paramsOf(d, node, params); });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params) {
  CU_CALL({ return set(d, node, params); });
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  CU_CALL({ return add(d, node, graph, dependencies, nullptr, count, params); });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
  CU_CALL({ return paramsOf(d, node, params); });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
  CU_CALL({ return set(d, node, params); });
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  CU_CALL({ return add(d, node, graph, dependencies, nullptr, count, params); });
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  CU_CALL({ return paramsOf(d, node, params); });
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  CU_CALL({ return set(d, node, params); });
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *dependencies, size_t count,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  CU_CALL({ return add(d, node, graph, dependencies, nullptr, count, params); });
}

CUresult
cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node,
                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  CU_CALL({ return set(d, node, params); });
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *dependencies, size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  CU_CALL({ return add(d, node, graph, dependencies, nullptr, count, params); });
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  CU_CALL({ return set(d, node, params); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies, size_t count, CUevent event) {
  CU_CALL({
    const cudaEventRecordNodeParams params{event};
    return add(d, node, graph, dependencies, nullptr, count, &params);
  });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  CU_CALL({ return eventOf<RecordOp>(d, node, event); });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  CU_CALL({
    const cudaEventRecordNodeParams params{event};
    return set(d, node, &params);
  });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, CUevent event) {
  CU_CALL({
    const cudaEventWaitNodeParams params{event};
    return add(d, node, graph, dependencies, nullptr, count, &params);
  });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  CU_CALL({ return eventOf<WaitOp>(d, node, event); });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  CU_CALL({
    const cudaEventWaitNodeParams params{event};
    return set(d, node, &params);
  });
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  CU_CALL({ return add(d, node, graph, dependencies, nullptr, count, params); });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  CU_CALL({
    const auto *alloc = opOf<AllocOp>(d, node);
    if (!alloc || !params)
      return cudaErrorInvalidValue;
    *params = {};
    params->bytesize = alloc->bytes;
    params->dptr = reinterpret_cast<CUdeviceptr>(addressOf(*alloc));
    return cudaSuccess;
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t count, CUdeviceptr pointer) {
  CU_CALL({
    const cudaMemFreeNodeParams params{reinterpret_cast<void *>(pointer)};
    return add(d, node, graph, dependencies, nullptr, count, &params);
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                             size_t count) {
  CU_CALL({ return addNode(d, graph, dependencies, nullptr, count, EmptyOp{}, node); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, CUgraph childGraph) {
  CU_CALL({
    const cudaChildGraphNodeParams params{childGraph, cudaGraphChildGraphOwnershipClone};
    return add(d, node, graph, dependencies, nullptr, count, &params);
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  CU_CALL({ return childGraphOf(d, node, graph); });
}

} // extern "C"

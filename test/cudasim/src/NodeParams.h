// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Translates the parameter structs of the runtime API to Op and back. DriverParams.h does so for
// the driver API.

#ifndef CUDASIM_SRC_NODE_PARAMS_H
#define CUDASIM_SRC_NODE_PARAMS_H

#include "Device.h"
#include "Graph.h"

namespace cudasim {

cudaError_t opFrom(Device &device, const cudaKernelNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaMemcpy3DParms *params, Op *op);
cudaError_t opFrom(Device &device, const cudaMemsetParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaHostNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaChildGraphNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaEventRecordNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaEventWaitNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, cudaMemAllocNodeParams *params, Op *op); // writes dptr
cudaError_t opFrom(Device &device, const cudaMemFreeNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaExternalSemaphoreSignalNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, const cudaExternalSemaphoreWaitNodeParams *params, Op *op);
cudaError_t opFrom(Device &device, cudaGraphNodeParams *params, Op *op);

cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaKernelNodeParams *params);
cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaMemcpy3DParms *params);
cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaMemsetParams *params);
cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaHostNodeParams *params);
cudaError_t childGraphOf(Device &device, cudaGraphNode_t node, cudaGraph_t *graph);

// A kernel node's attributes. They can be set and read, but change nothing, except the attribute
// that lets the device update the node.
cudaError_t setAttribute(Device &device, cudaGraphNode_t node, int attribute,
                         const cudaKernelNodeAttrValue *value);
cudaError_t getAttribute(Device &device, cudaGraphNode_t node, int attribute,
                         cudaKernelNodeAttrValue *value);
cudaError_t copyAttributes(Device &device, cudaGraphNode_t target, cudaGraphNode_t source);

// The op of a node if it is of that kind, otherwise null.
template <typename Kind> Kind *opOf(Device &device, cudaGraphNode_t handle) {
  CUgraphNode_st *node = findNode(device, handle);
  return node ? std::get_if<Kind>(&node->op) : nullptr;
}

template <typename Kind>
cudaError_t eventOf(Device &device, cudaGraphNode_t node, cudaEvent_t *event) {
  const Kind *op = opOf<Kind>(device, node);
  if (!op || !event)
    return cudaErrorInvalidValue;
  *event = op->event.get();
  return cudaSuccess;
}

} // namespace cudasim

#endif // CUDASIM_SRC_NODE_PARAMS_H

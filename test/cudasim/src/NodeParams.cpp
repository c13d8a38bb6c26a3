// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Translation of the runtime API's node parameters.

#include "NodeParams.h"

#include "Copy.h"
#include "Event.h"
#include "Launch.h"

namespace cudasim {

cudaError_t opFrom(Device &device, const cudaKernelNodeParams *params, Op *op) {
  if (!params)
    return cudaErrorInvalidValue;
  KernelOp kernel;
  cudaError_t status =
      makeKernelOp(device, device.kernels.ofHost(params->func), params->gridDim, params->blockDim,
                   params->sharedMemBytes, params->kernelParams, params->extra, &kernel);
  *op = std::move(kernel);
  return status;
}

cudaError_t opFrom(Device &device, const cudaMemcpy3DParms *params, Op *op) {
  CopyOp copy;
  cudaError_t status = makeCopy3D(device, params, &copy);
  *op = copy;
  return status;
}

cudaError_t opFrom(Device &, const cudaMemsetParams *params, Op *op) {
  FillOp fill;
  cudaError_t status = makeFill(params, &fill);
  *op = fill;
  return status;
}

cudaError_t opFrom(Device &, const cudaHostNodeParams *params, Op *op) {
  if (!params || !params->fn)
    return cudaErrorInvalidValue;
  *op = HostOp{params->fn, params->userData};
  return cudaSuccess;
}

cudaError_t opFrom(Device &device, const cudaChildGraphNodeParams *params, Op *op) {
  CUgraph_st *graph = findGraph(device, params->graph);
  if (!graph || params->ownership != cudaGraphChildGraphOwnershipClone)
    return cudaErrorInvalidValue;
  // Not owned. Code that keeps the op copies the graph.
  *op = ChildOp{std::shared_ptr<CUgraph_st>(std::shared_ptr<void>(), graph)};
  return cudaSuccess;
}

cudaError_t opFrom(Device &device, const cudaEventRecordNodeParams *params, Op *op) {
  auto event = device.events.find(params->event);
  if (!event)
    return cudaErrorInvalidValue;
  *op = RecordOp{std::move(event)};
  return cudaSuccess;
}

cudaError_t opFrom(Device &device, const cudaEventWaitNodeParams *params, Op *op) {
  auto event = device.events.find(params->event);
  if (!event)
    return cudaErrorInvalidValue;
  *op = WaitOp{std::move(event)};
  return cudaSuccess;
}

cudaError_t opFrom(Device &, cudaMemAllocNodeParams *params, Op *op) {
  if (!params || !params->bytesize)
    return cudaErrorInvalidValue;
  AllocOp alloc;
  if (cudaError_t status = makeAlloc(params->bytesize, &params->dptr, &alloc))
    return status;
  *op = std::move(alloc);
  return cudaSuccess;
}

cudaError_t opFrom(Device &, const cudaMemFreeNodeParams *params, Op *op) {
  if (!params->dptr)
    return cudaErrorInvalidValue;
  *op = FreeOp{params->dptr};
  return cudaSuccess;
}

cudaError_t opFrom(Device &, const cudaExternalSemaphoreSignalNodeParams *params, Op *op) {
  if (!params || !params->extSemArray || !params->paramsArray || !params->numExtSems)
    return cudaErrorInvalidValue;
  SignalOp signal;
  for (unsigned i = 0; i < params->numExtSems; ++i)
    signal.words.emplace_back(reinterpret_cast<unsigned long long *>(params->extSemArray[i]),
                              params->paramsArray[i].params.fence.value);
  *op = std::move(signal);
  return cudaSuccess;
}

cudaError_t opFrom(Device &, const cudaExternalSemaphoreWaitNodeParams *params, Op *op) {
  if (!params || !params->extSemArray || !params->paramsArray || !params->numExtSems)
    return cudaErrorInvalidValue;
  *op = AwaitOp{};
  return cudaSuccess;
}

cudaError_t opFrom(Device &device, cudaGraphNodeParams *params, Op *op) {
  if (!params)
    return cudaErrorInvalidValue;
  switch (params->type) {
  case cudaGraphNodeTypeKernel: {
    const auto &p = params->kernel;
    const cudaKernelNodeParams kernel{p.func,           p.gridDim,      p.blockDim,
                                      p.sharedMemBytes, p.kernelParams, p.extra};
    return opFrom(device, &kernel, op);
  }
  case cudaGraphNodeTypeMemcpy:
    return opFrom(device, &params->memcpy.copyParams, op);
  case cudaGraphNodeTypeMemset: {
    const auto &p = params->memset;
    const cudaMemsetParams fill{p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
    return opFrom(device, &fill, op);
  }
  case cudaGraphNodeTypeHost: {
    const cudaHostNodeParams host{params->host.fn, params->host.userData};
    return opFrom(device, &host, op);
  }
  case cudaGraphNodeTypeGraph:
    return opFrom(device, &params->graph, op);
  case cudaGraphNodeTypeEmpty:
    *op = EmptyOp{};
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
    return opFrom(device, &params->eventWait, op);
  case cudaGraphNodeTypeEventRecord:
    return opFrom(device, &params->eventRecord, op);
  case cudaGraphNodeTypeMemAlloc: {
    AllocOp alloc;
    if (cudaError_t status = makeAlloc(params->alloc.bytesize, &params->alloc.dptr, &alloc))
      return status;
    *op = std::move(alloc);
    return cudaSuccess;
  }
  case cudaGraphNodeTypeMemFree:
    return opFrom(device, &params->free, op);
  case cudaGraphNodeTypeConditional: {
    const auto &p = params->conditional;
    return makeConditional(device, p.handle, p.type, p.size, op);
  }
  default:
    return cudaErrorNotSupported;
  }
}

cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaKernelNodeParams *params) {
  const auto *op = opOf<KernelOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  // The runtime names a kernel by the address of its __global__ function. Kernels of libraries have
  // none.
  if (!op->function->host)
    return cudaErrorInvalidDeviceFunction;
  *params = {
      const_cast<void *>(op->function->host),         op->grid, op->block, op->sharedMemBytes,
      op->args ? op->args->pointers.data() : nullptr, nullptr};
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaMemcpy3DParms *params) {
  const auto *op = opOf<CopyOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  *params = op->asGiven;
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaMemsetParams *params) {
  const auto *op = opOf<FillOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  *params = op->params;
  return cudaSuccess;
}

cudaError_t paramsOf(Device &device, cudaGraphNode_t node, cudaHostNodeParams *params) {
  const auto *op = opOf<HostOp>(device, node);
  if (!op || !params)
    return cudaErrorInvalidValue;
  *params = {op->fn, op->userData};
  return cudaSuccess;
}

cudaError_t childGraphOf(Device &device, cudaGraphNode_t node, cudaGraph_t *graph) {
  const auto *op = opOf<ChildOp>(device, node);
  if (!op || !graph)
    return cudaErrorInvalidValue;
  *graph = op->graph.get();
  return cudaSuccess;
}

cudaError_t setAttribute(Device &device, cudaGraphNode_t node, int attribute,
                         const cudaKernelNodeAttrValue *value) {
  auto *kernel = opOf<KernelOp>(device, node);
  if (!kernel || !value)
    return cudaErrorInvalidValue;
  if (attribute != cudaLaunchAttributeDeviceUpdatableKernelNode) {
    keepAttribute(*kernel, {static_cast<cudaLaunchAttributeID>(attribute), {}, *value});
    return cudaSuccess;
  }
  const bool updatable = value->deviceUpdatableKernelNode.deviceUpdatable;
  if (kernel->deviceUpdatable && !updatable)
    return cudaErrorInvalidValue;
  kernel->deviceUpdatable = updatable;
  return cudaSuccess;
}

cudaError_t getAttribute(Device &device, cudaGraphNode_t node, int attribute,
                         cudaKernelNodeAttrValue *value) {
  const auto *kernel = opOf<KernelOp>(device, node);
  if (!kernel || !value)
    return cudaErrorInvalidValue;
  *value = {};
  for (const cudaLaunchAttribute &kept : kernel->attributes)
    if (kept.id == attribute)
      *value = kept.val;
  if (attribute == cudaLaunchAttributeDeviceUpdatableKernelNode && kernel->deviceUpdatable)
    value->deviceUpdatableKernelNode = {1, reinterpret_cast<cudaGraphDeviceNode_t>(node)};
  return cudaSuccess;
}

cudaError_t copyAttributes(Device &device, cudaGraphNode_t target, cudaGraphNode_t source) {
  auto *to = opOf<KernelOp>(device, target);
  const auto *from = opOf<KernelOp>(device, source);
  if (!to || !from || to->deviceUpdatable || from->deviceUpdatable)
    return cudaErrorInvalidValue;
  to->attributes = from->attributes;
  return cudaSuccess;
}

} // namespace cudasim

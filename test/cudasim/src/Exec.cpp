// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's rules for instantiating, updating and launching.

#include "Exec.h"

#include "Context.h"
#include "Device.h"
#include "Update.h"

#include <algorithm>

namespace cudasim {
namespace {

constexpr unsigned long long kKnownFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

bool hasCycle(CUgraph_st &graph) {
  if (launchOrder(graph).size() != graph.nodes.size())
    return true;
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
    if (auto *conditional = std::get_if<ConditionalOp>(&node->op))
      return std::any_of(conditional->bodies.begin(), conditional->bodies.end(),
                         [](const auto &body) { return hasCycle(*body); });
    auto *child = std::get_if<ChildOp>(&node->op);
    return child && hasCycle(*child->graph);
  });
}

bool bodiesAreAllowed(const CUgraph_st &graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
    auto *conditional = std::get_if<ConditionalOp>(&node->op);
    return !conditional || std::all_of(conditional->bodies.begin(), conditional->bodies.end(),
                                       [](const auto &body) { return mayBeBody(*body); });
  });
}

CUgraphNode_st *copyOf(CUgraph_st &graph, unsigned long long originalId) {
  for (const auto &node : graph.nodes) {
    if (node->clonedFrom == originalId)
      return node.get();
    if (auto *child = std::get_if<ChildOp>(&node->op))
      if (CUgraphNode_st *inner = copyOf(*child->graph, originalId))
        return inner;
  }
  return nullptr;
}

CUgraphNode_st *nodeOf(Device &device, CUgraphExec_st &exec, cudaGraphNode_t handle) {
  CUgraphNode_st *original = findNode(device, handle);
  return original ? copyOf(*exec.graph, original->id) : nullptr;
}

cudaError_t replaceOp(CUgraphNode_st &node, Op op) {
  if (typeOf(op) != node.type() || node.type() == cudaGraphNodeTypeConditional)
    return cudaErrorInvalidValue;
  if (auto *child = std::get_if<ChildOp>(&op)) {
    const Update update(*std::get<ChildOp>(node.op).graph, *child->graph);
    if (update.result().result != cudaGraphExecUpdateSuccess)
      return cudaErrorInvalidValue;
    update.takeParameters();
    return cudaSuccess;
  }
  if (auto *kernel = std::get_if<KernelOp>(&op)) {
    kernel->deviceUpdatable = std::get<KernelOp>(node.op).deviceUpdatable;
    kernel->attributes = std::get<KernelOp>(node.op).attributes;
  }
  node.op = std::move(op);
  return cudaSuccess;
}

} // namespace

namespace {

// The exec that prevents another one of this graph. A graph with memory nodes allows one exec at a
// time: the one that was made from it, or updated from it last. A graph with conditional nodes, or
// with nodes that the device can update, allows one that was made from it.
std::shared_ptr<CUgraphExec_st> execHolding(const CUgraph_st &graph) {
  auto exec = graph.holder.lock();
  return exec && exec->heldGraph == graph.id ? exec : nullptr;
}

void hold(const std::shared_ptr<CUgraphExec_st> &exec, CUgraph_st &graph) {
  graph.holder = exec;
  exec->heldGraph = graph.id;
}

} // namespace

cudaError_t instantiate(Device &device, cudaGraphExec_t *exec, cudaGraph_t handle,
                        unsigned long long flags, cudaGraphInstantiateParams *params) {
  CUgraph_st *graph = findGraph(device, handle);
  auto result = [&](cudaGraphInstantiateResult outcome, cudaError_t error) {
    if (params) {
      params->errNode_out = nullptr;
      params->result_out = outcome;
    }
    return error;
  };
  if (!graph || !exec || (flags & ~kKnownFlags))
    return result(cudaGraphInstantiateError, cudaErrorInvalidValue);
  if (hasCycle(*graph))
    return result(cudaGraphInstantiateInvalidStructure, cudaErrorInvalidValue);
  if (!bodiesAreAllowed(*graph))
    return result(cudaGraphInstantiateNodeOperationNotSupported, cudaErrorInvalidValue);
  const bool unique = graph->isUnique() || graph->hasUpdatableNodes();
  if (unique && execHolding(*graph))
    return result(cudaGraphInstantiateError, cudaErrorNotSupported);

  if (cudaError_t unsafe = forbidUnsafe(device))
    return result(cudaGraphInstantiateError, unsafe);

  auto made = std::shared_ptr<CUgraphExec_st>(new CUgraphExec_st);
  made->graph = copyGraph(device, *graph, false);
  made->context = currentContext(device);
  made->flags = flags;
  takeInstantiated(*made);
  if (flags & cudaGraphInstantiateFlagUpload)
    takeUploaded(*made);
  if (unique)
    hold(made, *graph);
  *exec = device.execs.add(std::move(made));
  return result(cudaGraphInstantiateSuccess, cudaSuccess);
}

cudaError_t execDestroy(Device &device, cudaGraphExec_t exec) {
  device.execs.refuseEnded(exec, "cuGraphExecDestroy");
  if (!device.execs.get(exec))
    return cudaErrorInvalidValue;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  return device.execs.remove(exec) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t execLaunch(Device &device, cudaGraphExec_t handle, cudaStream_t streamHandle) {
  device.execs.refuseEnded(handle, "cuGraphLaunch");
  auto exec = device.execs.find(handle);
  if (!exec)
    return cudaErrorInvalidValue;
  CUstream_st *stream = device.stream(streamHandle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream->capture && stream->capture->isCommandList)
    return submit(device, *stream, ChildOp{exec->graph});
  if (stream->capture) {
    // A GPU refuses it. That it also breaks the capture is an assumption.
    stream->capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (stream->isLegacy())
    if (cudaError_t implicit = forbidLegacy(device))
      return implicit;
  takeUploaded(*exec);
  const std::uint64_t startNs = std::max(readyNs(device, *stream), exec->tailNs);
  launchingConditionals(device, *exec->graph);
  const std::uint64_t endNs = runGraph(device, *exec->graph, startNs, stream->id);
  stream->tailNs = exec->tailNs = endNs;
  device.note("graph", stream->id, startNs, endNs);
  return cudaSuccess;
}

cudaError_t execUpload(Device &device, cudaGraphExec_t handle, cudaStream_t streamHandle) {
  const auto exec = device.execs.find(handle);
  if (!exec)
    return cudaErrorInvalidValue;
  CUstream_st *stream = device.stream(streamHandle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (stream->capture) {
    stream->capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  takeUploaded(*exec);
  return cudaSuccess;
}

cudaError_t execUpdate(Device &device, cudaGraphExec_t execHandle, cudaGraph_t graphHandle,
                       cudaGraphExecUpdateResultInfo *info) {
  auto exec = device.execs.find(execHandle);
  CUgraph_st *graph = findGraph(device, graphHandle);
  if (!exec || !graph || !info)
    return cudaErrorInvalidValue;
  if (graph->hasUpdatableNodes() || exec->graph->hasUpdatableNodes())
    return cudaErrorNotSupported;
  const bool hasMemory = graph->hasMemoryNodes();
  const Update update(*exec->graph, *graph);
  *info = update.result();
  if (info->result != cudaGraphExecUpdateSuccess)
    return cudaErrorGraphExecUpdateFailure;
  if (const auto holder = execHolding(*graph); hasMemory && holder && holder != exec)
    return cudaErrorNotSupported;
  if (hasMemory)
    hold(exec, *graph);
  update.takeParameters();
  return cudaSuccess;
}

cudaError_t execSetOp(Device &device, cudaGraphExec_t execHandle, cudaGraphNode_t nodeHandle,
                      Op op) {
  auto exec = device.execs.find(execHandle);
  CUgraphNode_st *node = exec ? nodeOf(device, *exec, nodeHandle) : nullptr;
  return node ? replaceOp(*node, std::move(op)) : cudaErrorInvalidValue;
}

cudaError_t execSetEnabled(Device &device, cudaGraphExec_t execHandle, cudaGraphNode_t nodeHandle,
                           bool enabled) {
  auto exec = device.execs.find(execHandle);
  CUgraphNode_st *node = exec ? nodeOf(device, *exec, nodeHandle) : nullptr;
  if (!node)
    return cudaErrorInvalidValue;
  switch (node->type()) {
  case cudaGraphNodeTypeKernel:
  case cudaGraphNodeTypeMemcpy:
  case cudaGraphNodeTypeMemset:
    node->enabled = enabled;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

cudaError_t execGetEnabled(Device &device, cudaGraphExec_t execHandle, cudaGraphNode_t nodeHandle,
                           unsigned *enabled) {
  auto exec = device.execs.find(execHandle);
  CUgraphNode_st *node = exec ? nodeOf(device, *exec, nodeHandle) : nullptr;
  if (!node || !enabled)
    return cudaErrorInvalidValue;
  *enabled = node->enabled;
  return cudaSuccess;
}

cudaError_t nodeSetOp(Device &device, cudaGraphNode_t handle, Op op) {
  CUgraphNode_st *node = findNode(device, handle);
  if (!node)
    return cudaErrorInvalidValue;
  if (std::holds_alternative<ChildOp>(op) && node->graph->hasMemoryNodes())
    return cudaErrorNotSupported;
  return replaceOp(*node, std::move(op));
}

} // namespace cudasim

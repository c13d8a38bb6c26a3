// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A condition is known only after the kernels before it have run. So their effects on memory happen
// when a conditional node is reached, not at the end of the call.

#include "Conditional.h"

#include "Call.h"
#include "Device.h"
#include "Graph.h"
#include "Versions.h"

#include <algorithm>

namespace cudasim {
namespace {

// A body that never ends would hang the test.
constexpr unsigned kMostIterations = 1'000'000;

void runEffectsSoFar(Device &device) {
  std::vector<std::function<void()>> effects;
  effects.swap(device.effects);
  runEffects(effects);
}

} // namespace

cudaGraphConditionalHandle ConditionalValues::create(unsigned defaultValue, bool assignDefault) {
  const std::lock_guard guard(mutex_);
  states_[++last_] = {0, defaultValue, assignDefault};
  return last_;
}

bool ConditionalValues::isHandle(cudaGraphConditionalHandle handle) const {
  const std::lock_guard guard(mutex_);
  return states_.count(handle) != 0;
}

void ConditionalValues::set(cudaGraphConditionalHandle handle, unsigned value) {
  const std::lock_guard guard(mutex_);
  if (const auto at = states_.find(handle); at != states_.end())
    at->second.value = value;
}

unsigned ConditionalValues::get(cudaGraphConditionalHandle handle) const {
  const std::lock_guard guard(mutex_);
  const auto at = states_.find(handle);
  return at == states_.end() ? 0 : at->second.value;
}

void ConditionalValues::launching(cudaGraphConditionalHandle handle) {
  const std::lock_guard guard(mutex_);
  if (const auto at = states_.find(handle); at != states_.end() && at->second.assignDefault)
    at->second.value = at->second.defaultValue;
}

void ConditionalValues::clear() {
  const std::lock_guard guard(mutex_);
  states_.clear();
}

void setConditional(unsigned long long handle, unsigned value) {
  device().conditionals.set(handle, value);
}

cudaError_t conditionalHandleCreate(Device &device, cudaGraphConditionalHandle *handle,
                                    cudaGraph_t graph, unsigned defaultValue, unsigned flags) {
  if (!handle || !findGraph(device, graph) || (flags & ~unsigned{cudaGraphCondAssignDefault}))
    return cudaErrorInvalidValue;
  *handle = device.conditionals.create(defaultValue, flags != 0);
  return cudaSuccess;
}

cudaError_t makeConditional(Device &device, cudaGraphConditionalHandle handle,
                            cudaGraphConditionalNodeType type, unsigned size, Op *op) {
  const unsigned most = type == cudaGraphCondTypeIf ? 2 : type == cudaGraphCondTypeWhile ? 1 : ~0U;
  if (!device.conditionals.isHandle(handle) || type < cudaGraphCondTypeIf ||
      type > cudaGraphCondTypeSwitch || size < 1 || size > most)
    return cudaErrorInvalidValue;
  if ((type == cudaGraphCondTypeSwitch && !has(Feature::ConditionalSwitch)) ||
      (type == cudaGraphCondTypeIf && size == 2 && !has(Feature::ConditionalElse)))
    return cudaErrorInvalidValue;
  ConditionalOp made;
  made.handle = handle;
  made.type = type;
  for (unsigned i = 0; i < size; ++i) {
    made.bodies.push_back(std::shared_ptr<CUgraph_st>(new CUgraph_st(device, true)));
    made.bodies.back()->isBody = true;
    made.handles.push_back(made.bodies.back().get());
  }
  *op = std::move(made);
  return cudaSuccess;
}

cudaGraph_t *bodiesOf(Device &device, cudaGraphNode_t handle) {
  CUgraphNode_st *node = findNode(device, handle);
  auto *op = node ? std::get_if<ConditionalOp>(&node->op) : nullptr;
  return op ? op->handles.data() : nullptr;
}

std::uint64_t runConditional(Device &device, ConditionalOp &op, std::uint64_t startNs,
                             unsigned long long streamId) {
  std::uint64_t endNs = startNs;
  for (unsigned iteration = 0; iteration < kMostIterations; ++iteration) {
    runEffectsSoFar(device);
    const unsigned value = device.conditionals.get(op.handle);
    std::size_t body = value;
    if (op.type != cudaGraphCondTypeSwitch)
      body = value ? 0 : op.type == cudaGraphCondTypeIf ? 1 : op.bodies.size();
    if (body >= op.bodies.size())
      break;
    endNs = runGraph(device, *op.bodies[body], endNs, streamId);
    if (op.type != cudaGraphCondTypeWhile)
      break;
  }
  return endNs;
}

void launchingConditionals(Device &device, CUgraph_st &graph) {
  for (const auto &node : graph.nodes)
    if (auto *op = std::get_if<ConditionalOp>(&node->op)) {
      device.conditionals.launching(op->handle);
      for (const auto &body : op->bodies)
        launchingConditionals(device, *body);
    }
}

bool mayBeBody(const CUgraph_st &graph) {
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const auto &node) {
    if (auto *child = std::get_if<ChildOp>(&node->op))
      return mayBeBody(*child->graph);
    if (auto *conditional = std::get_if<ConditionalOp>(&node->op))
      return std::all_of(conditional->bodies.begin(), conditional->bodies.end(),
                         [](const auto &body) { return mayBeBody(*body); });
    switch (node->type()) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeMemcpy:
      return true;
    default:
      return false;
    }
  });
}

} // namespace cudasim

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Making, editing, cloning and running graphs.

#include "Graph.h"

#include "Device.h"
#include "Event.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

using namespace cudasim;

CUgraphNode_st::CUgraphNode_st(Device &device, CUgraph_st &graph, Op op)
    : device(device), graph(&graph), id(device.nextId()), localId(graph.nextLocalId++),
      op(std::move(op)) {
  if (!graph.visible)
    return;
  device.nodes.insert(this);
  if (auto *child = std::get_if<ChildOp>(&this->op))
    device.childGraphs.insert(child->graph.get());
  if (auto *conditional = std::get_if<ConditionalOp>(&this->op))
    for (const auto &body : conditional->bodies)
      device.childGraphs.insert(body.get());
}

CUgraphNode_st::~CUgraphNode_st() {
  device.nodes.erase(this);
  if (auto *child = std::get_if<ChildOp>(&op))
    device.childGraphs.erase(child->graph.get());
  if (auto *conditional = std::get_if<ConditionalOp>(&op))
    for (const auto &body : conditional->bodies)
      device.childGraphs.erase(body.get());
}

CUgraph_st::CUgraph_st(Device &device, bool visible)
    : device(device), visible(visible), id(device.nextId()) {}

CUgraph_st::~CUgraph_st() = default;

CUgraphNode_st *CUgraph_st::append(Op op) {
  nodes.push_back(std::make_unique<CUgraphNode_st>(device, *this, std::move(op)));
  launchOrder.clear();
  return nodes.back().get();
}

bool CUgraph_st::hasMemoryNodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto &node) {
    if (auto *child = std::get_if<ChildOp>(&node->op))
      return child->graph->hasMemoryNodes();
    return node->type() == cudaGraphNodeTypeMemAlloc || node->type() == cudaGraphNodeTypeMemFree;
  });
}

bool CUgraph_st::hasUpdatableNodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto &node) {
    if (auto *child = std::get_if<ChildOp>(&node->op))
      return child->graph->hasUpdatableNodes();
    auto *kernel = std::get_if<KernelOp>(&node->op);
    return kernel && kernel->deviceUpdatable;
  });
}

bool CUgraph_st::hasConditionalNodes() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto &node) {
    if (auto *child = std::get_if<ChildOp>(&node->op))
      return child->graph->hasConditionalNodes();
    return node->type() == cudaGraphNodeTypeConditional;
  });
}

namespace cudasim {
namespace {

Edge *findEdge(std::vector<Edge> &edges, const CUgraphNode_st *node) {
  auto at = std::find_if(edges.begin(), edges.end(), [&](const Edge &e) { return e.node == node; });
  return at == edges.end() ? nullptr : &*at;
}

cudaGraphEdgeData dataAt(const cudaGraphEdgeData *edgeData, std::size_t i) {
  return edgeData ? edgeData[i] : cudaGraphEdgeData{};
}

// Moves the last edge to its place, as the driver does.
void eraseEdge(std::vector<Edge> &edges, const CUgraphNode_st *node) {
  const auto found =
      std::find_if(edges.begin(), edges.end(), [&](const Edge &edge) { return edge.node == node; });
  if (found == edges.end())
    return;
  *found = edges.back();
  edges.pop_back();
}

void connect(CUgraphNode_st *from, CUgraphNode_st *to, cudaGraphEdgeData data) {
  from->out.push_back({to, data});
  to->in.push_back({from, data});
  to->graph->launchOrder.clear();
}

// Copies an op: a child node gets its own copy of the graph, and an exec's conditional node gets
// its own bodies.
Op ownCopy(Device &device, const Op &op, bool visible) {
  if (auto *child = std::get_if<ChildOp>(&op))
    return ChildOp{copyGraph(device, *child->graph, visible)};
  if (auto *conditional = std::get_if<ConditionalOp>(&op)) {
    ConditionalOp copy = *conditional;
    copy.handles.clear();
    for (auto &body : copy.bodies)
      copy.handles.push_back((body = copyGraph(device, *body, visible)).get());
    return copy;
  }
  return op;
}

} // namespace

CUgraph_st *findGraph(Device &device, cudaGraph_t handle) {
  if (CUgraph_st *graph = device.graphs.get(handle))
    return graph->isUndefined ? nullptr : graph;
  return device.childGraphs.count(handle) ? handle : nullptr;
}

CUgraphNode_st *findNode(Device &device, cudaGraphNode_t handle) {
  return device.nodes.count(handle) ? handle : nullptr;
}

cudaError_t addNode(Device &, CUgraph_st &graph, const cudaGraphNode_t *dependencies,
                    const cudaGraphEdgeData *edgeData, std::size_t count, Op op,
                    CUgraphNode_st **node) {
  CUgraphNode_st *added = graph.append(std::move(op));
  for (std::size_t i = 0; i < count; ++i)
    connect(dependencies[i], added, dataAt(edgeData, i));
  *node = added;
  return cudaSuccess;
}

cudaError_t addNode(Device &device, cudaGraph_t handle, const cudaGraphNode_t *dependencies,
                    const cudaGraphEdgeData *edgeData, std::size_t count, Op op,
                    cudaGraphNode_t *node) {
  CUgraph_st *graph = findGraph(device, handle);
  if (!graph || !node || (count && !dependencies))
    return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (!findNode(device, dependencies[i]) || dependencies[i]->graph != graph)
      return cudaErrorInvalidValue;
    if (std::find(dependencies, dependencies + i, dependencies[i]) != dependencies + i)
      return cudaErrorInvalidValue;
    if (!mayConnect(dependencies[i]->type(), typeOf(op), dataAt(edgeData, i)))
      return cudaErrorInvalidValue;
  }
  if (auto *child = std::get_if<ChildOp>(&op)) {
    if (child->graph->isUnique())
      return cudaErrorNotSupported;
    op = ownCopy(device, op, graph->visible);
  }
  return addNode(device, *graph, dependencies, edgeData, count, std::move(op), node);
}

cudaError_t addDependencies(Device &device, cudaGraph_t handle, const cudaGraphNode_t *from,
                            const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                            std::size_t count) {
  CUgraph_st *graph = findGraph(device, handle);
  if (!graph || (count && (!from || !to)))
    return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (!findNode(device, from[i]) || !findNode(device, to[i]) || from[i]->graph != graph ||
        to[i]->graph != graph || from[i] == to[i] || findEdge(to[i]->in, from[i]) ||
        !mayConnect(from[i]->type(), to[i]->type(), dataAt(edgeData, i)))
      return cudaErrorInvalidValue;
  }
  for (std::size_t i = 0; i < count; ++i)
    connect(from[i], to[i], dataAt(edgeData, i));
  return cudaSuccess;
}

cudaError_t removeDependencies(Device &device, cudaGraph_t handle, const cudaGraphNode_t *from,
                               const cudaGraphNode_t *to, const cudaGraphEdgeData *,
                               std::size_t count) {
  CUgraph_st *graph = findGraph(device, handle);
  if (!graph || (count && (!from || !to)))
    return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < count; ++i) {
    if (!findNode(device, from[i]) || !findNode(device, to[i]))
      return cudaErrorInvalidValue;
    if (!findEdge(to[i]->in, from[i]))
      return cudaErrorInvalidValue;
  }
  for (std::size_t i = 0; i < count; ++i) {
    eraseEdge(from[i]->out, to[i]);
    eraseEdge(to[i]->in, from[i]);
  }
  graph->launchOrder.clear();
  return cudaSuccess;
}

cudaError_t destroyNode(Device &device, cudaGraphNode_t handle) {
  CUgraphNode_st *node = findNode(device, handle);
  if (!node)
    return cudaErrorInvalidValue;
  CUgraph_st &graph = *node->graph;
  const auto *kernel = std::get_if<KernelOp>(&node->op);
  if (graph.hasMemoryNodes() || (kernel && kernel->deviceUpdatable))
    return cudaErrorNotSupported;
  for (const Edge &edge : node->in)
    eraseEdge(edge.node->out, node);
  for (const Edge &edge : node->out)
    eraseEdge(edge.node->in, node);
  for (const auto &capture : device.captures)
    for (CUstream_st *stream : capture->streams)
      stream->frontier.forget(node);
  device.events.forEach([&](CUevent_st &event) { event.frontier.forget(node); });
  graph.launchOrder.clear();
  std::erase_if(graph.nodes, [&](const auto &owned) { return owned.get() == node; });
  return cudaSuccess;
}

cudaError_t graphCreate(Device &device, cudaGraph_t *graph, unsigned flags) {
  if (!graph || flags)
    return cudaErrorInvalidValue;
  *graph = device.graphs.add(std::shared_ptr<CUgraph_st>(new CUgraph_st(device, true)));
  return cudaSuccess;
}

cudaError_t graphDestroy(Device &device, cudaGraph_t graph) {
  return device.graphs.remove(graph) ? cudaSuccess : cudaErrorInvalidValue;
}

std::shared_ptr<CUgraph_st> copyGraph(Device &device, const CUgraph_st &original, bool visible) {
  auto copy = std::shared_ptr<CUgraph_st>(new CUgraph_st(device, visible));
  copy->clonedFrom = original.id;
  copy->isBody = original.isBody;
  copy->userObjects = original.userObjects;
  std::unordered_map<const CUgraphNode_st *, CUgraphNode_st *> copies;
  for (const auto &node : original.nodes) {
    CUgraphNode_st *made = copy->append(ownCopy(device, node->op, visible));
    made->clonedFrom = node->id;
    made->enabled = node->enabled;
    made->context = node->context;
    copies[node.get()] = made;
  }
  for (const auto &node : original.nodes)
    for (const Edge &edge : node->in)
      connect(copies[edge.node], copies[node.get()], edge.data);
  return copy;
}

cudaError_t graphClone(Device &device, cudaGraph_t *clone, cudaGraph_t handle) {
  CUgraph_st *original = findGraph(device, handle);
  if (!original || !clone)
    return cudaErrorInvalidValue;
  if (original->isUnique() || original->isBody)
    return cudaErrorNotSupported;
  *clone = device.graphs.add(copyGraph(device, *original, true));
  return cudaSuccess;
}

cudaError_t findInClone(Device &device, cudaGraphNode_t *node, cudaGraphNode_t originalHandle,
                        cudaGraph_t cloneHandle) {
  CUgraphNode_st *original = findNode(device, originalHandle);
  CUgraph_st *clone = findGraph(device, cloneHandle);
  if (!original || !clone || !node || clone->clonedFrom != original->graph->id)
    return cudaErrorInvalidValue;
  for (const auto &candidate : clone->nodes)
    if (candidate->clonedFrom == original->id) {
      *node = candidate.get();
      return cudaSuccess;
    }
  return cudaErrorInvalidValue;
}

const std::vector<CUgraphNode_st *> &launchOrder(CUgraph_st &graph) {
  if (!graph.launchOrder.empty() || graph.nodes.empty())
    return graph.launchOrder;
  std::unordered_map<const CUgraphNode_st *, std::size_t> missing;
  for (const auto &node : graph.nodes)
    missing[node.get()] = node->in.size();
  // In nearly every graph the creation order is valid, so this loop ends after one round.
  std::vector<CUgraphNode_st *> order;
  for (bool progress = true; progress && order.size() < graph.nodes.size();) {
    progress = false;
    for (const auto &node : graph.nodes) {
      std::size_t &count = missing[node.get()];
      if (count != 0)
        continue;
      count = ~std::size_t{0}; // placed
      order.push_back(node.get());
      progress = true;
      for (const Edge &edge : node->out)
        --missing[edge.node];
    }
  }
  if (order.size() == graph.nodes.size())
    graph.launchOrder = std::move(order);
  return graph.launchOrder;
}

static OpStart startOf(const Device &device, const CUgraphNode_st &node, std::uint64_t graphNs) {
  OpStart start = OpStart::at(graphNs);
  const std::uint64_t gapNs = node.type() == cudaGraphNodeTypeKernel ? device.launchGapNs : 0;
  for (const Edge &edge : node.in) {
    const OpTimes &source = edge.node->times;
    const bool waitsForEnd = edge.data.from_port == cudaGraphKernelNodePortDefault;
    start.beginNs = std::max(start.beginNs, source.at(edge.data) + (waitsForEnd ? gapNs : 0));
    if (edge.data.type == cudaGraphDependencyTypeProgrammatic)
      start.completedNs = std::max(start.completedNs, source.endNs);
  }
  start.completedNs = std::max(start.completedNs, start.beginNs);
  return start;
}

std::uint64_t runGraph(Device &device, CUgraph_st &graph, std::uint64_t startNs,
                       unsigned long long streamId) {
  std::uint64_t endNs = startNs;
  for (CUgraphNode_st *node : launchOrder(graph)) {
    const OpStart start = startOf(device, *node, startNs);
    node->times = node->enabled ? execute(device, node->op, start, streamId)
                                : OpTimes::allAt(start.completedNs);
    endNs = std::max(endNs, node->times.endNs);
  }
  return endNs;
}

} // namespace cudasim

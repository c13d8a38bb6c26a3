// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/InPlace.h"

#include <algorithm>
#include <unordered_set>

#include "clock/StampLayout.h"
#include "cuda/Driver.h"
#include "graph/topology/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Sorts the nodes by creation. An update of an exec pairs nodes by the order of their edges, so
// that order must be the same in every capture of the same work.
Nodes byCreation(const Shape &shape, Nodes nodes) {
  std::sort(nodes.begin(), nodes.end(), [&](driver::Node one, driver::Node other) {
    return shape.createdAt(one) < shape.createdAt(other);
  });
  return nodes;
}

// The nodes that wait for all nodes of `frontier`.
Nodes waitingForAll(const Shape &shape, const Nodes &frontier) {
  Nodes found;
  if (frontier.empty())
    return found;
  for (const driver::Node node : shape.after(frontier.front())) {
    const auto before = shape.before(node);
    if (std::all_of(frontier.begin(), frontier.end(), [&](driver::Node one) {
          return std::find(before.begin(), before.end(), one) != before.end();
        }))
      found.push_back(node);
  }
  return found;
}

// A driver that does not know the attribute has no such nodes.
bool isDeviceUpdatable(driver::Node kernel) {
  driver::LaunchAttributeValue value{};
  return ok(cu().graphKernelNodeGetAttribute(kernel, driver::deviceUpdatableKernelNode, &value)) &&
         value.deviceUpdatableKernelNode.deviceUpdatable != 0;
}

// Whether `is` says so of the node, or of one in the graph of a child node.
bool isAnyInside(driver::Node node, driver::NodeType type,
                 bool (*is)(driver::Node, driver::NodeType)) {
  if (type != driver::NodeType::Graph)
    return is(node, type);
  driver::Graph child = nullptr;
  if (!ok(cu().graphChildGraphNodeGetGraph(node, &child)))
    return false;
  const Nodes inside = nodesOf(child).value_or(Nodes());
  return std::any_of(inside.begin(), inside.end(), [is](driver::Node inner) {
    driver::NodeType innerType{};
    return ok(cu().graphNodeGetType(inner, &innerType)) && isAnyInside(inner, innerType, is);
  });
}

bool isAnyIn(const Shape &shape, bool (*is)(driver::Node, driver::NodeType)) {
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    if (const auto type = shape.typeOf(place);
        type && isAnyInside(shape.created()[place], *type, is))
      return true;
  return false;
}

bool isOfMemoryOrConditional(driver::Node /*node*/, driver::NodeType type) {
  return type == driver::NodeType::MemAlloc || type == driver::NodeType::MemFree ||
         type == driver::NodeType::Conditional;
}

bool cannotBeCloned(driver::Node node, driver::NodeType type) {
  return type == driver::NodeType::Kernel ? isDeviceUpdatable(node)
                                          : isOfMemoryOrConditional(node, type);
}

struct NewEdges {
  Nodes from, to;

  void add(driver::Node source, driver::Node target) {
    from.push_back(source);
    to.push_back(target);
  }
  [[nodiscard]] bool into(driver::Graph graph) const {
    const std::vector<driver::EdgeData> whole(from.size(), driver::EdgeData{});
    return from.empty() ||
           ok(cu().graphAddDependencies(graph, from.data(), to.data(), whole.data(), from.size()));
  }
};

} // namespace

bool isUnique(const Shape &shape) { return isAnyIn(shape, cannotBeCloned); }

bool isUnique(driver::Node node) {
  driver::NodeType type{};
  return ok(cu().graphNodeGetType(node, &type)) && isAnyInside(node, type, cannotBeCloned);
}

bool keepsNodes(const Shape &shape) { return isAnyIn(shape, isOfMemoryOrConditional); }

Nodes addLeaves(GraphClock &clock, Device &device, const Shape &shape,
                const JaggedArray<std::size_t> &boundaries, driver::Graph graph,
                const std::function<driver::Node(driver::Node)> &twinOf) {
  Nodes timing;
  const auto undone = [&timing] {
    for (auto node = timing.rbegin(); node != timing.rend(); ++node)
      cu().graphDestroyNode(*node); // newest first, so that none waits for a removed one
    return Nodes();
  };
  NewEdges edges;
  Nodes frontier, behind;
  for (std::size_t boundary = 0; boundary < boundaries.size(); ++boundary) {
    frontier.clear();
    behind.clear();
    for (const std::size_t place : boundaries[boundary]) {
      frontier.push_back(shape.created()[place]);
      behind.push_back(twinOf(frontier.back()));
    }
    const unsigned threads = boundary + 1 == boundaries.size() ? stampThreads : 1; // may copy
    const driver::Node made = timing.empty() ? clock.addRoot(device, graph, 1)
                                             : clock.addBoundary(device, graph, behind, threads);
    if (!made)
      return undone();
    timing.push_back(made);
    if (clock.blocksFollowers())
      for (const driver::Node next : waitingForAll(shape, frontier))
        edges.add(made, twinOf(next));
  }
  for (const driver::Node node : shape.order())
    if (shape.before(node).empty())
      edges.add(timing.front(), twinOf(node));
  return edges.into(graph) ? timing : undone();
}

bool linkTiming(driver::Graph graph, std::span<const driver::Node> timing,
                std::span<const Nodes> frontiers, bool blocksFollowers) {
  const Shape shape(graph); // including the timing nodes
  if (!shape.known())
    return false;
  const std::unordered_set<driver::Node> ours(timing.begin(), timing.end());
  NewEdges edges;
  for (const driver::Node node : shape.created())
    if (shape.before(node).empty() && !ours.contains(node))
      edges.add(timing.front(), node);
  for (std::size_t k = 1; k < timing.size(); ++k) {
    const Nodes frontier = byCreation(shape, frontiers[k]);
    for (const driver::Node node : frontier)
      edges.add(node, timing[k]);
    if (!blocksFollowers)
      continue;
    for (const driver::Node next : waitingForAll(shape, frontier))
      if (!ours.contains(next) && shape.createdAt(next) > shape.createdAt(timing[k]))
        edges.add(timing[k], next);
  }
  return edges.into(graph);
}

} // namespace graphprof

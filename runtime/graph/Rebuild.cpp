// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Rebuild.h"

#include <algorithm>

#include "cuda/Driver.h"
#include "graph/NodeCopy.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether the target waits for the whole of the source: not so where a kernel says itself when the
// next one may begin.
bool isWhole(const driver::EdgeData &edge) {
  return edge.fromPort == 0 && edge.toPort == 0 && edge.type == 0;
}

bool contains(std::span<const driver::Node> nodes, driver::Node node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

} // namespace

Rebuild::Rebuild(GraphClock &clock, const Shape &shape, const std::vector<Nodes> &boundaries,
                 const Children &children, driver::Graph graph)
    : clock_(clock), shape_(shape), boundaries_(boundaries), children_(children), graph_(graph),
      behind_(shape.created().size()), first_(shape.created().size()),
      at_(shape.created().size(), SideChain::begin()), source_(shape.created().size(), false),
      timingSource_(boundaries.size(), false) {
  timing_.reserve(boundaries.size());
  twins_.reserve(shape.created().size());
  for (std::uint32_t boundary = 1; boundary < boundaries.size(); ++boundary) {
    const Nodes &nodes = boundaries[boundary];
    std::size_t last = 0;
    for (const driver::Node node : nodes)
      last = std::max(last, shape.createdAt(node));
    behind_[last].push_back(boundary);
    first_[shape.createdAt(nodes.front())].push_back(boundary);
  }
}

bool Rebuild::run() {
  root_ = clock_.addRoot(graph_);
  timing_.push_back(root_ ? clock_.addFirst(graph_, root_) : nullptr);
  if (!timing_.front())
    return false;
  for (std::size_t number = 0; number < shape_.created().size(); ++number) {
    const std::vector<std::uint32_t> &behind = behind_[number];
    if (!addNode(number) || !std::all_of(behind.begin(), behind.end(),
                                         [this](std::uint32_t next) { return addBoundary(next); }))
      return false;
  }
  return addLateEdges();
}

std::vector<std::uint32_t> Rebuild::allBefore(driver::Node node) const {
  const auto before = shape_.before(node);
  std::vector<std::uint32_t> found;
  for (const driver::Node from : before)
    for (const std::uint32_t boundary : first_[shape_.createdAt(from)])
      if (const Nodes &all = boundaries_[boundary];
          boundary < timing_.size() &&
          std::all_of(
              all.begin(), all.end(), [&](driver::Node other) { return contains(before, other); }))
        found.push_back(boundary);
  return found;
}

driver::Node Rebuild::made(std::size_t number, const Nodes &behind) const {
  const driver::Node node = shape_.created()[number];
  const auto child = children_.find(node);
  if (child == children_.end())
    return copyOf(node, graph_, behind);
  driver::Node twin = nullptr;
  return ok(cu().graphAddChildGraphNode(&twin, graph_, behind.data(), behind.size(), child->second))
             ? twin
             : nullptr;
}

// Where a clock's boundaries hold up what comes behind them, they take the place of the edges
// around them.
bool Rebuild::addNode(std::size_t number) {
  const driver::Node node = shape_.created()[number];
  const auto before = shape_.before(node);
  const auto edges = shape_.edgesTo(node);
  const bool whole = std::all_of(edges.begin(), edges.end(), isWhole);
  Nodes dependencies, covered;
  if (before.empty()) {
    dependencies.push_back(root_);
    timingSource_[0] = timingSource_[0] || root_ == timing_[0];
  }
  for (const std::uint32_t boundary : allBefore(node)) {
    const Nodes &frontier = boundaries_[boundary];
    if (!clock_.holdsUp()) {
      at_[number] = chain_.join(at_[number], chain_.behind(boundary));
    } else if (whole) {
      dependencies.push_back(timing_[boundary]);
      timingSource_[boundary] = true;
      covered.insert(covered.end(), frontier.begin(), frontier.end());
    }
  }

  Nodes sources; // of edges that no node can be added with
  std::vector<driver::EdgeData> data;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t from = shape_.createdAt(before[i]);
    source_[from] = true;
    if (from >= number) {
      late_.push_back({from, number, edges[i]});
      continue;
    }
    at_[number] = chain_.join(at_[number], at_[from]);
    if (contains(covered, before[i]))
      continue;
    if (whole) {
      dependencies.push_back(twins_[from]);
    } else {
      sources.push_back(twins_[from]);
      data.push_back(edges[i]);
    }
  }
  driver::Node twin = made(number, dependencies);
  if (!twin)
    return false;
  twins_.push_back(twin);
  const Nodes targets(sources.size(), twin);
  return sources.empty() || ok(cu().graphAddDependencies(graph_, sources.data(), targets.data(),
                                                         data.data(), sources.size()));
}

bool Rebuild::addBoundary(std::uint32_t boundary) {
  const Nodes &frontier = boundaries_[boundary];
  Nodes dependencies;
  SideChain::Front previous = SideChain::begin();
  for (const driver::Node node : frontier) {
    const std::size_t number = shape_.createdAt(node);
    dependencies.push_back(twins_[number]);
    source_[number] = true;
    previous = chain_.join(previous, at_[number]);
  }
  if (!clock_.holdsUp()) { // else what it waits for has waited for the one before
    for (const std::uint32_t before : chain_.boundaries(previous)) {
      dependencies.push_back(timing_[before]);
      timingSource_[before] = true;
    }
  }
  const driver::Node node = clock_.addBoundary(graph_, dependencies);
  if (!node)
    return false;
  timing_.push_back(node);
  chain_.add(previous);
  if (frontier.size() == 1)
    at_[shape_.createdAt(frontier.front())] = chain_.behind(boundary);
  return true;
}

bool Rebuild::addLateEdges() {
  Nodes from, to;
  std::vector<driver::EdgeData> data;
  for (const LateEdge &edge : late_) {
    from.push_back(twins_[edge.from]);
    to.push_back(twins_[edge.to]);
    data.push_back(edge.data);
  }
  return late_.empty() ||
         ok(cu().graphAddDependencies(graph_, from.data(), to.data(), data.data(), late_.size()));
}

Nodes Rebuild::sinks() const {
  Nodes found;
  for (std::size_t i = 0; i < twins_.size(); ++i)
    if (!source_[i])
      found.push_back(twins_[i]);
  for (std::size_t i = 0; i < timing_.size(); ++i)
    if (!timingSource_[i])
      found.push_back(timing_[i]);
  return found;
}

} // namespace graphprof

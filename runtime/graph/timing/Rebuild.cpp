// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Rebuild.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/topology/NodeCopy.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether the target waits for the whole of the source: not so where a kernel says itself when the
// next one may begin.
bool isWhole(const driver::EdgeData &edge) {
  return edge.fromPort == 0 && edge.toPort == 0 && edge.type == 0;
}

bool contains(std::span<const std::size_t> places, std::size_t place) {
  return std::find(places.begin(), places.end(), place) != places.end();
}

} // namespace

Rebuild::Rebuild(GraphClock &clock, Device &device, const Shape &shape,
                 const JaggedArray<std::size_t> &boundaries, const Children &children,
                 driver::Graph graph)
    : clock_(clock), device_(device), shape_(shape), boundaries_(boundaries), children_(children),
      graph_(graph), first_(shape.created().size(), 0), next_(boundaries.size(), 0),
      at_(shape.created().size(), SideChain::begin()), source_(shape.created().size(), false),
      timingSource_(boundaries.size(), false) {
  timing_.reserve(boundaries.size());
  twins_.reserve(shape.created().size());
  for (auto boundary = static_cast<std::uint32_t>(boundaries.size()) - 1; boundary > 0; --boundary)
    next_[boundary] = std::exchange(first_[boundaries[boundary].front()], boundary);
}

bool Rebuild::run() {
  root_ = clock_.addRoot(device_, graph_);
  timing_.push_back(root_ ? clock_.addFirst(device_, graph_, root_) : nullptr);
  if (!timing_.front())
    return false;
  for (std::size_t place = 0; place < shape_.created().size(); ++place) {
    if (!addNode(place))
      return false;
    // They are numbered in the order of their last nodes.
    while (timing_.size() < boundaries_.size() && boundaries_[timing_.size()].back() == place)
      if (!addBoundary())
        return false;
  }
  return addLateEdges();
}

template <class Use> void Rebuild::forAllBefore(std::size_t place, Use use) const {
  const auto before = shape_.placesBefore(place);
  for (const std::size_t from : before)
    for (std::uint32_t boundary = first_[from]; boundary != 0; boundary = next_[boundary])
      if (boundary < timing_.size() &&
          std::ranges::all_of(
              boundaries_[boundary], [&](std::size_t other) { return contains(before, other); }))
        use(boundary);
}

driver::Node Rebuild::made(std::size_t place, const Nodes &behind) const {
  const driver::Node node = shape_.created()[place];
  const auto child = children_.find(node);
  if (child == children_.end()) {
    const auto type = shape_.typeOf(place);
    return type ? copyOf(node, *type, graph_, behind) : nullptr;
  }
  driver::Node twin = nullptr;
  return ok(cu().graphAddChildGraphNode(&twin, graph_, behind.data(), behind.size(), child->second))
             ? twin
             : nullptr;
}

// Where a clock's boundaries hold up what comes behind them, they take the place of the edges
// around them.
bool Rebuild::addNode(std::size_t place) {
  const auto before = shape_.placesBefore(place);
  const auto edges = shape_.edgesTo(place);
  const bool whole = std::all_of(edges.begin(), edges.end(), isWhole);
  std::vector<std::size_t> covered;
  dependencies_.clear();
  if (before.empty()) {
    dependencies_.push_back(root_);
    timingSource_[0] = timingSource_[0] || root_ == timing_[0];
  }
  forAllBefore(place, [&](std::uint32_t boundary) {
    if (!clock_.holdsUp()) {
      at_[place] = chain_.join(at_[place], chain_.behind(boundary));
    } else if (whole) {
      const auto frontier = boundaries_[boundary];
      dependencies_.push_back(timing_[boundary]);
      timingSource_[boundary] = true;
      covered.insert(covered.end(), frontier.begin(), frontier.end());
    }
  });

  Nodes sources; // of edges that no node can be added with
  std::vector<driver::EdgeData> data;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t from = before[i];
    source_[from] = true;
    if (from >= place) {
      late_.push_back({from, place, edges[i]});
      continue;
    }
    at_[place] = chain_.join(at_[place], at_[from]);
    if (contains(covered, from))
      continue;
    if (whole) {
      dependencies_.push_back(twins_[from]);
    } else {
      sources.push_back(twins_[from]);
      data.push_back(edges[i]);
    }
  }
  driver::Node twin = made(place, dependencies_);
  if (!twin)
    return false;
  twins_.push_back(twin);
  const Nodes targets(sources.size(), twin);
  return sources.empty() || ok(cu().graphAddDependencies(graph_, sources.data(), targets.data(),
                                                         data.data(), sources.size()));
}

bool Rebuild::addBoundary() {
  const auto boundary = static_cast<std::uint32_t>(timing_.size());
  const auto frontier = boundaries_[boundary];
  SideChain::Front previous = SideChain::begin();
  dependencies_.clear();
  for (const std::size_t place : frontier) {
    dependencies_.push_back(twins_[place]);
    source_[place] = true;
    previous = chain_.join(previous, at_[place]);
  }
  if (!clock_.holdsUp()) { // else what it waits for has waited for the one before
    for (const std::uint32_t before : chain_.boundaries(previous)) {
      dependencies_.push_back(timing_[before]);
      timingSource_[before] = true;
    }
  }
  const driver::Node node = clock_.addBoundary(device_, graph_, dependencies_);
  if (!node)
    return false;
  timing_.push_back(node);
  chain_.add(previous);
  if (frontier.size() == 1)
    at_[frontier.front()] = chain_.behind(boundary);
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

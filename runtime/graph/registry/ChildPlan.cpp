// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/ChildPlan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cuda/Driver.h"
#include "graph/registry/TimedGraph.h"
#include "graph/timing/InPlace.h"
#include "graph/topology/Nodes.h"
#include "graph/topology/Shape.h"

namespace graphprof {

using driver::cu;
using driver::ok;

bool TimedChild::isThere() const {
  driver::Graph held = nullptr;
  if (!ok(cu().graphChildGraphNodeGetGraph(holder, &held)))
    return false;
  const Nodes nodes = nodesOf(held).value_or(Nodes());
  return std::find(nodes.begin(), nodes.end(), first) != nodes.end();
}

std::shared_ptr<const ChildPlan> ChildPlan::of(const TimedGraph &child) {
  const driver::Node others[] = {child.root, child.final};
  const RebuiltGraph *const rebuilt = child.rebuilt();
  return rebuilt ? read(rebuilt->graph, child.timingNodes(), others) : nullptr;
}

namespace {

// The nodes before a timing node's boundary: those that it waits for or, on the launch completion
// of a kernel, those that the kernel waits for.
Nodes behindOf(driver::Node timing, const Shape &shape) {
  Nodes behind;
  const auto before = shape.before(timing);
  const auto edges = shape.edgesTo(shape.createdAt(timing));
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool isAtLaunch = edges[i].fromPort == driver::portLaunchOrder;
    const auto nodes = isAtLaunch ? shape.before(before[i]) : before.subspan(i, 1);
    behind.insert(behind.end(), nodes.begin(), nodes.end());
  }
  return behind;
}

} // namespace

// The profiled graph contains the program's nodes in the order in which they were created, and each
// timing node tells which of them come before its boundary.
std::shared_ptr<const ChildPlan> ChildPlan::read(driver::Graph graph, const TimingNodes &timing,
                                                 std::span<const driver::Node> others) {
  const Shape shape(graph);
  std::unordered_set<driver::Node> ours(timing.own.begin(), timing.own.end());
  ours.insert(others.begin(), others.end());
  if (!shape.known() || !std::all_of(timing.own.begin(), timing.own.end(),
                                     [&](driver::Node node) { return shape.has(node); }))
    return nullptr;
  std::unordered_map<driver::Node, std::size_t> places;
  for (const driver::Node node : shape.created())
    if (!ours.contains(node))
      places.emplace(node, places.size());
  auto plan = std::make_shared<ChildPlan>();
  plan->nodes_ = places.size();
  std::vector<std::size_t> behind;
  for (const driver::Node boundary : timing.own) {
    behind.clear();
    for (const driver::Node node : behindOf(boundary, shape))
      if (const auto place = places.find(node); place != places.end())
        behind.push_back(place->second);
    std::sort(behind.begin(), behind.end());
    plan->behind_.add(behind);
  }
  for (const TimingNodes &child : timing.children) {
    const auto place = places.find(child.holder);
    driver::Graph held = nullptr;
    auto inner = place != places.end() && ok(cu().graphChildGraphNodeGetGraph(child.holder, &held))
                     ? read(held, child, {})
                     : nullptr;
    if (!inner)
      return nullptr;
    plan->inner_.push_back({place->second, child.depth, child.structure, std::move(inner)});
  }
  return plan;
}

std::optional<TimingNodes> ChildPlan::addTo(GraphClock &clock, Device &device,
                                            driver::Graph held) const {
  const Shape shape(held);
  if (!shape.known() || shape.created().size() != nodes_)
    return std::nullopt;
  TimingNodes timing;
  timing.own =
      addLeaves(clock, device, shape, behind_, held, [](driver::Node node) { return node; });
  if (timing.own.empty())
    return std::nullopt;
  for (const Inner &inner : inner_) {
    const driver::Node holder = shape.created()[inner.place];
    driver::Graph innerHeld = nullptr;
    auto added = ok(cu().graphChildGraphNodeGetGraph(holder, &innerHeld))
                     ? inner.plan->addTo(clock, device, innerHeld)
                     : std::nullopt;
    if (!added) {
      removeLeaves(timing);
      return std::nullopt;
    }
    added->setHolder(holder, inner.depth, inner.structure);
    timing.children.push_back(std::move(*added));
  }
  return timing;
}

std::vector<TimedChild> ChildPlan::listed(const std::shared_ptr<const ChildPlan> &plan,
                                          const TimingNodes &timing, std::uint32_t first) {
  std::vector<TimedChild> found = {{timing.holder,
                                    {},
                                    {first, timing.size(), timing.depth, timing.structure},
                                    plan,
                                    timing.own.front()}};
  first += static_cast<std::uint32_t>(timing.own.size());
  for (std::size_t i = 0; i < timing.children.size(); ++i) {
    for (TimedChild &inner : listed(plan->inner_[i].plan, timing.children[i], first)) {
      inner.range.depth += timing.depth;
      found.push_back(std::move(inner));
    }
    first += timing.children[i].size();
  }
  return found;
}

void removeLeaves(const TimingNodes &timing) {
  for (auto child = timing.children.rbegin(); child != timing.children.rend(); ++child)
    removeLeaves(*child);
  for (auto node = timing.own.rbegin(); node != timing.own.rend(); ++node)
    cu().graphDestroyNode(*node);
}

} // namespace graphprof

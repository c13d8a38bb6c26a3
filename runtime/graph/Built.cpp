// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Built.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_set>

#include "cuda/Driver.h"
#include "graph/Children.h"
#include "graph/Marker.h"
#include "graph/Nodes.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// A region begins where the first of its nodes could.
Nodes beginOf(const Nodes &region, const Shape &shape) {
  return frontier(shape.before(region.front()));
}

// It ends when those of its nodes have ended that no other of them waits for.
Nodes endOf(const Nodes &region, const Shape &shape) {
  const std::unordered_set<driver::Node> own(region.begin(), region.end());
  Nodes last;
  for (const driver::Node node : region) {
    const Nodes &next = shape.after(node);
    if (std::none_of(next.begin(), next.end(),
                     [&](driver::Node other) { return own.contains(other); }))
      last.push_back(node);
  }
  return frontier(std::move(last));
}

} // namespace

std::uint64_t Built::now() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

void Built::add(const BuildingScope &scope, int depth, driver::Node node) {
  Session &session = Session::instance();
  const std::lock_guard lock(mutex_);
  if (!device_)
    device_ = Device::current();
  const auto found = std::find_if(parts_.rbegin(), parts_.rend(), [&](const Part &part) {
    return part.scope.began == scope.began;
  });
  if (found != parts_.rend()) {
    found->nodes.push_back(node);
    return;
  }
  if (parts_.size() >= session.config().maxRegions) {
    session.counters.notMarked += refused_ != scope.began ? 1 : 0;
    refused_ = scope.began;
    return;
  }
  parts_.push_back({scope, session.nameOf(*scope.site, scope.context), depth, {node}});
}

void Built::remove(driver::Node node) {
  const std::lock_guard lock(mutex_);
  for (Part &part : parts_)
    std::erase(part.nodes, node);
}

Device *Built::device() const {
  const std::lock_guard lock(mutex_);
  return device_;
}

bool Built::hasRegions() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part &part) { return !part.nodes.empty(); });
}

std::size_t Built::unused() const {
  const std::lock_guard lock(mutex_);
  return used_ ? 0 : parts_.size();
}

std::size_t Built::regionCount() const {
  const std::lock_guard lock(mutex_);
  return parts_.size();
}

// The innermost region of each node.
Owners Built::ownersOf(const std::vector<Part> &parts) {
  Owners owners;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const driver::Node node : parts[i].nodes) {
      const auto [owner, isFirst] = owners.try_emplace(node, i);
      if (!isFirst && parts[i].depth >= parts[owner->second].depth)
        owner->second = i;
    }
  return owners;
}

// What was destroyed unseen is no part of the graph any more.
std::vector<Built::Part> Built::partsIn(const Shape &shape) const {
  std::vector<Part> parts = parts_;
  const std::unordered_set<driver::Node> there(shape.order().begin(), shape.order().end());
  for (Part &part : parts)
    std::erase_if(part.nodes, [&](driver::Node node) { return !there.contains(node); });
  std::erase_if(parts, [](const Part &part) { return part.nodes.empty(); });
  return parts;
}

bool Built::mark(GraphClock &clock, const Shape &shape, const std::vector<Part> &parts,
                 const TimedNodes *nodes, Registry::Profile &profile) {
  Marker marker(clock, shape, profile);
  if (!marker.addRoot())
    return false;
  for (const Part &part : parts) {
    marker.want(beginOf(part.nodes, shape));
    marker.want(endOf(part.nodes, shape));
  }
  if (nodes)
    nodes->want(marker);
  if (!marker.addLeaves())
    return false;
  for (const Part &part : parts)
    profile.regions.push_back({part.scope.site,
                               part.scope.context,
                               part.name,
                               part.depth,
                               marker.indexOf(beginOf(part.nodes, shape)),
                               marker.indexOf(endOf(part.nodes, shape)),
                               Kind::Region,
                               nullptr,
                               {}});
  if (nodes)
    profile.regions = nodes->among(std::move(profile.regions), ownersOf(parts), marker);
  return true;
}

std::shared_ptr<Registry> Built::profile(GraphClock &clock, driver::Graph graph,
                                         std::span<const ChildUse> uses, std::string &why) {
  const bool nodeMode = Session::instance().config().nodes;
  const std::lock_guard lock(mutex_);
  used_ = true;
  const Shape shape(graph);
  const std::vector<Part> parts = partsIn(shape);
  std::optional<TimedNodes> nodes;
  if (nodeMode && shape.known())
    nodes.emplace(TimedNodes::beside(parts.size(), shape));
  if (shape.known() && parts.empty() && (!nodes || nodes->empty()) && uses.empty())
    return nullptr;

  Registry::Profile profile;
  if (!ok(cu().graphClone(&profile.graph, graph))) {
    why = "the driver refused to clone it: a graph with memory or conditional nodes is timed only "
          "where it, or a conditional node's body, was captured with regions";
    return nullptr;
  }
  const bool marked = shape.known() && findTwins(shape.order(), profile.graph, profile.twins) &&
                      mark(clock, shape, parts, nodes ? &*nodes : nullptr, profile);
  const Nodes own = profile.timing;
  const bool whole = marked && embedChildren(profile, uses, clock);
  const auto sinks = whole ? sinksOf(profile.graph) : std::nullopt;
  if (!sinks || !clock.finish(profile.graph, own, *sinks, profile.final)) {
    cu().graphDestroy(profile.graph);
    why = "the driver refused a timing node";
    return nullptr;
  }
  auto registry = std::make_shared<Registry>(clock, std::move(profile));
  if (registry->usable())
    return registry;
  why = "the driver does not say how its clone is built";
  return nullptr;
}

std::shared_ptr<Registry> Built::markInPlace(GraphClock &clock, driver::Graph graph,
                                             std::string &why) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  Registry::Profile profile;
  profile.graph = graph;
  const Shape shape(graph);
  for (const driver::Node node : shape.order())
    profile.twins.emplace(node, node);
  if (shape.known() && mark(clock, shape, partsIn(shape), nullptr, profile))
    return std::make_shared<Registry>(clock, std::move(profile), Registry::InPlace());
  for (auto node = profile.timing.rbegin(); node != profile.timing.rend(); ++node)
    cu().graphDestroyNode(*node); // the last of what waits for a node first: then nothing moves
  why = "the driver refused a timing node";
  return nullptr;
}

std::shared_ptr<Built> Built::cloned(driver::Graph clone) const {
  auto other = std::make_shared<Built>();
  const std::lock_guard lock(mutex_);
  other->parts_ = parts_;
  other->device_ = device_;
  for (Part &part : other->parts_)
    for (driver::Node &node : part.nodes) {
      driver::Node twin = nullptr;
      if (!ok(cu().graphNodeFindInClone(&twin, node, clone)))
        return nullptr;
      node = twin;
    }
  return other;
}

} // namespace graphprof

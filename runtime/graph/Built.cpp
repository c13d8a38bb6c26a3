// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Built.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "cuda/Driver.h"
#include "graph/Nodes.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

using Nodes = std::vector<driver::Node>;

// A graph's nodes and edges, in an order in which each node comes behind those that it waits for.
struct Shape {
  bool known = false; // the driver told
  Nodes order;
  std::unordered_map<driver::Node, Nodes> before, after;

  explicit Shape(driver::Graph graph) {
    const auto edges = edgesOf(graph);
    const auto nodes = nodesOf(graph);
    if (!edges || !nodes)
      return;
    known = true;
    std::unordered_map<driver::Node, std::size_t> waiting;
    for (std::size_t i = 0; i < edges->from.size(); ++i) {
      before[edges->to[i]].push_back(edges->from[i]);
      after[edges->from[i]].push_back(edges->to[i]);
      ++waiting[edges->to[i]];
    }
    for (const driver::Node node : *nodes)
      if (!before.contains(node))
        order.push_back(node);
    for (std::size_t next = 0; next < order.size(); ++next)
      for (const driver::Node node : after[order[next]])
        if (--waiting[node] == 0)
          order.push_back(node);
  }
};

// Where a region begins or ends: behind these nodes, all of which are in the graph. None: at the
// beginning of the replay.
Nodes frontier(Nodes nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// A region begins where the first of its nodes could.
Nodes beginOf(const Nodes &region, Shape &shape) { return frontier(shape.before[region.front()]); }

// It ends when those of its nodes have ended that no other of them waits for.
Nodes endOf(const Nodes &region, Shape &shape) {
  const std::unordered_set<driver::Node> own(region.begin(), region.end());
  Nodes last;
  for (const driver::Node node : region) {
    const Nodes &next = shape.after[node];
    if (std::none_of(next.begin(), next.end(),
                     [&](driver::Node other) { return own.contains(other); }))
      last.push_back(node);
  }
  return frontier(std::move(last));
}

// Adds the timing nodes to a clone.
class Marker {
public:
  Marker(GraphClock &clock, Shape &shape, Registry::Profile &into)
      : clock_(clock), shape_(shape), into_(into) {}

  // The replay begins with the root: everything waits for it.
  bool root() {
    const driver::Node root = clock_.addRoot(into_.graph);
    if (!root)
      return false;
    into_.timing.push_back(root);
    const driver::EdgeData whole{};
    return std::all_of(shape_.order.begin(), shape_.order.end(), [&](driver::Node node) {
      const driver::Node twin = into_.twins.at(node);
      return !shape_.before[node].empty() ||
             ok(cu().graphAddDependencies(into_.graph, &root, &twin, &whole, 1));
    });
  }

  void want(const Nodes &behind) {
    if (!behind.empty())
      index_.emplace(behind, Region::unfinished);
  }
  [[nodiscard]] std::uint32_t indexOf(const Nodes &behind) const {
    return behind.empty() ? 0 : index_.at(behind);
  }

  // Every boundary hangs on the latest one of which it is certain that it comes before: chains of
  // them cost a launch less than leaves do, and one that had to wait for another would read late.
  bool boundaries() {
    std::unordered_map<driver::Node, std::uint32_t> latest; // that is over when the node is
    std::unordered_map<driver::Node, std::vector<const Nodes *>> lastOf;
    std::unordered_map<driver::Node, std::size_t> position;
    for (std::size_t i = 0; i < shape_.order.size(); ++i)
      position[shape_.order[i]] = i;
    for (const auto &[behind, index] : index_)
      lastOf[*std::max_element(behind.begin(), behind.end(), [&](driver::Node a, driver::Node b) {
        return position.at(a) < position.at(b);
      })].push_back(&behind);

    for (const driver::Node node : shape_.order) {
      std::uint32_t &mine = latest[node];
      for (const driver::Node from : shape_.before[node])
        mine = std::max(mine, latest[from]);
      if (const auto all = index_.find(frontier(shape_.before[node]));
          all != index_.end() && all->second != Region::unfinished)
        mine = std::max(mine, all->second);
      for (const Nodes *behind : lastOf[node]) {
        std::uint32_t previous = 0;
        for (const driver::Node from : *behind)
          previous = std::max(previous, latest[from]);
        if (!add(*behind, previous))
          return false;
        if (behind->size() == 1)
          mine = index_.at(*behind);
      }
    }
    return true;
  }

private:
  bool add(const Nodes &behind, std::uint32_t previous) {
    Nodes twins;
    for (const driver::Node node : behind)
      twins.push_back(into_.twins.at(node));
    const driver::Node made = clock_.addBoundary(into_.graph, twins, into_.timing[previous]);
    if (!made)
      return false;
    index_.at(behind) = static_cast<std::uint32_t>(into_.timing.size());
    into_.timing.push_back(made);
    return true;
  }

  GraphClock &clock_;
  Shape &shape_;
  Registry::Profile &into_;
  std::map<Nodes, std::uint32_t> index_; // of every boundary but the root
};

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

std::shared_ptr<Registry> Built::profile(GraphClock &clock, driver::Graph graph, std::string &why) {
  const std::lock_guard lock(mutex_);
  used_ = true;
  Registry::Profile profile;
  if (!ok(cu().graphClone(&profile.graph, graph))) {
    why = "the driver refused to clone it (memory or conditional nodes in a graph built by hand?)";
    return nullptr;
  }
  Shape shape(graph);
  Marker marker(clock, shape, profile);
  const bool marked =
      shape.known && findTwins(shape.order, profile.graph, profile.twins) && marker.root();
  // What was destroyed unseen is no part of the graph any more.
  std::vector<Part> parts = marked ? parts_ : std::vector<Part>();
  for (Part &part : parts)
    std::erase_if(part.nodes, [&](driver::Node node) { return !profile.twins.contains(node); });
  std::erase_if(parts, [](const Part &part) { return part.nodes.empty(); });
  for (const Part &part : parts) {
    marker.want(beginOf(part.nodes, shape));
    marker.want(endOf(part.nodes, shape));
  }
  const auto sinks = marked && marker.boundaries() ? sinksOf(profile.graph) : std::nullopt;
  if (!sinks || !clock.finish(profile.graph, profile.timing, *sinks, profile.final)) {
    cu().graphDestroy(profile.graph);
    why = "the driver refused a timing node";
    return nullptr;
  }
  for (const Part &part : parts)
    profile.regions.push_back({part.scope.site, part.scope.context, part.name, part.depth,
                               marker.indexOf(beginOf(part.nodes, shape)),
                               marker.indexOf(endOf(part.nodes, shape))});
  auto registry = std::make_shared<Registry>(clock, std::move(profile));
  if (registry->usable())
    return registry;
  why = "the driver does not say how its clone is built";
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

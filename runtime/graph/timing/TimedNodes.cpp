// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/TimedNodes.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cuda/Driver.h"
#include "graph/timing/KernelTwins.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

std::optional<driver::NodeType> typeOf(driver::Node node) {
  driver::NodeType type{};
  return ok(cu().graphNodeGetType(node, &type)) ? std::optional(type) : std::nullopt;
}

// Every node that ends before the region does and may have begun in it.
std::unordered_set<driver::Node> endingBy(const Shape &shape, const Nodes &end, std::size_t first) {
  std::unordered_set<driver::Node> found;
  Nodes pending = end;
  while (!pending.empty()) {
    const driver::Node node = pending.back();
    pending.pop_back();
    if (shape.position(node) >= first && found.insert(node).second)
      pending.insert(pending.end(), shape.before(node).begin(), shape.before(node).end());
  }
  return found;
}

// The nodes in a region, unordered. `end` is null if the region does not end.
Nodes nodesBetween(const Shape &shape, const Nodes &begin, const Nodes *end) {
  const Nodes &all = shape.order();
  std::size_t first = begin.empty() ? 0 : all.size();
  for (const driver::Node node : begin)
    first = std::min(first, shape.position(node) + 1);
  const auto ending =
      end ? endingBy(shape, *end, first)
          : std::unordered_set(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  if (begin.empty())
    return {ending.begin(), ending.end()};

  Nodes found;
  std::unordered_set<driver::Node> behind(begin.begin(), begin.end());
  Nodes pending = begin;
  while (!pending.empty()) {
    const driver::Node node = pending.back();
    pending.pop_back();
    for (const driver::Node next : shape.after(node))
      if (ending.contains(next) && behind.insert(next).second) {
        found.push_back(next);
        pending.push_back(next);
      }
  }
  return found;
}

// A tree of regions and the nodes in them. Flattened, it has the order of records.
class Forest {
public:
  Forest(std::vector<Region> regions, const Shape &shape) : shape_(shape) {
    for (Region &region : regions) {
      const auto depth = static_cast<std::size_t>(std::max(region.depth, 0));
      open_.resize(std::min(open_.size(), depth));
      const std::size_t parent = open_.empty() ? top : open_.back();
      open_.push_back(regions_.size());
      parents_.push_back(parent);
      regions_.push_back(std::move(region));
    }
    inside_.resize(regions_.size());
    first_.assign(regions_.size(), shape.order().size());
  }

  // Call it for the nodes in the order in which they run.
  void add(Region node, std::size_t owner) {
    const std::size_t position = shape_.position(node.node);
    (owner == top ? outside_ : inside_[owner]).push_back(std::move(node));
    for (std::size_t around = owner; around != top; around = parents_[around])
      first_[around] = std::min(first_[around], position);
  }

  // Puts a region before its first node.
  std::vector<Region> flattened() {
    std::vector<Region> flat;
    std::vector<std::size_t> open; // regions whose nodes are not all emitted
    std::vector<std::size_t> next(regions_.size(), 0);
    std::size_t nextOutside = 0;
    const auto emitNodes = [&](std::size_t owner, std::size_t before) {
      std::vector<Region> &nodes = owner == top ? outside_ : inside_[owner];
      std::size_t &at = owner == top ? nextOutside : next[owner];
      while (at < nodes.size() && shape_.position(nodes[at].node) < before)
        flat.push_back(std::move(nodes[at++]));
    };
    const std::size_t all = shape_.order().size();
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      while (!open.empty() && open.back() != parents_[i]) {
        emitNodes(open.back(), all);
        open.pop_back();
      }
      const bool hasNodes = first_[i] < all;
      emitNodes(parents_[i], hasNodes ? first_[i] : 0);
      flat.push_back(std::move(regions_[i]));
      open.push_back(i);
    }
    for (; !open.empty(); open.pop_back())
      emitNodes(open.back(), all);
    emitNodes(top, all);
    return flat;
  }

  static constexpr std::size_t top = SIZE_MAX;

private:
  const Shape &shape_;
  std::vector<Region> regions_;
  std::vector<std::size_t> parents_; // of each region; top: none
  std::vector<std::size_t> first_; // the position of a region's first node, including inner regions
  std::vector<std::vector<Region>> inside_;
  std::vector<Region> outside_;
  std::vector<std::size_t> open_;
};

} // namespace

void Extents::place(Extent &region, Span span) {
  region.begins.clear();
  for (Nodes &begin : span.begins) {
    region.begins.push_back(static_cast<std::uint32_t>(frontiers.size()));
    frontiers.push_back(std::move(begin));
  }
  region.end = static_cast<std::uint32_t>(frontiers.size());
  frontiers.push_back(std::move(span.end));
}

Nodes Extents::nodesOf(const Extent &region, const Shape &shape) const {
  Nodes nodes;
  for (std::size_t place = region.first; place < std::min(region.last, captured.size()); ++place)
    if (captured[place] && shape.has(captured[place]))
      nodes.push_back(captured[place]);
  return nodes;
}

void Extents::forget(driver::Node node) { std::ranges::replace(captured, node, nullptr); }

Owners ownersIn(const Shape &shape, const Extents &extents) {
  Owners owners;
  std::unordered_map<driver::Node, std::size_t> numbers; // not of nodes that came after the capture
  for (std::size_t number = 0; number < extents.captured.size(); ++number)
    numbers.emplace(extents.captured[number], number);
  for (std::size_t i = 0; i < extents.regions.size(); ++i) {
    const Extent &region = extents.regions[i];
    const auto own = [&](driver::Node node) {
      const auto [owner, isFirst] = owners.try_emplace(node, i);
      if (!isFirst && region.depth >= extents.regions[owner->second].depth)
        owner->second = i;
    };
    if (region.knowsNodes) {
      std::ranges::for_each(extents.nodesOf(region, shape), own);
      continue;
    }
    Nodes begin;
    for (const std::uint32_t number : region.begins)
      begin.insert(begin.end(), extents.frontiers[number].begin(), extents.frontiers[number].end());
    const Nodes *const end = region.ends() ? &extents.frontiers[region.end] : nullptr;
    for (const driver::Node node : nodesBetween(shape, begin, end))
      if (const auto added = numbers.find(node);
          added == numbers.end() || (region.first <= added->second && added->second < region.last))
        own(node);
  }
  return owners;
}

bool wantsOwners(const Services &services) {
  return services.config().nodes || services.wantsDrawings() || timesInsideKernels(services);
}

std::size_t workNodesIn(driver::Graph graph, const std::vector<driver::Node> &timing) {
  const Nodes nodes = nodesOf(graph).value_or(Nodes());
  return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [&](driver::Node node) {
    const auto type = typeOf(node);
    return type && isWork(*type) && std::find(timing.begin(), timing.end(), node) == timing.end();
  }));
}

bool holdsWork(const Shape &shape) {
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    if (const auto type = shape.typeOf(place); !type || isWork(*type))
      return true;
  return false;
}

TimedNodes TimedNodes::beside(std::size_t regions, const Shape &shape, Services &services) {
  const std::size_t most = services.config().maxRegions;
  TimedNodes nodes(shape, most - std::min(most, regions), services);
  services.counters.notMarked += nodes.beyond();
  services.counters.incomplete += nodes.refused_;
  return nodes;
}

TimedNodes::TimedNodes(const Shape &shape, std::size_t room, Services &services)
    : TimedNodes(shape, room, nullptr, services) {}

TimedNodes::TimedNodes(const Shape &shape, const std::vector<std::size_t> &places,
                       Services &services)
    : TimedNodes(shape, places.size(), &places, services) {}

TimedNodes::TimedNodes(const Shape &shape, std::size_t room, const std::vector<std::size_t> *only,
                       Services &services)
    : shape_(shape) {
  const driver::RelaxedCapture relaxed;            // names depend on where memory is
  std::unordered_map<driver::Node, Nodes> instead; // of nodes without a time: those before
  for (const driver::Node node : shape.order()) {
    Nodes behind;
    for (const driver::Node from : shape.before(node))
      if (const auto instant = instead.find(from); instant != instead.end())
        behind.insert(behind.end(), instant->second.begin(), instant->second.end());
      else
        behind.push_back(from);
    behind = newest(std::move(behind));
    const std::size_t place = shape.createdAt(node);
    const auto type = shape.typeOf(place);
    if (!type)
      ++refused_;
    else if (type == driver::NodeType::Empty)
      instead.emplace(node, std::move(behind));
    else if (only && !std::ranges::binary_search(*only, place))
      continue;
    else if (isWork(*type) && nodes_.size() >= room)
      ++beyond_;
    else if (isWork(*type))
      nodes_.push_back({node, workOf(node, *type, services), std::move(behind)});
  }
}

Nodes TimedNodes::newest(Nodes behind) const {
  std::vector<std::uint32_t> places;
  places.reserve(behind.size());
  for (const driver::Node node : behind)
    places.push_back(static_cast<std::uint32_t>(shape_.createdAt(node)));
  shape_.keepNewest(places);
  behind.clear();
  for (const std::uint32_t place : places)
    behind.push_back(shape_.created()[place]);
  return frontier(std::move(behind));
}

void TimedNodes::want(Boundaries &boundaries) const {
  for (const TimedNode &timed : nodes_) {
    boundaries.want({timed.node});
    boundaries.want(timed.behind);
  }
}

Region TimedNodes::regionOf(const TimedNode &timed, int depth, const Boundaries &boundaries) const {
  Region region{.site = &siteOf(timed.work.kind, timed.work.name),
                .context = timed.work.context,
                .name = timed.work.name,
                .depth = depth,
                .kind = timed.work.kind,
                .node = timed.node};
  region.beginAt({boundaries.of(timed.behind)});
  region.endAt(boundaries.of({timed.node}));
  return region;
}

std::optional<Region> TimedNodes::at(std::size_t place, const Boundaries &boundaries) const {
  const auto found = std::ranges::find(nodes_, shape_.created()[place], &TimedNode::node);
  return found == nodes_.end() ? std::nullopt : std::optional(regionOf(*found, 0, boundaries));
}

std::vector<Region> TimedNodes::among(std::vector<Region> regions, const Owners &owners,
                                      const Boundaries &boundaries) const {
  std::vector<int> depths;
  depths.reserve(regions.size());
  for (const Region &region : regions)
    depths.push_back(region.depth);
  Forest forest(std::move(regions), shape_);
  for (const TimedNode &timed : nodes_) {
    const auto owner = owners.find(timed.node);
    if (owner == owners.end())
      forest.add(regionOf(timed, 0, boundaries), Forest::top);
    else
      forest.add(regionOf(timed, depths[owner->second] + 1, boundaries), owner->second);
  }
  return forest.flattened();
}

} // namespace graphprof

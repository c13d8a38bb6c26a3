// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Children.h"

#include <algorithm>

#include "cuda/Driver.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// The timing nodes in a copy of a child's profiled graph. The child may begin and publish replays
// of its own: in the copy that is the business of the graph around it. Its first boundary is what
// its work waits for, so that its first regions read true.
std::optional<TimingNodes> timingIn(driver::Graph copy, const Registry &child) {
  const TimingNodes original = child.timingNodes();
  auto found = original.in(copy);
  const auto isBoundary = [&](driver::Node node) {
    return std::find(original.own.begin(), original.own.end(), node) != original.own.end();
  };
  driver::Node inCopy = nullptr;
  if (found && !isBoundary(child.final()) &&
      (!ok(cu().graphNodeFindInClone(&inCopy, child.final(), copy)) ||
       !ok(cu().graphDestroyNode(inCopy))))
    return std::nullopt;
  if (found && !isBoundary(child.root())) {
    if (!ok(cu().graphNodeFindInClone(&inCopy, child.root(), copy)) ||
        !ok(cu().graphDestroyNode(found->own.front())))
      return std::nullopt;
    found->own.front() = inCopy;
  }
  return found;
}

// Its timing nodes are bound with those of the graph around it.
bool embed(Profile &profile, const ChildUse &use) {
  const driver::Node twin = profile.twins.of(use.node);
  driver::Graph held = nullptr;
  if (!ok(cu().graphChildGraphNodeGetGraph(twin, &held)))
    return false;
  auto timing = timingIn(held, *use.child);
  if (!timing)
    return false;
  timing->holder = twin;
  timing->depth = use.depth;
  timing->structure = use.child->table()->structure;
  for (const auto &[programs, profiled] : use.nodes) {
    driver::Node inCopy = nullptr;
    if (ok(cu().graphNodeFindInClone(&inCopy, profiled, held)))
      profile.innerTwins.emplace(programs, inCopy);
  }
  profile.children.push_back(std::move(*timing));
  return true;
}

std::vector<Region> shifted(std::vector<Region> regions, std::uint32_t first, int depth) {
  for (Region &region : regions) {
    region.depth += depth;
    region.begin += first;
    if (region.end != Region::unfinished)
      region.end += first;
    for (std::uint32_t &boundary : region.alsoBehind)
      boundary += first;
  }
  return regions;
}

// Where the region number `position` stands: nodes that are timed stand among them.
std::vector<Region>::iterator placeOf(std::vector<Region> &regions, std::size_t position) {
  return std::find_if(regions.begin(), regions.end(), [&position](const Region &region) {
    return region.kind == Kind::Region && position-- == 0;
  });
}

std::size_t annotatedIn(const std::vector<Region> &regions) {
  return static_cast<std::size_t>(
      std::count_if(regions.begin(), regions.end(),
                    [](const Region &region) { return region.kind == Kind::Region; }));
}

} // namespace

std::vector<ChildUse> timedAmong(std::span<const ChildUse> uses, const Shape &shape,
                                 std::size_t regions, const GraphClock &clock) {
  Session &session = Session::instance();
  std::vector<ChildUse> children;
  for (const ChildUse &use : uses) {
    if (!shape.has(use.node))
      continue; // destroyed unseen
    const RegionTable &table = *use.child->table();
    regions += table.regions.size();
    if (table.clock == &clock && use.child->device() == Device::current() &&
        regions <= session.config().maxRegions) {
      children.push_back(use);
      continue;
    }
    session.counters.notMarked += table.regions.size();
    regions -= table.regions.size();
  }
  return children;
}

bool embedChildren(Profile &profile, std::span<const ChildUse> children) {
  if (!std::all_of(children.begin(), children.end(),
                   [&](const ChildUse &use) { return embed(profile, use); }))
    return false;
  std::size_t inserted = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const ChildUse &use = children[i];
    const auto base = static_cast<std::uint32_t>(profile.timing.size());
    profile.children[i].appendTo(profile.timing);
    std::vector<Region> regions = shifted(use.child->table()->regions, base, use.depth);
    const std::size_t annotated = annotatedIn(regions);
    profile.regions.insert(placeOf(profile.regions, use.position + inserted),
                           std::make_move_iterator(regions.begin()),
                           std::make_move_iterator(regions.end()));
    inserted += annotated;
  }
  return true;
}

ChildCopy::ChildCopy(const Registry &child) {
  if (!ok(cu().graphClone(&graph_, child.profiled()))) {
    graph_ = nullptr;
    return;
  }
  if (const auto timing = timingIn(graph_, child))
    timing->appendTo(timing_.emplace());
}

ChildCopy::~ChildCopy() {
  if (graph_)
    cu().graphDestroy(graph_);
}

std::shared_ptr<const RegionTable> exchanged(const RegionTable &table, BoundaryRange range,
                                             const RegionTable &child) {
  auto changed = std::make_shared<RegionTable>(table);
  std::vector<Region> &regions = changed->regions;
  const auto isChilds = [range](const Region &region) {
    return region.begin >= range.first && region.begin < range.first + range.count;
  };
  const auto at = std::find_if(regions.begin(), regions.end(), isChilds) - regions.begin();
  std::erase_if(regions, isChilds);
  std::vector<Region> others = shifted(child.regions, range.first, range.depth);
  regions.insert(regions.begin() + at, std::make_move_iterator(others.begin()),
                 std::make_move_iterator(others.end()));
  changed->graphNumber = Registry::nextGraphNumber();
  changed->layout = RegionTable::nextLayout();
  changed->drawn = nullptr; // of the child that it held before
  return changed;
}

void loseChildren(std::span<const ChildUse> uses) {
  if (uses.empty())
    return;
  for (const ChildUse &use : uses)
    Session::instance().counters.incomplete += use.child->table()->regions.size();
  Session::instance().say("regions of a child graph are not measured: the graph around it holds "
                          "memory or conditional nodes, or is the body of one, or has nodes that "
                          "cannot be made anew");
}

} // namespace graphprof

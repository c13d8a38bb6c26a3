// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Children.h"

#include <algorithm>

#include "cuda/Driver.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// The timing nodes in a copy of a child's profiled graph. In the copy, the graph around it begins
// and publishes replays, so the child's own nodes for that are removed. Its first boundary is the
// node that its work waits for, so that the first regions read the right time.
std::optional<TimingNodes> timingIn(driver::Graph copy, const TimedGraph &child) {
  const TimingNodes original = child.timingNodes();
  auto found = original.in(copy);
  const auto isBoundary = [&](driver::Node node) {
    return std::find(original.own.begin(), original.own.end(), node) != original.own.end();
  };
  driver::Node inCopy = nullptr;
  if (found && !isBoundary(child.final) &&
      (!ok(cu().graphNodeFindInClone(&inCopy, child.final, copy)) ||
       !ok(cu().graphDestroyNode(inCopy))))
    return std::nullopt;
  if (found && !isBoundary(child.root)) {
    if (!ok(cu().graphNodeFindInClone(&inCopy, child.root, copy)) ||
        !ok(cu().graphDestroyNode(found->own.front())))
      return std::nullopt;
    found->own.front() = inCopy;
  }
  return found;
}

// Its timing nodes are bound together with those of the graph around it.
bool embed(RebuiltGraph &rebuilt, TimedGraph &timed, const ChildUse &use) {
  const driver::Node twin = rebuilt.twins.of(use.node);
  driver::Graph held = nullptr;
  if (!ok(cu().graphChildGraphNodeGetGraph(twin, &held)))
    return false;
  auto timing = timingIn(held, *use.profiled);
  if (!timing)
    return false;
  timing->setHolder(twin, use.depth, use.profiled->table->structure);
  for (const auto &[programs, profiled] : use.nodes) {
    driver::Node inCopy = nullptr;
    if (ok(cu().graphNodeFindInClone(&inCopy, profiled, held)))
      rebuilt.innerTwins.emplace(programs, inCopy);
  }
  timed.children.push_back(std::move(*timing));
  return true;
}

std::vector<Region> shifted(std::vector<Region> regions, std::uint32_t first, int depth) {
  for (Region &region : regions) {
    region.depth += depth;
    region.shift(first);
  }
  return regions;
}

// The region number `position`. Regions that are nodes are not counted.
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

auto isIn(BoundaryRange range) {
  return [range](const Region &region) {
    return region.begin >= range.first && region.begin < range.first + range.count;
  };
}

// Its regions, or those of a body, have changed.
void renumber(RegionTable &table) {
  auto next = static_cast<std::uint32_t>(table.regions.size());
  for (BodyTable &body : table.bodies) {
    body.firstRegion = next;
    next += static_cast<std::uint32_t>(body.table->allRegions());
  }
  if (table.graphNumber != 0) // 0: a body's
    table.graphNumber = nextGraphNumber();
  table.layout = RegionTable::nextLayout();
  table.drawn = nullptr; // it shows the child that the node held before
}

} // namespace

bool ChildContents::isHeldBy(driver::Node holder) const {
  const ChildContents now(holder);
  return now.graphs == graphs && now.nodes == nodes;
}

void ChildContents::add(driver::Node holder) {
  driver::Graph graph = nullptr;
  if (!ok(cu().graphChildGraphNodeGetGraph(holder, &graph)))
    return;
  graphs.insert(graph);
  for (const driver::Node node : nodesOf(graph).value_or(Nodes())) {
    nodes.insert(node);
    driver::NodeType type{};
    if (ok(cu().graphNodeGetType(node, &type)) && type == driver::NodeType::Graph)
      add(node);
  }
}

std::vector<ChildUse> timedAmong(std::span<const ChildUse> uses, const Shape &shape,
                                 std::size_t regions, const GraphClock &clock, Services &services) {
  std::vector<ChildUse> children;
  for (const ChildUse &use : uses) {
    if (!shape.has(use.node))
      continue;                                         // destroyed unseen
    if (!use.edited && !use.held->isHeldBy(use.node)) { // another child node has its handle
      loseChildren({&use, 1}, services);
      continue;
    }
    const auto table = use.profiled->table;
    regions += table->regions.size();
    if (table->clock == &clock && use.child->device() == clock.currentDevice() &&
        regions <= services.config().maxRegions) {
      children.push_back(use);
      continue;
    }
    services.counters.notMarked += table->regions.size();
    regions -= table->regions.size();
  }
  return children;
}

bool embedChildren(RebuiltGraph &rebuilt, TimedGraph &timed, std::vector<Region> &regions,
                   std::span<const ChildUse> children) {
  if (!std::all_of(children.begin(), children.end(),
                   [&](const ChildUse &use) { return embed(rebuilt, timed, use); }))
    return false;
  takeChildren(children, timed.children, timed.timing, regions);
  return true;
}

void takeChildren(std::span<const ChildUse> children, std::span<const TimingNodes> held,
                  std::vector<driver::Node> &timing, std::vector<Region> &regions) {
  std::size_t inserted = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const ChildUse &use = children[i];
    const auto base = static_cast<std::uint32_t>(timing.size());
    held[i].appendTo(timing);
    std::vector<Region> inner = shifted(use.profiled->table->regions, base, use.depth);
    const std::size_t annotated = annotatedIn(inner);
    regions.insert(placeOf(regions, use.position + inserted),
                   std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    inserted += annotated;
  }
}

std::vector<InnerGraph> innerGraphs(std::span<const ChildUse> children, std::size_t boundaries,
                                    std::span<const Region> regions) {
  std::vector<InnerGraph> inner;
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    auto table = child->profiled->table;
    boundaries -= table->boundaries;
    const BoundaryRange range = {static_cast<std::uint32_t>(boundaries), table->boundaries, 0, 0};
    const auto first = std::find_if(regions.begin(), regions.end(), isIn(range));
    inner.push_back(
        {child->node, std::move(table), static_cast<std::uint32_t>(first - regions.begin())});
  }
  return inner;
}

ChildCopy::ChildCopy(const TimedGraph &child) {
  if (!child.rebuilt() || !ok(cu().graphClone(&graph_, child.rebuilt()->graph))) {
    graph_ = nullptr;
    return;
  }
  levels_ = timingIn(graph_, child);
  if (levels_)
    levels_->appendTo(timing_.emplace());
}

ChildCopy::ChildCopy(driver::Graph child, const ChildPlan &plan, GraphClock &clock,
                     Device &device) {
  if (!ok(cu().graphClone(&graph_, child))) {
    graph_ = nullptr;
    return;
  }
  levels_ = plan.addTo(clock, device, graph_);
  if (levels_)
    levels_->appendTo(timing_.emplace());
}

ChildCopy::~ChildCopy() {
  if (graph_)
    cu().graphDestroy(graph_);
}

std::shared_ptr<const RegionTable> exchanged(const RegionTable &table, BoundaryRange range,
                                             const RegionTable &child) {
  auto changed = std::make_shared<RegionTable>(table);
  std::vector<Region> &regions = changed->regions;
  const auto at = std::find_if(regions.begin(), regions.end(), isIn(range)) - regions.begin();
  const std::size_t removed = std::erase_if(regions, isIn(range));
  std::vector<Region> others = shifted(child.regions, range.first, range.depth);
  for (BodyTable &body : changed->bodies)
    if (body.position > static_cast<std::size_t>(at))
      body.position = body.position - removed + others.size();
  regions.insert(regions.begin() + at, std::make_move_iterator(others.begin()),
                 std::make_move_iterator(others.end()));
  renumber(*changed);
  return changed;
}

namespace {

std::shared_ptr<const RegionTable> exchangedInBody(const RegionTable &table,
                                                   std::span<const std::size_t> bodies,
                                                   BoundaryRange range, const RegionTable &child) {
  if (bodies.empty())
    return exchanged(table, range, child);
  auto changed = std::make_shared<RegionTable>(table);
  BodyTable &body = changed->bodies[bodies.front()];
  body.table = exchangedInBody(*body.table, bodies.subspan(1), range, child);
  renumber(*changed);
  return changed;
}

} // namespace

TimedPlace placeOf(const TimedChild &child, const RegionTable &table, ReplayBuffer *buffer) {
  TimedPlace place = {&table, buffer};
  for (const std::size_t index : child.bodies) {
    const BodyTable &body = place.table->bodies[index];
    place = {body.table.get(), body.ring.get()};
  }
  return place;
}

bool exchangeIn(std::shared_ptr<const RegionTable> &table, const TimedChild &holder,
                const Registry *child, const Device *device) {
  const std::vector<Region> &regions = placeOf(holder, *table, nullptr).table->regions;
  if (std::none_of(regions.begin(), regions.end(), isIn(holder.range)))
    return !child; // it held another one since
  const auto timed = child ? child->usable() : nullptr;
  const auto given = timed && timed->rebuilt() ? timed->table : nullptr;
  const bool alike = given && given->clock == table->clock &&
                     given->boundaries == holder.range.count &&
                     given->structure == holder.range.structure && child->device() == device;
  table = exchangedInBody(*table, holder.bodies, holder.range, alike ? *given : RegionTable());
  return alike || !child;
}

void loseChildren(std::span<const ChildUse> uses, Services &services) {
  std::size_t regions = 0;
  for (const ChildUse &use : uses)
    regions += use.profiled->table->regions.size();
  services.lose(
      &Counters::incomplete, regions,
      "regions of a child graph are not measured: the child graph or its node's copy was edited, "
      "or it holds event nodes (GRAPHPROF_EDGES=completion times it), or a replay begins with it "
      "and it with no kernel (GRAPHPROF_CLOCK=event times it), or the graph around it cannot be "
      "rebuilt and takes no timing nodes (memory or conditional nodes, or a conditional node's "
      "body)");
}

} // namespace graphprof

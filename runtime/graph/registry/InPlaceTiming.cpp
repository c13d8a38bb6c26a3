// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/InPlaceTiming.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "Thrown.h"
#include "cuda/Driver.h"
#include "graph/registry/RegionBoundaries.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/HiddenNodes.h"
#include "graph/timing/InPlace.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// In node mode: counts the nodes that a graph timed in place does not time.
void countUntimedNodes(driver::Graph graph, const std::vector<driver::Node> &timed,
                       Services &services) {
  if (!services.config().nodes)
    return;
  services.lose(
      &Counters::notMarked, workNodesIn(graph, timed),
      "the nodes of a graph with memory or conditional nodes are not timed, only its "
      "regions: it cannot be copied, and graphprof adds nothing to your own graph; annotate them");
}

// How many regions of `children`, in `graph`, come before `node`.
std::size_t regionsInFrontOf(driver::Node node, const Shape &shape,
                             std::span<const ChildUse> children) {
  std::size_t regions = 0;
  for (const ChildUse &use : children)
    if (shape.has(node) && shape.createdAt(use.node) < shape.createdAt(node))
      regions += use.profiled->table->regions.size();
  return regions;
}

Failure takesNoTimingNodes() {
  return {"it has memory or conditional nodes, so it cannot be copied, and it takes no timing "
          "nodes"};
}

} // namespace

// Timing nodes of a marked capture exist already, without edges. Otherwise adds them as leaves.
Expected<void> InPlaceTiming::placeMarks(Device &device, TimingRequest &request) {
  if (services_.wantsDrawings())
    owners_ = std::move(request.owners);
  timed_.timing = std::move(request.marks);
  if (!timed_.timing.empty()) {
    regions_ = std::move(request.regions);
    if (!linkTiming(use_.graph, timed_.timing, request.extents.frontiers, clock_.blocksFollowers()))
      return takesNoTimingNodes();
    return {};
  }
  const Shape shape(use_.graph);
  Boundaries boundaries = boundariesOf(shape, request.extents, nullptr);
  timed_.timing = addLeaves(clock_, device, shape, boundaries.number(), use_.graph,
                            [](driver::Node node) { return node; });
  if (timed_.timing.empty())
    return Failure{"the driver refused a timing node"};
  regions_ = regionsAt(boundaries, request, nullptr);
  return {};
}

// Counts children that cannot be timed.
void InPlaceTiming::timeChildren(Device &device) {
  if (!clock_.timesChildren())
    return loseChildren(use_.uses, services_);
  auto first = static_cast<std::uint32_t>(timed_.timing.size());
  for (const ChildUse &use :
       timedAmong(use_.uses, Shape(use_.graph), regions_.size(), clock_, services_)) {
    const auto plan = ChildPlan::of(*use.profiled);
    driver::Graph held = nullptr;
    auto timing = plan && ok(cu().graphChildGraphNodeGetGraph(use.node, &held))
                      ? plan->addTo(clock_, device, held)
                      : std::nullopt;
    if (!timing) {
      loseChildren({&use, 1}, services_);
      continue;
    }
    const int depth = use.depth + use_.depth;
    timing->setHolder(use.node, depth, use.profiled->table->structure);
    std::vector<TimedChild> listed = ChildPlan::listed(plan, *timing, first);
    first += listed.front().range.count;
    timedChildren_.insert(timedChildren_.end(), std::make_move_iterator(listed.begin()),
                          std::make_move_iterator(listed.end()));
    timed_.children.push_back(std::move(*timing));
    children_.push_back(use);
    children_.back().depth = depth;
  }
  takeChildren(children_, timed_.children, timed_.timing, regions_);
}

void InPlaceTiming::giveUpChildren() {
  for (const TimingNodes &child : timed_.children)
    removeLeaves(child);
  loseChildren(children_, services_);
}

bool InPlaceTiming::bind(ReplayBuffer &buffer) const {
  bool bound = buffer.bind(timed_.clockNodes());
  for (std::size_t i = 0; i < counts_.size(); ++i)
    bound = bound && buffer.bindCount(counts_[i], i, *use_.bodies[i].table.ring);
  return bound;
}

std::vector<BodyTable> InPlaceTiming::listBodies() {
  std::vector<BodyTable> tables;
  auto next = static_cast<std::uint32_t>(regions_.size());
  const Shape shape(use_.graph);
  for (const TimedBody &body : use_.bodies) {
    for (TimedChild child : body.children ? *body.children : TimedChildren()) {
      child.bodies.insert(child.bodies.begin(), tables.size());
      timedChildren_.push_back(std::move(child));
    }
    tables.push_back(body.table);
    tables.back().position += regionsInFrontOf(body.node, shape, children_);
    tables.back().firstRegion = next;
    next += static_cast<std::uint32_t>(body.table.table->allRegions());
  }
  return tables;
}

Expected<std::shared_ptr<const TimedGraph>> InPlaceTiming::run(TimingRequest request) {
  serves_ = request.serves;
  std::vector<driver::Node> timed = request.marks;
  if (clock_.timesChildren())
    for (const ChildUse &use : use_.uses)
      timed.push_back(use.node); // inside
  countUntimedNodes(use_.graph, timed, services_);
  for (Region &region : request.regions)
    region.depth += use_.depth;

  HiddenNodes::come();
  const driver::RelaxedCapture relaxed;
  Device *const device = clock_.currentDevice();
  const Expected<void> placed =
      relaxed && device ? placeMarks(*device, request) : Expected<void>(takesNoTimingNodes());
  if (!placed) {
    loseChildren(use_.uses, services_);
    return placed.failure();
  }
  if (!use_.isBody && !clock_.reportsEnd())
    if (const auto sinks = sinksOf(use_.graph))
      if (const driver::Node end = clock_.addBoundary(*device, use_.graph, *sinks, 1))
        timed_.timing.push_back(end);
  timed_.root = timed_.timing.front();
  const std::size_t own = timed_.timing.size();
  timeChildren(*device);
  const std::shared_ptr<ReplayBuffer> buffer =
      clock_.makeBuffer({timed_.timing.size(), use_.bodies.size(), use_.isBody});
  if (!buffer || !addCounts(*device) || !finish(*device, own)) {
    if (buffer)
      buffer->retire();
    giveUpChildren();
    return takesNoTimingNodes();
  }
  // Some nodes may write to the buffer even if the driver refuses others, so nobody else may use
  // it: it is not given back before all is complete.
  const auto inPlace = std::make_shared<InPlaceBuffer>(buffer);
  if (!bind(*buffer)) {
    giveUpChildren();
    return Failure{"it has memory or conditional nodes, so it cannot be copied, and its timing "
                   "nodes cannot be changed"};
  }
  return finished(buffer, inPlace);
}

bool InPlaceTiming::addCounts(Device &device) {
  for (const TimedBody &body : use_.bodies) {
    const driver::Node behind[] = {body.node, timed_.root};
    const driver::Node count = clock_.addCount(device, use_.graph, behind);
    if (!count)
      return false;
    counts_.push_back(count);
  }
  return true;
}

bool InPlaceTiming::finish(Device &device, std::size_t own) {
  const auto sinks = sinksOf(use_.graph);
  return sinks &&
         clock_.finish(device, use_.graph, {timed_.timing.data(), own}, *sinks, timed_.final);
}

std::shared_ptr<const TimedGraph>
InPlaceTiming::finished(std::shared_ptr<ReplayBuffer> buffer,
                        const std::shared_ptr<InPlaceBuffer> &inPlace) {
  std::vector<BodyTable> bodies = listBodies();
  if (!timedChildren_.empty())
    timed_.timedChildren = std::make_shared<const TimedChildren>(std::move(timedChildren_));
  auto picture = services_.wantsDrawings() ? drawn(bodies) : nullptr;
  const auto table = tableOf(timed_, clock_, std::move(regions_), std::move(bodies),
                             std::move(picture), 0, use_.isBody ? 0 : nextGraphNumber());
  table->cudaGraph = driver::graphId(use_.graph);
  table->serves = serves_;
  timed_.table = table;
  if (use_.isBody)
    timed_.way = BodyRing{std::move(buffer)};
  else
    timed_.way = inPlace;
  auto result = std::make_shared<const TimedGraph>(std::move(timed_));
  if (!use_.isBody)
    inPlace->complete(result->table);
  return result;
}

std::shared_ptr<const GraphNodes>
InPlaceTiming::drawn(std::span<const BodyTable> bodies) const noexcept {
  std::shared_ptr<const GraphNodes> picture;
  (void)survived([&] {
    Nodes ours(timed_.timing.begin(), timed_.timing.end());
    ours.push_back(timed_.final);
    ours.insert(ours.end(), counts_.begin(), counts_.end());
    std::vector<InnerGraph> inner = innerGraphs(children_, timed_.timing.size(), regions_);
    inner.reserve(inner.size() + bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i)
      inner.push_back({use_.bodies[i].node, bodies[i].table, bodies[i].firstRegion, true});
    picture = draw(Shape(use_.graph), ours, owners_, regions_, inner, clock_.currentDevice(), 0,
                   services_);
  });
  return picture;
}

// Newest first. A driver that refuses the first one, the only one without dependents, refuses all.
bool removeTiming(const TimedGraph &timed, driver::Graph graph) {
  if (!timed.inPlace() || !timed.table->bodies.empty() || !timed.standsIn(graph))
    return false;
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return false;
  Nodes ours(timed.timing.begin(),
             timed.timing.begin() + static_cast<std::ptrdiff_t>(timed.ownTiming()));
  if (timed.final && std::ranges::find(ours, timed.final) == ours.end())
    ours.push_back(timed.final);
  if (std::ranges::find(ours, timed.root) == ours.end())
    ours.insert(ours.begin(), timed.root);
  for (auto node = ours.rbegin(); node != ours.rend(); ++node)
    if (!ok(cu().graphDestroyNode(*node)))
      return false;
  for (const TimingNodes &child : timed.children)
    removeLeaves(child);
  return true;
}

} // namespace graphprof

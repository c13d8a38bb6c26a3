// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A registry whose timing nodes stand in the program's own graph, or in the body of a conditional
// node.

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "graph/registry/Registry.h"
#include "graph/timing/Boundaries.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/InPlace.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Nodes.h"
#include "session/Session.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// In node mode, what a graph that is timed in place keeps to itself.
void countUntimedNodes(driver::Graph graph, const std::vector<driver::Node> &timed) {
  Session &session = Session::instance();
  if (!session.config().nodes)
    return;
  session.counters.notMarked += workNodesIn(graph, timed);
  session.say("the nodes of a graph with memory or conditional nodes are not timed, its regions "
              "are: it cannot be copied, and nothing may be added to the program's own");
}

std::atomic<bool> anyTimed{false};

// How many regions of `children`, in `graph`, stand in front of `node`.
std::size_t regionsInFrontOf(driver::Node node, const Shape &shape,
                             std::span<const ChildUse> children) {
  std::size_t regions = 0;
  for (const ChildUse &use : children)
    if (shape.has(node) && shape.createdAt(use.node) < shape.createdAt(node))
      regions += use.profiled->table->regions.size();
  return regions;
}

// With the graph around them: nothing writes to either any more.
void retireBodies(const RegionTable &table) {
  for (const BodyTable &body : table.bodies) {
    body.ring->retire();
    retireBodies(*body.table);
  }
}

} // namespace

bool Registry::anyTimedChild() { return anyTimed; }

std::shared_ptr<const TimedChildren> Registry::timedChildren() const {
  const MutexLock lock(mutex_);
  return timedChildren_;
}

std::optional<TimedChild> Registry::timedChild(driver::Node holder) const {
  const MutexLock lock(mutex_);
  const TimedChild *const found = childAt(holder);
  return found ? std::optional(*found) : std::nullopt;
}

const TimedChild *Registry::childAt(driver::Node holder) const {
  if (!timedChildren_)
    return nullptr;
  const auto found =
      std::find_if(timedChildren_->begin(), timedChildren_->end(),
                   [holder](const TimedChild &child) { return child.holder == holder; });
  return found == timedChildren_->end() ? nullptr : &*found;
}

void Registry::bindChild(driver::Node holder, std::span<const driver::Node> timing) const {
  const MutexLock lock(mutex_);
  const TimedChild *const child = childAt(holder);
  if (!child || !table_)
    return;
  ReplayBuffer *own = ring_ ? ring_.get() : inPlace_.get();
  placeOf(*child, *table_, own).buffer->bindStamps(timing, child->range.first);
}

// CUDA may have given the node a graph of its own anew: then the timing nodes are others.
bool Registry::setChild(driver::Node holder, const TimingNodes &timing, const Registry *child) {
  const MutexLock lock(mutex_);
  const TimedChild *const found = childAt(holder);
  if (!found || !table_)
    return !child;
  const TimedChild before = *found;
  driver::Graph held = nullptr;
  if (!before.isThere() && ok(cu().graphChildGraphNodeGetGraph(holder, &held)))
    if (auto now = timing.in(held)) {
      now->setHolder(holder, before.range.depth, before.range.structure);
      TimedChildren listed = ChildPlan::listed(before.plan, *now, before.range.first);
      auto children = std::make_shared<TimedChildren>(*timedChildren_);
      auto place = children->begin() + (found - timedChildren_->data());
      for (TimedChild &each : listed) {
        each.bodies = before.bodies;
        *place++ = std::move(each);
      }
      timedChildren_ = std::move(children);
    }
  return exchangeIn(table_, before, child, device_);
}

bool Registry::stay(driver::Graph graph, Role role, int depth, std::span<const ChildUse> uses,
                    std::span<const Body> bodies, std::string &why) {
  const MutexLock lock(mutex_);
  if (state_ != State::Capturing) {
    loseChildren(uses);
    return true;
  }
  state_ = State::Inert;
  if (regions_.empty() && bodies.empty() && (uses.empty() || clock_.holdsUp())) {
    loseChildren(uses);
    marks_.remove();
    return true;
  }
  timing_ = marks_.take();
  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  for (Region &region : regions_)
    region.depth += depth;
  std::vector<ChildUse> deeper(uses.begin(), uses.end());
  for (ChildUse &use : deeper)
    use.depth += depth;
  return stayIn(graph, role, deeper, bodies, why);
}

bool Registry::completeMarks(Device &device, driver::Graph graph, std::string &why) {
  if (linked_)
    return true;
  const Shape shape(graph);
  auto wanted = takeWanted(shape, why);
  if (!wanted)
    return false;
  if (wantsDrawings())
    owners_ = ownersIn(shape, wanted->extents);
  if (timing_.empty()) {
    Boundaries boundaries = boundariesOf(shape, wanted->extents, nullptr);
    timing_ = addLeaves(clock_, device, shape, boundaries.number(), graph,
                        [](driver::Node node) { return node; });
    regions_ = regionsAt(boundaries, *wanted, nullptr);
    return !timing_.empty();
  }
  regions_ = std::move(wanted->regions);
  return linkTiming(graph, timing_, wanted->extents.frontiers, clock_.holdsUp());
}

// Where what comes behind a boundary waits for it, a child graph cannot hold it: its clock's nodes
// split graphs, and a body takes none.
std::vector<ChildUse> Registry::timeChildren(Device &device, driver::Graph graph,
                                             std::span<const ChildUse> uses,
                                             TimedChildren &timedHere) {
  if (uses.empty() || clock_.holdsUp()) {
    loseChildren(uses);
    return {};
  }
  std::vector<ChildUse> timed;
  auto first = static_cast<std::uint32_t>(timing_.size());
  for (const ChildUse &use : timedAmong(uses, Shape(graph), regions_.size(), clock_)) {
    const auto plan = ChildPlan::of(*use.profiled);
    driver::Graph held = nullptr;
    auto timing = plan && ok(cu().graphChildGraphNodeGetGraph(use.node, &held))
                      ? plan->addTo(clock_, device, held)
                      : std::nullopt;
    if (!timing) {
      loseChildren({&use, 1});
      continue;
    }
    timing->setHolder(use.node, use.depth, use.profiled->table->structure);
    std::vector<TimedChild> listed = ChildPlan::listed(plan, *timing, first);
    first += listed.front().range.count;
    timedHere.insert(timedHere.end(), std::make_move_iterator(listed.begin()),
                     std::make_move_iterator(listed.end()));
    children_.push_back(std::move(*timing));
    timed.push_back(use);
  }
  takeChildren(timed, children_, timing_, regions_);
  anyTimed = anyTimed || !timed.empty();
  return timed;
}

void Registry::giveUpChildren(std::span<const ChildUse> children) {
  for (const TimingNodes &child : children_)
    removeLeaves(child);
  children_.clear();
  loseChildren(children);
}

bool Registry::stayIn(driver::Graph graph, Role role, std::span<const ChildUse> uses,
                      std::span<const Body> bodies, std::string &why) {
  std::vector<driver::Node> timed = timing_;
  for (const ChildUse &use : uses)
    if (!clock_.holdsUp())
      timed.push_back(use.node); // inside
  countUntimedNodes(graph, timed);
  const driver::RelaxedCapture relaxed;
  Device *const device = Device::current();
  const bool linked = relaxed && device && completeMarks(*device, graph, why);
  if (linked && role == Role::Graph && !clock_.tellsTheEnd())
    if (const auto sinks = sinksOf(graph))
      if (const driver::Node end = clock_.addBoundary(*device, graph, *sinks))
        timing_.push_back(end);
  const std::size_t own = timing_.size();
  std::vector<ChildUse> children;
  TimedChildren timedHere;
  if (linked)
    children = timeChildren(*device, graph, uses, timedHere);
  else
    loseChildren(uses);
  std::shared_ptr<ReplayBuffer> buffer =
      linked ? clock_.makeBuffer({timing_.size(), bodies.size(), role == Role::Body}) : nullptr;
  std::vector<driver::Node> counts;
  for (const Body &body : bodies) {
    const driver::Node behind[] = {body.node, linked ? timing_.front() : nullptr};
    counts.push_back(buffer ? clock_.addCount(*device, graph, behind) : nullptr);
  }
  const bool counted = std::find(counts.begin(), counts.end(), nullptr) == counts.end();
  const auto sinks = linked && counted ? sinksOf(graph) : std::nullopt;
  if (!buffer || !sinks || !clock_.finish(*device, graph, {timing_.data(), own}, *sinks, final_)) {
    if (why.empty())
      why = "its nodes cannot be copied (memory or conditional nodes), and it takes none of ours";
    if (buffer)
      buffer->retire();
    giveUpChildren(children);
    return false;
  }
  root_ = timing_.front();
  // Some nodes may write to the buffer even where the driver refuses others: then nobody else may.
  bool bound = buffer->bind(clockNodes());
  for (std::size_t i = 0; i < counts.size(); ++i)
    bound = bound && buffer->bindCount(counts[i], i, *bodies[i].table.ring);
  if (!bound) {
    why = "its nodes cannot be copied (memory or conditional nodes), nor ours changed";
    giveUpChildren(children);
    return false;
  }
  std::vector<BodyTable> tables;
  auto next = static_cast<std::uint32_t>(regions_.size());
  const Shape shape(graph);
  for (const Body &body : bodies) {
    for (TimedChild child : body.children ? *body.children : TimedChildren()) {
      child.bodies.insert(child.bodies.begin(), tables.size());
      timedHere.push_back(std::move(child));
    }
    tables.push_back(body.table);
    tables.back().position += regionsInFrontOf(body.node, shape, children);
    tables.back().firstRegion = next;
    next += static_cast<std::uint32_t>(body.table.table->allRegions());
  }
  if (!timedHere.empty())
    timedChildren_ = std::make_shared<const TimedChildren>(std::move(timedHere));
  if (wantsDrawings())
    drawn_ = drawnInPlace(graph, counts, children, bodies, tables);
  settled(0, role, std::move(tables));
  if (role == Role::Body) {
    ring_ = std::move(buffer);
  } else {
    // Without memory for it the buffer is let go at once; but the graph writes to it.
    state_ = State::Inert;
    *spoiled_ = true;
    inPlace_ = std::shared_ptr<ReplayBuffer>(
        buffer.get(), [buffer, table = table_, spoiled = spoiled_](ReplayBuffer *last) {
          if (*spoiled)
            return;
          last->retire();
          retireBodies(*table);
        });
    *spoiled_ = false;
    state_ = State::Split;
  }
  return true;
}

std::shared_ptr<const GraphNodes>
Registry::drawnInPlace(driver::Graph graph, std::span<const driver::Node> counts,
                       std::span<const ChildUse> children, std::span<const Body> bodies,
                       std::span<const BodyTable> tables) const noexcept try {
  Nodes ours(timing_.begin(), timing_.end());
  ours.push_back(final_);
  ours.insert(ours.end(), counts.begin(), counts.end());
  std::vector<InnerGraph> inner = innerGraphs(children, timing_.size(), regions_);
  inner.reserve(inner.size() + bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    inner.push_back({bodies[i].node, tables[i].table, tables[i].firstRegion, true});
  return draw(Shape(graph), ours, owners_, regions_, inner);
} catch (...) { // no memory
  return nullptr;
}

} // namespace graphprof

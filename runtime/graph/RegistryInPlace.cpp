// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A registry whose timing nodes stand in the program's own graph, or in the body of a conditional
// node.

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/Boundaries.h"
#include "graph/Drawing.h"
#include "graph/InPlace.h"
#include "graph/Nodes.h"
#include "graph/Registry.h"
#include "graph/TimedNodes.h"
#include "session/Session.h"

namespace graphprof {

namespace {

// In node mode, what a graph that is timed in place keeps to itself.
void countUntimedNodes(driver::Graph graph, const std::vector<driver::Node> &timing) {
  Session &session = Session::instance();
  if (!session.config().nodes)
    return;
  session.counters.notMarked += workNodesIn(graph, timing);
  session.say("the nodes of a graph with memory or conditional nodes are not timed, its regions "
              "are: it cannot be copied, and nothing may be added to the program's own");
}

// With the graph around them: nothing writes to either any more.
void retireBodies(const RegionTable &table) {
  for (const BodyTable &body : table.bodies) {
    body.ring->retire();
    retireBodies(*body.table);
  }
}

} // namespace

bool Registry::stay(driver::Graph graph, Role role, int depth, std::span<const Body> bodies,
                    std::string &why) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::Capturing)
    return true;
  state_ = State::Inert;
  if (regions_.empty() && bodies.empty()) {
    marks_.remove();
    return true;
  }
  timing_ = marks_.take();
  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  for (Region &region : regions_)
    region.depth += depth;
  return stayIn(graph, role, bodies, why);
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

bool Registry::stayIn(driver::Graph graph, Role role, std::span<const Body> bodies,
                      std::string &why) {
  countUntimedNodes(graph, timing_);
  const driver::RelaxedCapture relaxed;
  Device *const device = Device::current();
  const bool linked = relaxed && device && completeMarks(*device, graph, why);
  std::shared_ptr<ReplayBuffer> buffer =
      linked ? clock_.makeBuffer({timing_.size(), bodies.size(), role == Role::Body}) : nullptr;
  std::vector<driver::Node> counts;
  for (const Body &body : bodies) {
    const driver::Node behind[] = {body.node, linked ? timing_.front() : nullptr};
    counts.push_back(buffer ? clock_.addCount(*device, graph, behind) : nullptr);
  }
  const bool counted = std::find(counts.begin(), counts.end(), nullptr) == counts.end();
  const auto sinks = linked && counted ? sinksOf(graph) : std::nullopt;
  if (!buffer || !sinks || !clock_.finish(*device, graph, timing_, *sinks, final_)) {
    if (why.empty())
      why = "its nodes cannot be copied (memory or conditional nodes), and it takes none of ours";
    if (buffer)
      buffer->retire();
    return false;
  }
  root_ = timing_.front();
  // Some nodes may write to the buffer even where the driver refuses others: then nobody else may.
  bool bound = bind(*buffer);
  for (std::size_t i = 0; i < counts.size(); ++i)
    bound = bound && buffer->bindCount(counts[i], i, *bodies[i].table.ring);
  if (!bound) {
    why = "its nodes cannot be copied (memory or conditional nodes), nor ours changed";
    return false;
  }
  std::vector<BodyTable> tables;
  auto next = static_cast<std::uint32_t>(regions_.size());
  for (const Body &body : bodies) {
    tables.push_back(body.table);
    tables.back().firstRegion = next;
    next += static_cast<std::uint32_t>(body.table.table->allRegions());
  }
  if (wantsDrawings())
    drawn_ = drawnInPlace(graph, counts, bodies, tables);
  settled(0, role, std::move(tables));
  if (role == Role::Body)
    ring_ = std::move(buffer);
  else
    inPlace_ = std::shared_ptr<ReplayBuffer>(
        buffer.get(), [buffer, table = table_, spoiled = spoiled_](ReplayBuffer *last) {
          if (*spoiled)
            return;
          last->retire();
          retireBodies(*table);
        });
  return true;
}

std::shared_ptr<const GraphNodes>
Registry::drawnInPlace(driver::Graph graph, std::span<const driver::Node> counts,
                       std::span<const Body> bodies,
                       std::span<const BodyTable> tables) const noexcept try {
  Nodes ours(timing_.begin(), timing_.end());
  ours.push_back(final_);
  ours.insert(ours.end(), counts.begin(), counts.end());
  std::vector<InnerGraph> inner;
  inner.reserve(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    inner.push_back({bodies[i].node, *tables[i].table, tables[i].firstRegion, true});
  return draw(Shape(graph), ours, owners_, regions_, inner);
} catch (...) { // no memory
  return nullptr;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/TimedGraph.h"

#include <algorithm>
#include <atomic>

#include "cuda/Driver.h"
#include "graph/topology/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

// After a device reset that was not seen, the handle belongs to another graph, if any.
RebuiltGraph::~RebuiltGraph() {
  if (!graph || (device_ && !device_->isAlive()))
    return;
  const driver::RelaxedCapture relaxed;
  if (relaxed)
    cu().graphDestroy(graph);
}

namespace {

// Retires the bodies with the graph around them: nothing writes to either any more.
void retireBodies(const RegionTable &table) {
  for (const BodyTable &body : table.bodies) {
    body.ring->retire();
    retireBodies(*body.table);
  }
}

} // namespace

InPlaceBuffer::~InPlaceBuffer() {
  if (!table_ || isAbandoned_)
    return;
  buffer_->retire();
  retireBodies(*table_);
}

void InPlaceBuffer::complete(std::shared_ptr<const RegionTable> table) {
  table_ = std::move(table);
}

bool InPlaceBuffer::claim() {
  if (isClaimed_.exchange(true))
    abandon();
  return !isAbandoned_;
}

const RebuiltGraph *TimedGraph::rebuilt() const {
  const auto *const own = std::get_if<std::shared_ptr<const RebuiltGraph>>(&way);
  return own ? own->get() : nullptr;
}

std::shared_ptr<InPlaceBuffer> TimedGraph::inPlace() const {
  const auto *const buffer = std::get_if<std::shared_ptr<InPlaceBuffer>>(&way);
  return buffer ? *buffer : nullptr;
}

std::shared_ptr<ReplayBuffer> TimedGraph::ring() const {
  const auto *const body = std::get_if<BodyRing>(&way);
  return body ? body->ring : nullptr;
}

std::size_t TimedGraph::ownTiming() const {
  std::size_t own = timing.size();
  for (const TimingNodes &child : children)
    own -= child.size();
  return own;
}

TimingNodes TimedGraph::timingNodes() const {
  TimingNodes nodes;
  nodes.own.assign(timing.begin(), timing.begin() + static_cast<std::ptrdiff_t>(ownTiming()));
  nodes.children = children;
  return nodes;
}

std::optional<BoundaryRange> TimedGraph::boundariesIn(driver::Node holder) const {
  auto first = static_cast<std::uint32_t>(ownTiming());
  for (const TimingNodes &child : children) {
    if (child.holder == holder)
      return BoundaryRange{first, child.size(), child.depth, child.structure};
    first += child.size();
  }
  return std::nullopt;
}

std::vector<driver::Node> TimedGraph::nodes() const {
  std::vector<driver::Node> nodes;
  if (const RebuiltGraph *const own = rebuilt()) {
    nodes.reserve(own->twins.pairs().size() + own->innerTwins.size());
    for (const auto &[node, twin] : own->twins.pairs())
      nodes.push_back(node);
    for (const auto &[node, twin] : own->innerTwins)
      nodes.push_back(node);
  }
  if (timedChildren)
    for (const TimedChild &child : *timedChildren)
      nodes.push_back(child.holder);
  return nodes;
}

driver::Node TimedGraph::twin(driver::Node node) const {
  const RebuiltGraph *const own = rebuilt();
  if (!own)
    return nullptr;
  if (const driver::Node found = own->twins.of(node))
    return found;
  const auto inner = own->innerTwins.find(node);
  return inner == own->innerTwins.end() ? nullptr : inner->second;
}

TimedGraph::Pairs TimedGraph::twinsOf(driver::Graph copy) const {
  Pairs pairs;
  if (const RebuiltGraph *const own = rebuilt())
    for (const auto &[node, twin] : own->twins.pairs())
      if (driver::Node inCopy = nullptr; ok(cu().graphNodeFindInClone(&inCopy, node, copy)))
        pairs.emplace_back(inCopy, twin);
  return pairs;
}

const TimedChild *TimedGraph::timedChild(driver::Node holder) const {
  if (!timedChildren)
    return nullptr;
  const auto found =
      std::find_if(timedChildren->begin(), timedChildren->end(),
                   [holder](const TimedChild &child) { return child.holder == holder; });
  return found == timedChildren->end() ? nullptr : &*found;
}

ReplayBuffer *TimedGraph::ownBuffer() const {
  if (const auto *const body = std::get_if<BodyRing>(&way))
    return body->ring.get();
  const auto *const buffer = std::get_if<std::shared_ptr<InPlaceBuffer>>(&way);
  return buffer ? (*buffer)->get() : nullptr;
}

bool TimedGraph::standsIn(driver::Graph graph) const {
  const auto nodes = nodesOf(graph);
  const auto isThere = [&](driver::Node node) { // asks only about nodes that exist
    return std::ranges::find(*nodes, node) != nodes->end() && table->clock->isTiming(node);
  };
  return nodes && isThere(root) && isThere(final);
}

driver::Exec TimedGraph::instantiate(ReplayBuffer &buffer, unsigned long long flags) const {
  const RebuiltGraph *const own = rebuilt();
  if (!own)
    return nullptr;
  const MutexLock lock(own->execMutex);
  driver::Exec exec = nullptr;
  return buffer.bind(clockNodes()) && ok(cu().graphInstantiate(&exec, own->graph, flags)) ? exec
                                                                                          : nullptr;
}

bool TimedGraph::update(driver::Exec exec, ReplayBuffer &buffer) const {
  const RebuiltGraph *const own = rebuilt();
  if (!own)
    return false;
  const MutexLock lock(own->execMutex);
  driver::ExecUpdateResult result{};
  return buffer.bind(clockNodes()) && ok(cu().graphExecUpdate(exec, own->graph, &result));
}

std::shared_ptr<RegionTable> tableOf(const TimedGraph &graph, GraphClock &clock,
                                     std::vector<Region> regions, std::vector<BodyTable> bodies,
                                     std::shared_ptr<const GraphNodes> drawn,
                                     std::uint64_t structure, std::uint64_t graphNumber) {
  auto table = std::make_shared<RegionTable>();
  table->graphNumber = graphNumber;
  table->regions = std::move(regions);
  table->bodies = std::move(bodies);
  table->boundaries = static_cast<std::uint32_t>(graph.timing.size());
  table->clock = &clock;
  table->layout = RegionTable::nextLayout();
  table->drawn = std::move(drawn);
  table->structure = structure;
  for (const TimingNodes &child : graph.children)
    table->structure = table->structure * 31 + child.structure;
  return table;
}

std::uint64_t nextGraphNumber() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/TimedGraph.h"

#include <algorithm>
#include <atomic>

namespace graphprof {

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

driver::Node TimedGraph::twin(driver::Node node) const {
  const auto *rebuilt = std::get_if<RebuiltGraph>(&way);
  if (!rebuilt)
    return nullptr;
  if (const driver::Node found = rebuilt->twins.of(node))
    return found;
  const auto inner = rebuilt->innerTwins.find(node);
  return inner == rebuilt->innerTwins.end() ? nullptr : inner->second;
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
  if (const auto *body = std::get_if<BodyGraph>(&way))
    return body->ring.get();
  const auto *inPlace = std::get_if<InPlaceGraph>(&way);
  return inPlace ? inPlace->buffer.get() : nullptr;
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

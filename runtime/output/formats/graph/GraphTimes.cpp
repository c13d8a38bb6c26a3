// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/graph/GraphTimes.h"

#include <map>
#include <optional>
#include <utility>

#include "output/data/Places.h"

namespace graphprof {

namespace {

std::vector<std::uint32_t> outermostOf(const std::vector<GraphNodes::Region> &regions) {
  std::vector<std::uint32_t> outermost(regions.size());
  for (std::uint32_t i = 0; i < regions.size(); ++i) {
    const std::uint32_t parent = regions[i].parent;
    outermost[i] = parent < i ? outermost[parent] : i; // a parent comes first
  }
  return outermost;
}

// A body's nodes are at one place in each iteration.
std::vector<std::uint32_t> placesOf(const std::vector<GraphNodes::Region> &regions) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Places> at;
  std::vector<std::uint32_t> places;
  places.reserve(regions.size());
  for (const GraphNodes::Region &region : regions)
    places.push_back(at[{region.parent, region.inside}].next(
        region.isNode ? Kind::Kernel : Kind::Region, region.name));
  return places;
}

} // namespace

double GraphWithTimes::percentOf(std::size_t region) const {
  return (regions[region].isCold() ? shares.cold : shares.warm).percentOf(region);
}

GraphWithTimes *GraphTimes::find(const Replay &replay) {
  const std::pair key(replay.drawn->looks, replay.serves ? replay.serves->text : std::string());
  const auto known = byLooks_.find(key);
  if (known == byLooks_.end() && graphs_.size() == maxGraphs)
    return nullptr;
  GraphWithTimes *timed = known == byLooks_.end() ? nullptr : known->second;
  if (!timed) {
    timed = graphs_.emplace_back(std::make_unique<GraphWithTimes>()).get();
    timed->graph = replay.drawn;
    timed->regions.resize(replay.drawn->regions.size());
    timed->outermost = outermostOf(replay.drawn->regions);
    timed->places = placesOf(replay.drawn->regions);
    timed->first = replay.graph;
    timed->serves = replay.serves;
    byLooks_.emplace(key, timed);
  }
  if (replay.graph > timed->last) { // graphs have consecutive numbers
    timed->last = replay.graph;
    ++timed->graphs;
  }
  return timed;
}

void GraphTimes::addCritical(GraphWithTimes &timed, const Batch &batch,
                             const Batch::Launch &launch) {
  const std::size_t nodes = timed.graph->nodes.size();
  if (ranCold(launch.replay) || timed.criticalReplays == CriticalReplays::mostOfGraph ||
      !replays_.knows(launch))
    return;
  if (replays_.of(batch, launch).structure->records.size() != nodes)
    return;
  const std::optional<CriticalReplay> replay = replays_.replay();
  if (!replay)
    return;
  ++timed.criticalReplays;
  timed.nodes.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const CriticalReplay::Node &node = replay->nodes[i];
    GraphWithTimes::OnPath &figures = timed.nodes[i];
    if (timed.graph->nodes[i].timed != GraphNodes::none)
      figures.slack.add(samples_, node.why, node.slackNs);
    if (node.isOnPath) {
      ++figures.replays;
      figures.waitedFor = node.waitedFor;
    }
  }
}

void GraphTimes::add(const Batch &batch) {
  replays_.take(batch);
  for (const Batch::Launch &launch : batch.launches)
    add(batch, launch);
}

void GraphTimes::add(const Batch &batch, const Batch::Launch &launch) {
  const Replay &replay = launch.replay;
  if (replay.exec == 0)
    return;
  if (!replay.drawn) {
    ++notDrawn_;
    dropped_ += launch.count;
    return;
  }
  GraphWithTimes *const timed = find(replay);
  if (!timed) {
    ++leftOut_;
    dropped_ += launch.count;
    return;
  }
  ++timed->replays;
  timed->coldReplays += ranCold(replay) ? 1 : 0;
  if (const std::int64_t lengthNs = replay.lengthNs(); lengthNs > 0)
    samples_.add(timed->spans.of(replay), lengthNs);
  ReplayShares &shares = timed->shares.of(replay);
  shares.begin(replay);
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    if (timing.ofGraph >= timed->regions.size())
      continue;
    shares.add(timing.ofGraph, timed->outermost[timing.ofGraph], executionOf(timing));
    GraphWithTimes::Times &times = timed->regions[timing.ofGraph].of(replay);
    if (timing.durationNs >= 0)
      samples_.add(times.durations, timing.durationNs);
    else
      ++times.notMeasured;
    times.busy.add(0, replay, timing);
  }
  shares.end();
  addCritical(*timed, batch, launch);
}

} // namespace graphprof

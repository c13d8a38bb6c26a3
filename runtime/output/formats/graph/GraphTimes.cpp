// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/graph/GraphTimes.h"

namespace graphprof {

double GraphWithTimes::percentOf(std::size_t region) const {
  const Distribution &durations = regions[region].durations;
  if (spans.sumNs() <= 0 || durations.count() == 0)
    return -1;
  return 100.0 * static_cast<double>(durations.sumNs()) / static_cast<double>(spans.sumNs());
}

GraphWithTimes *GraphTimes::find(const Replay &replay) {
  const auto known = byLooks_.find(replay.drawn->looks);
  if (known == byLooks_.end() && graphs_.size() == maxGraphs)
    return nullptr;
  GraphWithTimes *timed = known == byLooks_.end() ? nullptr : known->second;
  if (!timed) {
    timed = graphs_.emplace_back(std::make_unique<GraphWithTimes>()).get();
    timed->graph = replay.drawn;
    timed->regions.resize(replay.drawn->regions.size());
    timed->first = replay.graph;
    byLooks_.emplace(replay.drawn->looks, timed);
  }
  if (replay.graph > timed->last) { // graphs have consecutive numbers
    timed->last = replay.graph;
    ++timed->graphs;
  }
  return timed;
}

void GraphTimes::add(const Batch &batch) {
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
  if (replay.cold)
    ++timed->coldReplays;
  else if (replay.spanKnown())
    samples_.add(timed->spans, replay.endNs - replay.beginNs);
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    if (timing.cold || timing.ofGraph >= timed->regions.size())
      continue;
    GraphWithTimes::Times &times = timed->regions[timing.ofGraph];
    if (timing.durationNs >= 0)
      samples_.add(times.durations, timing.durationNs);
    else
      ++times.notMeasured;
  }
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/GatedOutput.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace graphprof {

namespace {

// A batch that refers to the same known regions and threads, without records. Few batches pass
// only partly: those at a begin and an end.
Batch withoutRecords(const Batch &batch) {
  Batch part;
  part.regionsFrom = batch.regionsFrom;
  part.graphsFrom = batch.graphsFrom;
  part.actsFrom = batch.actsFrom;
  part.threadsFrom = batch.threadsFrom;
  part.regions = batch.regions;
  part.graphs = batch.graphs;
  part.acts = batch.acts;
  part.threads = batch.threads;
  return part;
}

// Those of `things` for which `isInside` holds, or nothing where it holds for all.
template <class Thing, class IsInside>
std::optional<std::vector<Thing>> partOf(const std::vector<Thing> &things, IsInside isInside) {
  if (std::all_of(things.begin(), things.end(), isInside))
    return std::nullopt;
  std::vector<Thing> inside;
  std::copy_if(things.begin(), things.end(), std::back_inserter(inside), isInside);
  return inside;
}

} // namespace

std::string GatedOutput::write(const Batch &batch) {
  if (!batch.launches.empty())
    return writeReplay(batch, batch.launches.front().replay);
  if (!batch.kernelRuns.empty() && !admission_->admitsDevice(batch.kernelRuns.front().launchNs))
    return {};
  if (!batch.spans.empty())
    return writeSpans(batch);
  if (!batch.memory.empty() && !admission_->admitsDevice(batch.memory.front().event.timeNs))
    return {};
  return output().write(batch);
}

// A replay of a graph passes as a whole. Outside graphs each record counts by itself.
std::string GatedOutput::writeReplay(const Batch &batch, const Replay &replay) {
  if (replay.exec != 0)
    return admission_->admitsDevice(replay.launchNs) ? output().write(batch) : std::string();
  auto inside = partOf(batch.timings, [&](const Batch::Timing &timing) {
    const bool ofHost = withId(batch.regions, timing.region).clock == Clock::Host;
    return ofHost ? admission_->admitsHost(timing.launchNs)
                  : admission_->admitsDevice(timing.launchNs);
  });
  if (!inside)
    return output().write(batch);
  if (inside->empty())
    return {};
  Batch part = withoutRecords(batch);
  part.launches.push_back({replay, 0, inside->size()});
  part.timings = std::move(*inside);
  return output().write(part);
}

std::string GatedOutput::writeSpans(const Batch &batch) {
  auto inside = partOf(batch.spans, [this](const Batch::Span &span) {
    return admission_->admitsSpan(span.beginNs, span.endNs);
  });
  if (!inside)
    return output().write(batch);
  if (inside->empty())
    return {};
  Batch part = withoutRecords(batch);
  part.spans = std::move(*inside);
  return output().write(part);
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/GatedOutput.h"

#include <span>

namespace graphprof {

std::string GatedOutput::write(const Batch &batch) {
  if (batch.source.replay)
    return writeReplay(batch, *batch.source.replay);
  if (!batch.source.spans.empty())
    return writeSpans(batch);
  if (!batch.memory.empty() && !admission_->admitsDevice(batch.memory.front().event.timeNs))
    return {};
  return output().write(batch);
}

namespace {

// A batch that refers to the same known regions and threads, without records. Few batches pass
// only partly: those at a begin and an end.
Batch partOf(const Batch &batch) {
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

// Fills `inside` with the indices of the `things` that are inside.
template <class Thing, class IsInside>
void find(std::span<const Thing> things, std::vector<std::size_t> &inside, IsInside isInside) {
  inside.clear();
  for (std::size_t i = 0; i < things.size(); ++i)
    if (isInside(things[i]))
      inside.push_back(i);
}

} // namespace

// A replay of a graph passes as a whole. Outside graphs each record counts by itself.
std::string GatedOutput::writeReplay(const Batch &batch, const Replay &replay) {
  if (replay.exec != 0)
    return admission_->admitsDevice(replay.launchNs) ? output().write(batch) : std::string();
  find(replay.records, inside_, [this](const Record &record) {
    return record.clock == Clock::Host ? admission_->admitsHost(record.launch_ns)
                                       : admission_->admitsDevice(record.launch_ns);
  });
  if (inside_.empty())
    return {};
  if (inside_.size() == replay.records.size())
    return output().write(batch);
  Batch part = partOf(batch);
  records_.clear();
  for (const std::size_t i : inside_) {
    records_.push_back(replay.records[i]);
    if (!batch.launches.empty()) // empty if the output wants only the source
      part.timings.push_back(batch.timings[i]);
  }
  if (!batch.launches.empty())
    part.launches.push_back({batch.launches.front().replay, 0, part.timings.size()});
  Replay source = replay;
  source.records = records_;
  part.source.replay = &source;
  return output().write(part);
}

std::string GatedOutput::writeSpans(const Batch &batch) {
  find(batch.source.spans, inside_,
       [this](const HostSpan &span) { return admission_->admits(span); });
  if (inside_.empty())
    return {};
  if (inside_.size() == batch.source.spans.size())
    return output().write(batch);
  Batch part = partOf(batch);
  spans_.clear();
  for (const std::size_t i : inside_) {
    spans_.push_back(batch.source.spans[i]);
    if (!batch.spans.empty())
      part.spans.push_back(batch.spans[i]);
  }
  part.source.spans = spans_;
  return output().write(part);
}

} // namespace graphprof

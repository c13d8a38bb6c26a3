// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/GraphMemoryRows.h"

#include <algorithm>

#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

// Numbers may come from a damaged file.
void addKnown(GraphMemoryFigures::Bytes &sum, const GraphMemoryFigures::Bytes &more) {
  if (!more)
    return;
  std::int64_t bytes = sum.value_or(0);
  addTo(bytes, *more);
  sum = bytes;
}

} // namespace

void GraphMemoryFigures::add(const GraphMemoryStep &step) {
  using What = GraphMemoryStep::What;
  overlaps = overlaps || step.overlaps;
  if (step.what == What::Own)
    return addTo(ownBytes, step.bytes);
  addTo(poolBytes, step.poolBytes);
  switch (step.what) {
  case What::Capture:
    ++captures;
    allocations += step.allocations;
    allocatedBytes += step.allocatedBytes;
    return addKnown(capture, step.bytes);
  case What::Instantiate:
    ++execs;
    nodes += step.allocations;
    nodeBytes += step.allocatedBytes;
    return addKnown(instantiate, step.bytes);
  case What::FirstLaunch:
    return addKnown(firstLaunch, step.bytes);
  case What::Update:
  case What::Upload:
    return addKnown(other, step.bytes);
  case What::Own:
    return;
  }
}

void GraphMemoryFigures::add(const GraphMemoryFigures &more) {
  captures += more.captures;
  execs += more.execs;
  addKnown(capture, more.capture);
  addKnown(instantiate, more.instantiate);
  addKnown(firstLaunch, more.firstLaunch);
  addKnown(other, more.other);
  addTo(poolBytes, more.poolBytes);
  addTo(ownBytes, more.ownBytes);
  allocations += more.allocations;
  allocatedBytes += more.allocatedBytes;
  nodes += more.nodes;
  nodeBytes += more.nodeBytes;
  overlaps = overlaps || more.overlaps;
}

void GraphMemoryRows::beginRun() {
  run_ += any_ ? 1 : 0;
  any_ = true;
}

void GraphMemoryRows::add(const Batch &batch) {
  any_ = true;
  for (const GraphMemoryStep &step : batch.graphMemory)
    add(step);
  for (const Batch::Launch &launch : batch.launches)
    addName(launch.replay);
}

void GraphMemoryRows::add(const GraphMemoryStep &step) {
  const Key key{run_, step.graph, step.device,
                step.graph == 0 && step.what == GraphMemoryStep::What::Own};
  if (rows_.size() >= most && !rows_.contains(key))
    ++leftOut_;
  else
    rows_[key].add(step);
}

void GraphMemoryRows::addName(const Replay &replay) {
  if (!replay.serves || replay.graph == 0)
    return;
  const std::pair key(run_, replay.graph);
  if (const auto known = names_.find(key); known == names_.end()) {
    if (names_.size() < most)
      names_.emplace(key, replay.serves);
  } else if (known->second && known->second->text != replay.serves->text) {
    known->second = nullptr;
  }
}

std::vector<GraphMemoryRows::Row> GraphMemoryRows::rows() const {
  std::vector<Row> rows;
  rows.reserve(rows_.size());
  for (const auto &[key, figures] : rows_) {
    const auto name = names_.find({key.run, key.graph});
    rows.push_back({key, figures, name == names_.end() ? nullptr : name->second});
  }
  return rows;
}

GraphMemoryFigures GraphMemoryRows::total() const {
  GraphMemoryFigures total;
  for (const auto &[key, figures] : rows_)
    total.add(figures);
  return total;
}

bool GraphMemoryRows::severalRuns() const {
  return !rows_.empty() && rows_.begin()->first.run != rows_.rbegin()->first.run;
}

bool GraphMemoryRows::severalDevices() const {
  return std::ranges::any_of(
      rows_, [this](const auto &row) { return row.first.device != rows_.begin()->first.device; });
}

} // namespace graphprof

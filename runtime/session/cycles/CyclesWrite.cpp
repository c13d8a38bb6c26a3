// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Cycles: finds the cycle of a record, a host span, an allocation or a free.

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "services/StepName.h"
#include "session/cycles/Cycle.h"
#include "session/cycles/Cycles.h"

namespace graphprof {

namespace {

ProfilerActivity activityOf(const Record &record) {
  return record.clock == Clock::Host ? ProfilerActivity::CPU : ProfilerActivity::CUDA;
}

// The number of the process's step `step` for a profiler whose first step is `first`.
std::int64_t countedFrom(std::int64_t first, std::int64_t step) {
  return std::max(step - first, Steps::none);
}

} // namespace

Cycles::CyclePointer Cycles::cycleOf(std::int64_t launchNs, ProfilerActivity activity) const {
  const MutexLock lock(mutex_);
  const auto found = std::find_if(known_.rbegin(), known_.rend(), [&](const CyclePointer &cycle) {
    return cycle->of(activity).contain(launchNs);
  });
  return found == known_.rend() ? nullptr : *found;
}

bool Cycles::has(std::int64_t launchNs, ProfilerActivity activity) const {
  return cycleOf(launchNs, activity) != nullptr;
}

void Cycles::write(const Replay &replay) {
  if (replay.exec != 0) {
    if (const CyclePointer cycle = cycleOf(replay.launchNs, ProfilerActivity::CUDA))
      add(cycle, replay, replay.records);
    return;
  }
  // What ran inside a region outside graphs comes with that region, however long it was open. Each
  // record belongs to the cycle in which it began.
  std::span<const Record> rest = replay.records;
  while (!rest.empty()) {
    const auto cycleOfRecord = [this](const Record &record) {
      return cycleOf(record.launch_ns, activityOf(record));
    };
    const CyclePointer cycle = cycleOfRecord(rest.front());
    const auto end = std::find_if(rest.begin() + 1, rest.end(), [&](const Record &record) {
      return cycleOfRecord(record) != cycle;
    });
    const auto count = static_cast<std::size_t>(end - rest.begin());
    if (cycle) {
      Replay part = replay;
      part.launchNs = rest.front().launch_ns;
      add(cycle, part, rest.first(count));
    }
    rest = rest.subspan(count);
  }
}

void Cycles::write(const MemoryEvent &event) {
  CyclePointer cycle = cycleOf(event.timeNs, ProfilerActivity::CUDA);
  if (!cycle)
    cycle = cycleOf(event.timeNs, ProfilerActivity::CPU);
  if (!cycle)
    return;
  MemoryEvent own = event;
  own.step = countedFrom(steps().first, event.step);
  cycle->data.add(own);
}

void Cycles::add(const CyclePointer &cycle, const Replay &replay, std::span<const Record> records) {
  const std::int64_t first = steps().first;
  if (first == 0)
    return cycle->data.add(replay, records);
  Replay own = replay;
  own.step = countedFrom(first, replay.step);
  std::vector<Record> ownRecords(records.begin(), records.end());
  for (Record &record : ownRecords)
    record.step = countedFrom(first, record.step);
  cycle->data.add(own, ownRecords);
}

bool Cycles::has(const HostSpan &span) const {
  const CyclePointer cycle = cycleOf(span.begin_ns, ProfilerActivity::CPU);
  const MutexLock lock(mutex_);
  return cycle && cycle->contains(span);
}

void Cycles::write(std::span<const HostSpan> spans) {
  while (!spans.empty()) {
    const CyclePointer cycle = cycleOf(spans.front().begin_ns, ProfilerActivity::CPU);
    const auto end = std::find_if(spans.begin() + 1, spans.end(), [&](const HostSpan &span) {
      return cycleOf(span.begin_ns, ProfilerActivity::CPU) != cycle;
    });
    const auto count = static_cast<std::size_t>(end - spans.begin());
    if (cycle)
      add(cycle, spans.first(count));
    spans = spans.subspan(count);
  }
}

// All spans began in `cycle`.
void Cycles::add(const CyclePointer &cycle, std::span<const HostSpan> spans) {
  std::vector<HostSpan> inside;
  {
    const MutexLock lock(mutex_);
    std::copy_if(spans.begin(), spans.end(), std::back_inserter(inside),
                 [&](const HostSpan &span) { return cycle->contains(span); });
  }
  const std::int64_t first = steps().first;
  std::deque<std::string> names;
  if (first != 0) {
    for (HostSpan &span : inside) {
      span.step = countedFrom(first, span.step);
      if (span.kind == HostKind::Step)
        span.name = names.emplace_back(stepName(span.step));
    }
  }
  cycle->data.add(inside);
}

} // namespace graphprof

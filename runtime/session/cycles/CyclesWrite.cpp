// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Cycles: finds the cycle of a record, a host span, an allocation or a free.

#include <algorithm>
#include <iterator>
#include <vector>

#include "session/cycles/Cycle.h"
#include "session/cycles/Cycles.h"

namespace graphprof {

namespace {

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

// Calls `add(cycle, some)` with those of `things` that follow each other in one cycle, which
// `cycleOf` finds.
template <class Thing, class CycleOf, class Add>
void Cycles::byCycle(std::span<const Thing> things, CycleOf cycleOf, Add add) {
  while (!things.empty()) {
    const CyclePointer cycle = cycleOf(things.front());
    const auto end = std::find_if(things.begin() + 1, things.end(),
                                  [&](const Thing &thing) { return cycleOf(thing) != cycle; });
    const auto count = static_cast<std::size_t>(end - things.begin());
    if (cycle)
      add(cycle, things.first(count));
    things = things.subspan(count);
  }
}

void Cycles::write(const BatchView &view, const Replay &replay,
                   std::span<const Batch::Timing> timings) {
  if (replay.exec != 0) {
    if (const CyclePointer cycle = cycleOf(replay.launchNs, ProfilerActivity::CUDA))
      add(cycle, view, replay, timings);
    return;
  }
  // What ran inside a region outside graphs comes with that region, however long it was open. Each
  // record belongs to the cycle in which it began.
  const auto cycleOfTiming = [&](const Batch::Timing &timing) {
    const bool ofHost = view.region(timing.region).clock == Clock::Host;
    return cycleOf(timing.launchNs, ofHost ? ProfilerActivity::CPU : ProfilerActivity::CUDA);
  };
  byCycle(timings, cycleOfTiming,
          [&](const CyclePointer &cycle, std::span<const Batch::Timing> some) {
            Replay part = replay;
            part.launchNs = some.front().launchNs;
            if (some.size() != timings.size())
              part.layout = 0; // differs from all others
            add(cycle, view, part, some);
          });
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

void Cycles::add(const CyclePointer &cycle, const BatchView &view, const Replay &replay,
                 std::span<const Batch::Timing> timings) {
  const std::int64_t first = steps().first;
  if (first == 0)
    return cycle->data.add(view, replay, timings);
  Replay own = replay;
  own.step = countedFrom(first, replay.step);
  std::vector<Batch::Timing> ownTimings(timings.begin(), timings.end());
  for (Batch::Timing &timing : ownTimings)
    timing.step = countedFrom(first, timing.step);
  cycle->data.add(view, own, ownTimings);
}

bool Cycles::hasSpan(std::int64_t beginNs, std::int64_t endNs) const {
  const CyclePointer cycle = cycleOf(beginNs, ProfilerActivity::CPU);
  const MutexLock lock(mutex_);
  return cycle && cycle->contains(beginNs, endNs);
}

void Cycles::write(const BatchView &view, std::span<const Batch::Span> spans) {
  const auto cycleOfSpan = [this](const Batch::Span &span) {
    return cycleOf(span.beginNs, ProfilerActivity::CPU);
  };
  byCycle(spans, cycleOfSpan, [&](const CyclePointer &cycle, std::span<const Batch::Span> some) {
    add(cycle, view, some);
  });
}

// All spans began in `cycle`.
void Cycles::add(const CyclePointer &cycle, const BatchView &view,
                 std::span<const Batch::Span> spans) {
  std::vector<Batch::Span> inside;
  {
    const MutexLock lock(mutex_);
    std::copy_if(
        spans.begin(), spans.end(), std::back_inserter(inside),
        [&](const Batch::Span &span) { return cycle->contains(span.beginNs, span.endNs); });
  }
  const std::int64_t first = steps().first;
  if (first != 0)
    for (Batch::Span &span : inside)
      span.step = countedFrom(first, span.step);
  cycle->data.add(view, inside);
}

} // namespace graphprof

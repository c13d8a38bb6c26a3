// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The launches of one exec that wrote times and are not harvested yet.

#ifndef GRAPHPROF_GRAPH_LAUNCH_PENDINGLAUNCHES_H
#define GRAPHPROF_GRAPH_LAUNCH_PENDINGLAUNCHES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "CacheLine.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/launch/Handover.h"
#include "graph/launch/RecordingPlan.h"
#include "graph/registry/LaunchNames.h"
#include "graph/timing/RegionTable.h"

namespace graphprof {

/// Where launches wrote their times, and what these mean.
struct TimingContext {
  std::shared_ptr<const RegionTable> table;
  std::shared_ptr<ReplayBuffer> buffer;
  Device *device = nullptr;
  Take take; ///< what they recorded
};

/// A launch that wrote times.
struct PendingLaunch {
  std::uint64_t sequence = 0, number = 0, stream = 0;
  std::int64_t launchNs = 0;
  std::int64_t step = -1;
  bool cold = false;
  bool hasRecords = true; ///< false: it was recorded only to be compared (Take::isSample)
  bool recorded = true;   ///< false: only waited for before the buffer is reused
  std::uint32_t serves = LaunchNames::none; ///< none: what its graph serves
  /// Null: the same as in the note before. Most launches write to the same place as the previous
  /// one, and counting the users of a shared pointer would move its line between processors.
  std::shared_ptr<const TimingContext> source = nullptr;
};

class PendingLaunches {
public:
  /// If `most` are outstanding, the newest replaces the one before it, whose times are given up,
  /// and this returns false. The last one still tells when all have finished.
  bool push(PendingLaunch note, const std::shared_ptr<const TimingContext> &source,
            std::size_t most);
  [[nodiscard]] bool any();
  [[nodiscard]] std::size_t recorded();
  /// Is a recorded launch outstanding that was launched before `hostNs`?
  [[nodiscard]] bool before(std::int64_t hostNs);
  /// The stream and the host's time of the oldest recorded one.
  struct Oldest {
    std::uint64_t stream;
    std::int64_t launchNs;
  };
  [[nodiscard]] std::optional<Oldest> oldest();
  /// The oldest recorded one with its source, and how many recorded ones come behind it. Not during
  /// harvest().
  struct First {
    PendingLaunch note;
    std::size_t behind;
  };
  [[nodiscard]] std::optional<First> first();
  /// Whether the newest has finished, so that nobody need wait. True if none is outstanding.
  [[nodiscard]] bool areFinished();
  /// Discards all, and returns how many of them were recorded. Not during harvest().
  std::size_t abandon();

  /// Calls `finish(note, source)` for the oldest ones, in order, until one returns false, which
  /// stays. Returns how many are outstanding. On one thread at a time.
  template <class Finish> std::size_t harvest(Finish finish) {
    for (;;) {
      const std::span<const PendingLaunch> notes = notes_.take();
      if (notes.empty())
        return 0;
      for (const PendingLaunch &note : notes) {
        if (note.source)
          harvested_ = note.source;
        if (!finish(note, *harvested_))
          return size();
        notes_.done();
      }
    }
  }

private:
  [[nodiscard]] std::size_t size();
  [[nodiscard]] std::size_t countRecorded() const REQUIRES(notes_.mutex());

  Handover<PendingLaunch> notes_;
  std::shared_ptr<const TimingContext> harvested_; // of the newest note that was looked at
  alignas(cacheLine) std::shared_ptr<const TimingContext> pushed_
      GUARDED_BY(notes_.mutex()); // of the newest note
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_PENDINGLAUNCHES_H

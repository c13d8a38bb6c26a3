// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long what shares a row was busy, and the gaps behind it: one rule for all outputs. Records
// hold the medians that were known when they were made (graph/launch/BusyTimes.h). Of each region
// of each exec the newest counts. A row of several is their mean, weighted by their replays.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_BUSYFIGURES_H
#define GRAPHPROF_OUTPUT_STATISTICS_BUSYFIGURES_H

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>

#include "output/data/Batch.h"

namespace graphprof {

class BusyFigures {
public:
  /// Whose figures they are. `run`: a number for what numbers its execs itself; `region`: an id, or
  /// 0; `ofGraph`: Record::region.
  struct Of {
    std::uint64_t run, exec, region;
    std::uint32_t ofGraph;
    auto operator<=>(const Of &) const = default;
  };

  void add(std::uint64_t run, const Replay &replay, const Batch::Timing &timing) {
    add({run, replay.exec, timing.region, timing.ofGraph}, timing.busy);
  }
  void add(const Of &of, const Batch::Busy &busy) {
    if (busy.isKnown() && (newest_.size() < most || newest_.contains(of)))
      newest_.insert_or_assign(of, busy);
  }
  void add(const BusyFigures &other) { newest_.insert(other.newest_.begin(), other.newest_.end()); }
  [[nodiscard]] bool empty() const { return newest_.empty(); }
  [[nodiscard]] bool knows(const Of &of) const { return newest_.contains(of); }
  /// Not known: below 0. `replays`: of all of them. `cause`: if it is the same of all.
  [[nodiscard]] Batch::Busy shown() const {
    double busyNs = 0, gapNs = 0;
    std::uint64_t replays = 0, withGap = 0;
    GapCause cause = newest_.empty() ? GapCause::Unknown : newest_.begin()->second.cause;
    for (const auto &[of, busy] : newest_) {
      busyNs += static_cast<double>(busy.ns) * busy.replays;
      replays += busy.replays;
      cause = busy.cause == cause ? cause : GapCause::Unknown;
      if (busy.gapNs < 0)
        continue;
      gapNs += static_cast<double>(busy.gapNs) * busy.replays;
      withGap += busy.replays;
    }
    const auto mean = [](double ns, std::uint64_t count) {
      return count == 0 ? std::int64_t{-1} : std::llround(ns / static_cast<double>(count));
    };
    return {mean(busyNs, replays), mean(gapNs, withGap),
            static_cast<std::uint32_t>(std::min<std::uint64_t>(replays, UINT32_MAX)), cause};
  }

  /// How long one kernel is drawn: as long as it was busy, where its duration holds the gap behind
  /// it and the busy time is known; not longer than it lasted this time.
  [[nodiscard]] static std::int64_t drawnNs(Kind kind, Ends ends, std::int64_t durationNs,
                                            const Batch::Busy &busy) {
    return kind == Kind::Kernel && ends == Ends::NextBegin && busy.isKnown() && durationNs >= 0
               ? std::min(durationNs, busy.ns)
               : durationNs;
  }

private:
  static constexpr std::size_t most = 4096; // of a row; the first ones
  std::map<Of, Batch::Busy> newest_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_BUSYFIGURES_H

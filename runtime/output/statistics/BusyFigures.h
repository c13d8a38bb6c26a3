// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long what shares a row was busy, and the gaps behind it: one rule for all outputs. Records
// hold the medians that were known when they were made (graph/launch/BusyTimes.h). Of each region
// of each exec the newest counts. A row of several is their mean, weighted by their replays.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_BUSYFIGURES_H
#define GRAPHPROF_OUTPUT_STATISTICS_BUSYFIGURES_H

#include <cstdint>
#include <map>
#include <tuple>

#include "output/data/Batch.h"

namespace graphprof {

class BusyFigures {
public:
  /// `run`: a number for what numbers its execs itself.
  void add(std::uint64_t run, const Replay &replay, const Batch::Timing &timing) {
    if (timing.busy.isKnown())
      newest_.insert_or_assign(Key(run, replay.exec, timing.ofGraph), timing.busy);
  }
  void add(const BusyFigures &other) { newest_.insert(other.newest_.begin(), other.newest_.end()); }
  [[nodiscard]] bool empty() const { return newest_.empty(); }
  /// Not known: below 0. `replays`: of all of them.
  [[nodiscard]] Batch::Busy shown() const {
    double busyNs = 0, gapNs = 0;
    std::uint64_t replays = 0, withGap = 0;
    for (const auto &[key, busy] : newest_) {
      busyNs += static_cast<double>(busy.ns) * busy.replays;
      replays += busy.replays;
      if (busy.gapNs < 0)
        continue;
      gapNs += static_cast<double>(busy.gapNs) * busy.replays;
      withGap += busy.replays;
    }
    const auto mean = [](double ns, std::uint64_t count) {
      return count == 0 ? std::int64_t{-1}
                        : static_cast<std::int64_t>(ns / static_cast<double>(count) + 0.5);
    };
    return {mean(busyNs, replays), mean(gapNs, withGap), static_cast<std::uint32_t>(replays)};
  }

private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>; // run, exec, region
  std::map<Key, Batch::Busy> newest_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_BUSYFIGURES_H

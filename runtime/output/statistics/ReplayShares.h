// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which share of their replays regions take: one rule for all outputs.
//
// A row is what an output has one share for: a region, or all regions with one name. Its share is
// the time in which at least one of its executions ran, divided by the time of its replays. Its
// replays are those in which the outermost region around it ran. So no share is above 100 %, and
// none is larger than that of a region around it, although executions may be side by side or inside
// each other, and a branch may be taken in some replays only.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_REPLAYSHARES_H
#define GRAPHPROF_OUTPUT_STATISTICS_REPLAYSHARES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "output/data/Replay.h"

namespace graphprof {

class ReplayShares {
public:
  /// Begins a replay. If its span is not known, or it is of regions outside graphs, it is none.
  void begin(const Replay &replay);
  /// An execution of `row` in this replay; negative duration: not measured. A row with such an
  /// execution has no share of this replay. `outermost`: the row of the outermost region around it,
  /// or its own. Rows are numbered from 0, close together.
  void add(std::size_t row, std::size_t outermost, std::int64_t beginNs, std::int64_t durationNs);
  void end();

  /// In percent. Negative if it has none: it was never measured, or only outside replays.
  [[nodiscard]] double percentOf(std::size_t row) const;

private:
  static constexpr std::size_t none = SIZE_MAX;
  struct Interval {
    std::int64_t beginNs, endNs;
    std::size_t before; // of the same row; none
  };
  struct Row {
    std::int64_t busyNs = 0;      // in which it ran
    std::int64_t aroundNs = 0;    // as outermost: of the replays in which it or its inner ones ran
    std::int64_t elsewhereNs = 0; // of replays without the outermost region of its first one
    std::int64_t notMeasuredNs = 0; // of replays in which it was not measured
    std::size_t outermost = none;   // the first one around it
    bool measured = false;
    // In the current replay, if that has this number:
    std::uint64_t replay = 0, replayAround = 0;
    std::int64_t nowNs, lastBeginNs, coveredNs;
    std::size_t last; // interval
    bool missed, ordered;
  };

  void add(Row &row, std::int64_t beginNs, std::int64_t endNs);
  // The time that the row's intervals of this replay cover, in any order.
  [[nodiscard]] std::int64_t covered(const Row &row);

  std::vector<Row> rows_;
  std::uint64_t replay_ = 0; // a running number
  std::int64_t beginNs_ = 0, endNs_ = 0;
  bool counts_ = false;
  std::vector<std::size_t> ran_;              // rows in this replay
  std::vector<Interval> intervals_, inOrder_; // of this replay; of one row
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_REPLAYSHARES_H

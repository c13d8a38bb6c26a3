// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many replays there were, of how many execs and graphs, and how long they took: what every
// table says below its rows.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_REPLAYTOTALS_H
#define GRAPHPROF_OUTPUT_STATISTICS_REPLAYTOTALS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "output/data/Replay.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

class ReplayTotals {
public:
  /// What ran outside graphs does not count.
  void add(const Replay &replay);
  /// What follows is of another run, whose graphs and execs are others.
  void beginRun();

  [[nodiscard]] std::uint64_t count() const { return count_; } ///< including cold ones
  [[nodiscard]] std::uint64_t cold() const { return cold_; }
  [[nodiscard]] std::size_t graphs() const { return graphsBefore_ + graphs_.size(); }
  [[nodiscard]] std::size_t execs() const { return execsBefore_ + execs_.size(); }
  [[nodiscard]] const ByWarmth<Distribution> &lengths() const { return lengths_; }

  /// "12 replays of 1 exec of 1 graph, 15.600us each in the median", and how many were cold.
  /// `coldRows`: some rows of the table are marked as cold. Empty without replays.
  [[nodiscard]] std::string lines(bool coldRows) const;
  /// A line for each name of graphs, those that took the longest in all first: "decode batch=8: 12
  /// replays, 15.600us each in the median, 41.2% of the time of all". Empty if no graph has one.
  [[nodiscard]] std::string namedLines() const;

private:
  static constexpr std::size_t most = 10'000; // execs, and graphs, of a run

  std::uint64_t count_ = 0, cold_ = 0;
  std::set<std::uint64_t> graphs_, execs_; // of this run
  std::size_t graphsBefore_ = 0, execsBefore_ = 0;
  ByWarmth<Distribution> lengths_;
  static constexpr std::size_t mostNames = 256;
  std::map<std::string, ByWarmth<Distribution>> named_; // by what graphs serve
  std::uint64_t otherNames_ = 0;                        // replays of names beyond the bound
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_REPLAYTOTALS_H

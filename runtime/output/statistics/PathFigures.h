// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What critical paths say of rows, over many replays. A row is a node, or several: those of a
// region, of regions that share a line, or of one name. Does not know which.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_PATHFIGURES_H
#define GRAPHPROF_OUTPUT_STATISTICS_PATHFIGURES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "output/statistics/CriticalPath.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

/// The slack of something over many replays.
struct SlackFigures {
  Distribution ns;               ///< of the replays in which it had one
  std::uint64_t competes = 0;    ///< replays in which it had none, because branches compete
  std::uint64_t notMeasured = 0; ///< because of what was not measured

  void add(SharedBound &samples, NoSlack why, std::int64_t slackNs);
  /// Whether there is one to be shown: not if more than a tenth of the replays had none.
  [[nodiscard]] bool isClaimed() const;
  /// "competes", "not measured"; empty if it is claimed, or nothing was added.
  [[nodiscard]] std::string_view whyNot() const;
  /// What tables show: the median, or why there is none. Empty if nothing was added.
  [[nodiscard]] std::string text() const;
};

/// A row in one replay.
struct RowOnPath {
  std::int64_t pathNs = -1;         ///< of its nodes on the path; -1: none is on it
  NoSlack why = NoSlack::HasOne;    ///< of all of its nodes
  std::int64_t slackNs = INT64_MAX; ///< the least of its nodes'
  void add(const CriticalReplay::Node &node);
};

/// A row over many replays.
struct PathFigures {
  std::uint64_t replays = 0; ///< whole and warm ones of the graphs that have it
  std::uint64_t onPath = 0;  ///< in which some of it was on the critical path
  std::int64_t pathNs = 0;   ///< on the path, in all of them
  std::int64_t lengthNs = 0; ///< of all of them
  bool hasBranches = false;  ///< one of these graphs has; in a chain nothing can be later
  SlackFigures slack;

  void add(SharedBound &samples, const RowOnPath &row, std::int64_t replayNs);
  /// How much of its replays it was on the path.
  [[nodiscard]] double percentOfPath() const;
};

/// Adds up the nodes of one replay in their rows.
class RowsOnPath {
public:
  /// Call this first for each replay.
  void begin();
  void add(std::size_t row, const CriticalReplay::Node &node);
  /// The rows that the replay has, in the order in which they were met.
  [[nodiscard]] const std::vector<std::size_t> &met() const { return met_; }
  [[nodiscard]] const RowOnPath &of(std::size_t row) const { return rows_[row]; }

private:
  std::vector<RowOnPath> rows_;
  std::vector<bool> isMet_;
  std::vector<std::size_t> met_;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_PATHFIGURES_H

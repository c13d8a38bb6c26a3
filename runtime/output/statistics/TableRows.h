// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The rows of a table of regions, in the order and number in which a reader wants them: regions
// that differ in numbers only added up in one row, the longest first, the rest in one line. Does
// not know how they are printed.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_TABLEROWS_H
#define GRAPHPROF_OUTPUT_STATISTICS_TABLEROWS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "output/statistics/Statistics.h"

namespace graphprof {

struct TableRow {
  std::string name;        ///< whole; "layer {} attention" if it stands for several
  std::string path;        ///< of the first region, if paths are asked for
  std::string source;      ///< "src/model.cu:12", or empty
  std::size_t regions = 1; ///< how many are added up in it
  Kind kind = Kind::Region;
  Place place = Place::Graph;
  int depth = 0;
  /// It stands for the rows that are left out; then it has no name.
  bool isRest = false;
  /// It stands for the time of replays that is in no region: its mean in a replay, and its share.
  bool isOutside = false;
  std::shared_ptr<const Distribution> durations; ///< measured ones; never null
  std::uint64_t notMeasured = 0;
  double percentOfReplay = -1;    ///< negative: none
  ReplayShares::Of share;         ///< where that is from
  double percentOfReplays = -1;   ///< of a graph: its share of the time of all replays; likewise
  double gigabytesPerSecond = -1; ///< likewise
  Batch::Busy busy;               ///< BusyFigures of it
  bool isCopy = false;            ///< of a step
  double percentOverlapped = -1;  ///< likewise
  /// What critical paths say of its nodes, and of those of all regions in it. Null: nothing.
  const PathFigures *onPath = nullptr;

  /// The share that a table shows of it; negative: none.
  [[nodiscard]] double percent() const {
    return percentOfReplays >= 0 ? percentOfReplays : percentOfReplay;
  }
  /// It has a least, a longest and quantiles, and is drawn.
  [[nodiscard]] bool hasSpread() const { return !durations->empty() && !isOutside; }
  [[nodiscard]] bool hasQuantiles() const { return hasSpread() && !isRest; }
  /// What is printed instead of a name and a path.
  [[nodiscard]] bool isNamed() const { return !isRest && !isOutside; }
};

/// The name of the row that isOutside.
inline constexpr std::string_view outsideName = "(outside all regions)";

struct RowChoice {
  /// Adds up siblings that differ in numbers only.
  bool fold = true;
  /// The longest first within what is around them. Otherwise in the order in which they ran.
  bool longestFirst = true;
  /// How many rows at most, with those around them; the others of a place are added up in one row.
  std::size_t most = SIZE_MAX;
  bool paths = false;
};

/// Stands for `regions` rows that are left out: adds up those of them that are in no other.
[[nodiscard]] TableRow restRow(Place place, std::size_t regions,
                               const std::vector<const TableRow *> &outermost);

/// Rows come after the rows around them, and those of one Place together. The last one of replays
/// is what is outside all regions, so that the shares of one graph add up to 100 % where no two run
/// side by side.
/// The statistics must stay.
[[nodiscard]] std::vector<TableRow> tableRows(const Statistics &statistics,
                                              const RowChoice &choice);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_TABLEROWS_H

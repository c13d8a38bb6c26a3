// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The time of regions without that of the regions directly inside them: one that was recorded in
// other replays than what is inside it (GRAPHPROF_PARTS) is compared by means a replay, not by
// totals.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_SELFTIMES_H
#define GRAPHPROF_OUTPUT_STATISTICS_SELFTIMES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "output/data/Nesting.h"
#include "output/data/Replay.h"

namespace graphprof {

class SelfTimes {
public:
  /// Adds the records of a replay, or of regions outside graphs, as `tree` has them. `rows`: the
  /// row of each; none: it has no row. Rows are numbered from 0, close together.
  static constexpr std::size_t none = SIZE_MAX;
  void add(const Replay &replay, const RecordTree &tree, const std::vector<std::size_t> &rows);

  struct Self {
    double ns = 0;    ///< of all measured executions of the row
    double allNs = 0; ///< as if every replay had recorded it: what shares are of
  };
  [[nodiscard]] Self ofRow(std::size_t row);

private:
  static constexpr std::size_t mostKept = 1 << 17; // regions
  static constexpr std::uint64_t unknown = UINT64_MAX;
  // One region in the replays of one exec.
  struct Region {
    std::size_t row = none;
    int depth = 0;
    bool isInBody = false;
    std::uint64_t parent = unknown;        // its key, as a replay with both has it
    std::int64_t ns = 0;                   // of its measured executions
    std::int64_t insideNs = 0, onceNs = 0; // of what was recorded inside it; side by side ones once
    std::uint64_t measured = 0, missed = 0; // replays
    std::uint64_t replay = 0;               // the last one
    bool isMissed = false;                  // there
  };
  // The replays of one exec while it was of one graph.
  struct Graph {
    std::uint64_t replays = 0;
    std::map<std::uint64_t, Region> regions; // by keyOf(): in capture order
  };

  static std::uint64_t keyOf(const Record &record, std::size_t row) {
    return (std::uint64_t{record.region} << 32) | row;
  }
  Region &note(Graph &graph, const Record &record, std::size_t row);
  void settle(const Graph &graph);
  void settle();

  std::map<std::pair<std::uint64_t, std::uint64_t>, Graph> graphs_; // by exec and graph
  std::size_t kept_ = 0;
  std::uint64_t replay_ = 0; // a running number
  std::vector<Self> selfs_;  // by row, of what is settled
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_SELFTIMES_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which share of their replays regions take: one rule for all outputs.
//
// A row is what an output has one share for: a region, or all regions with one name. Its share is
// the mean time in a replay in which at least one of its executions ran, divided by the mean length
// of a replay. The replays are those of the graphs in which the row, or the outermost region around
// it, ran. A region that some replays did not record (GRAPHPROF_PARTS) took its mean there; a
// branch that was not taken took no time. Executions that run side by side or inside each other
// count once.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_REPLAYSHARES_H
#define GRAPHPROF_OUTPUT_STATISTICS_REPLAYSHARES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/Replay.h"

namespace graphprof {

class ReplayShares {
public:
  /// Begins a replay. If its span is not known, or it is of regions outside graphs, it is none.
  void begin(const Replay &replay);
  /// An execution of `row` in this replay; negative duration: not measured. `outermost`: the row of
  /// the outermost region around it, or its own. Rows are numbered from 0, close together.
  struct Execution {
    std::uint32_t region; ///< Record::region
    bool isInBody;        ///< of a conditional node: a replay without it did not run it
    std::int64_t beginNs, durationNs;
  };
  void add(std::size_t row, std::size_t outermost, const Execution &execution);
  void end();
  /// What follows is of another run, whose execs are others.
  void beginRun() { byExec_.clear(); }

  /// In percent. Negative if it has none: it was never measured, or only outside replays.
  [[nodiscard]] double percentOf(std::size_t row) const;

  /// A row of one that saw the same replays as others; null: outside graphs.
  struct Of {
    const ReplayShares *shares = nullptr;
    std::size_t row = 0;
  };
  /// That of several rows together: their times, divided by the length of the replays of all of
  /// their graphs. What runs side by side counts twice, so it is 100 at most. Negative: not known.
  [[nodiscard]] static double percentOf(const std::vector<Of> &rows);

private:
  static constexpr std::size_t none = SIZE_MAX;
  static constexpr std::size_t mostKept = 1 << 17; // members and places in `graphs` together
  struct Interval {
    std::int64_t beginNs, endNs;
    std::size_t before; // of the same row; none
  };
  // One region of a row in the replays of one exec.
  struct Member {
    std::uint32_t graph;
    bool isInBody = false;
    std::int64_t ns = 0, nowNs = 0;         // nowNs: in that replay
    std::uint64_t measured = 0, missed = 0; // replays
    std::uint64_t replay = 0;               // the last one that it ran in
    bool isMissed = false;                  // there
  };
  // The replays of one exec while it was of one graph.
  struct Graph {
    std::int64_t ns = 0;
    std::uint64_t replays = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> members; // by row and region
  };
  struct Row {
    std::size_t outermost = none; // the first one around it
    bool isMeasured = false;
    std::int64_t busyNs = 0, sumNs = 0; // in which it ran, and of its executions
    double settledNs = 0, settledOfNs = 0;
    std::vector<std::uint32_t> members, graphs; // graphs: in which it ran
    // In the current replay, if that has this number:
    std::uint64_t replay = 0;
    std::int64_t nowNs, lastBeginNs, coveredNs;
    std::size_t last; // interval
    bool ordered;
  };
  struct Share {
    double ns;
    std::vector<std::uint32_t> graphs; // whose replays it is of
  };

  void add(Row &row, std::int64_t beginNs, std::int64_t endNs);
  void noteGraph(Row &row);
  Member &memberOf(std::size_t row, const Execution &execution);
  [[nodiscard]] static double once(const Row &row);
  // The time that the row's intervals of this replay cover, in any order.
  [[nodiscard]] std::int64_t covered(const Row &row);
  [[nodiscard]] Share shareOf(const Row &row) const; // since the last settle()
  template <class Graphs> [[nodiscard]] double lengthOf(const Graphs &graphs) const;
  void settle(); // adds up and forgets what is known of each exec

  std::vector<Row> rows_;
  std::vector<Member> members_;
  std::vector<Graph> graphs_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> byExec_; // and graph: graphs_
  std::size_t kept_ = 0;
  std::uint64_t replay_ = 0; // a running number
  std::uint32_t graph_ = 0;
  std::int64_t beginNs_ = 0, endNs_ = 0;
  bool counts_ = false;
  std::vector<std::size_t> ran_;              // rows in this replay
  std::vector<Interval> intervals_, inOrder_; // of this replay; of one row
};

[[nodiscard]] inline ReplayShares::Execution executionOf(const Batch::Timing &timing) {
  return {timing.ofGraph, timing.iteration >= 0, timing.beginNs, timing.durationNs};
}

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_REPLAYSHARES_H

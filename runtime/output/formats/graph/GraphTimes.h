// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From replays to the times of each graph's regions and nodes: what pictures of graphs show. Knows
// nothing of how they are drawn.

#ifndef GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTIMES_H
#define GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTIMES_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/GraphNodes.h"
#include "output/data/Replay.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

/// All graphs that look alike, as one captured again and again does, and their warm replays.
struct GraphWithTimes {
  std::shared_ptr<const GraphNodes> graph; ///< the first of them
  std::uint64_t first = 0, last = 0;       ///< their running numbers, as outputs give them
  std::uint64_t graphs = 0;
  std::uint64_t replays = 0, coldReplays = 0; ///< the latter are left out
  Distribution spans;                         ///< of replays
  struct Times {
    Distribution durations;
    std::uint64_t notMeasured = 0;
  };
  std::vector<Times> regions; ///< by region

  /// The share of the replays' time that a region took, in percent; negative where it has none.
  [[nodiscard]] double percentOf(std::size_t region) const;
};

class GraphTimes {
public:
  /// Graphs that do not look alike and are told apart; replays of others are counted only.
  static constexpr std::size_t maxGraphs = 1'000;

  /// Keeps at most `maxSamples` durations singly; what is beyond goes into histograms.
  explicit GraphTimes(std::size_t maxSamples) : samples_(maxSamples) {}

  void add(const Batch &batch);

  /// In the order in which their first replays came.
  [[nodiscard]] const std::vector<std::unique_ptr<GraphWithTimes>> &graphs() const {
    return graphs_;
  }
  /// Replays of graphs that nobody wanted drawn when they were captured.
  [[nodiscard]] std::uint64_t notDrawn() const { return notDrawn_; }
  /// Replays beyond maxGraphs.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }
  /// The records of both.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
  void add(const Batch &batch, const Batch::Launch &launch);
  GraphWithTimes *find(const Replay &replay);

  SharedBound samples_;
  std::vector<std::unique_ptr<GraphWithTimes>> graphs_;
  std::unordered_map<std::uint64_t, GraphWithTimes *> byLooks_;
  std::uint64_t notDrawn_ = 0, leftOut_ = 0, dropped_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTIMES_H

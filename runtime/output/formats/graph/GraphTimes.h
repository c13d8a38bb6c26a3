// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Collects the times of each graph's regions and nodes for pictures of graphs. Does not know how
// they are drawn.

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
#include "output/statistics/BusyFigures.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/CriticalReplays.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/PathFigures.h"
#include "output/statistics/ReplayShares.h"

namespace graphprof {

/// All graphs that look the same, such as one that is captured repeatedly, with their replays.
struct GraphWithTimes {
  std::shared_ptr<const GraphNodes> graph; ///< the first of them
  std::uint64_t first = 0, last = 0;       ///< their numbers, as in outputs
  std::shared_ptr<const GraphName> serves; ///< what all of them serve; null: they have no name
  std::uint64_t graphs = 0;
  std::uint64_t replays = 0, coldReplays = 0; ///< the latter are among the former
  ByWarmth<Distribution> spans;               ///< of replays
  struct Times {
    Distribution durations;
    std::uint64_t notMeasured = 0;
    BusyFigures busy;
    [[nodiscard]] bool empty() const { return durations.empty() && notMeasured == 0; }
  };
  std::vector<ByWarmth<Times>> regions; ///< by region
  std::vector<std::uint32_t> outermost; ///< by region: the outermost region around it, or itself
  std::vector<std::uint32_t> places;    ///< by region: of a node, which of its name there (Places)
  ByWarmth<ReplayShares> shares;        ///< a row for each region
  /// Of the critical paths of some warm replays, if all nodes are timed.
  struct OnPath {
    SlackFigures slack;
    std::uint64_t replays = 0;                  ///< in which it was on the path
    std::uint32_t waitedFor = GraphNodes::none; ///< in the last of them
  };
  std::uint64_t criticalReplays = 0;
  std::vector<OnPath> nodes; ///< by node; empty: there are no such replays
  /// Whether the node is on the critical path of most replays.
  [[nodiscard]] bool isCritical(std::size_t node) const {
    return node < nodes.size() && 2 * nodes[node].replays > criticalReplays;
  }

  /// The share of its replays of what is shown of the region, in percent. Negative if it has none.
  [[nodiscard]] double percentOf(std::size_t region) const;
};

class GraphTimes {
public:
  /// How many graphs that look different are kept. Replays of others are only counted.
  static constexpr std::size_t maxGraphs = 1'000;

  /// Keeps at most `maxSamples` single durations. Further ones go into histograms.
  explicit GraphTimes(std::size_t maxSamples) : samples_(maxSamples) {}

  void add(const Batch &batch);

  /// In the order of their first replays.
  [[nodiscard]] const std::vector<std::unique_ptr<GraphWithTimes>> &graphs() const {
    return graphs_;
  }
  /// Replays of graphs that were captured before a picture was wanted.
  [[nodiscard]] std::uint64_t notDrawn() const { return notDrawn_; }
  /// Replays beyond maxGraphs.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }
  /// The records of both.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
  void add(const Batch &batch, const Batch::Launch &launch);
  GraphWithTimes *find(const Replay &replay);
  void addCritical(GraphWithTimes &timed, const Batch &batch, const Batch::Launch &launch);

  SharedBound samples_;
  CriticalReplays replays_;
  std::vector<std::unique_ptr<GraphWithTimes>> graphs_;
  // Graphs that look the same and have the same name.
  std::map<std::pair<std::uint64_t, std::string>, GraphWithTimes *> byLooks_;
  std::uint64_t notDrawn_ = 0, leftOut_ = 0, dropped_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_GRAPH_GRAPHTIMES_H

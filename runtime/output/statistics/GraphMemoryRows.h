// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What each graph took of a device's memory, added up from its steps.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_GRAPHMEMORYROWS_H
#define GRAPHPROF_OUTPUT_STATISTICS_GRAPHMEMORYROWS_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "output/data/Batch.h"

namespace graphprof {

/// The figures of a graph on a device, or of several.
struct GraphMemoryFigures {
  using Bytes = std::optional<std::int64_t>; ///< nullopt: not measured
  std::uint64_t captures = 0, execs = 0;
  Bytes capture, instantiate, firstLaunch;
  Bytes other;                ///< of updates and uploads
  std::int64_t poolBytes = 0; ///< of all of these: by which the pool of graphs grew
  std::int64_t ownBytes = 0;  ///< graphprof's, in none of these
  /// By the capturing thread during its captures, and by nodes of its execs' graphs.
  std::uint64_t allocations = 0, allocatedBytes = 0, nodes = 0, nodeBytes = 0;
  bool overlaps = false;

  [[nodiscard]] std::int64_t total() const {
    return capture.value_or(0) + instantiate.value_or(0) + firstLaunch.value_or(0) +
           other.value_or(0);
  }
  void add(const GraphMemoryStep &step);
  void add(const GraphMemoryFigures &more);
};

class GraphMemoryRows {
public:
  /// Which graph: of which run, in the order in which runs are read.
  struct Key {
    std::size_t run = 0;
    std::uint64_t graph = 0; ///< 0: captures that never became an exec
    int device = -1;
    bool isOwn = false; ///< without a graph: what graphprof has for all graphs
    auto operator<=>(const Key &) const = default;
  };
  struct Row {
    Key key;
    GraphMemoryFigures figures;
    /// What all launches of the graph serve; null: it has no name, several, or no launch.
    std::shared_ptr<const GraphName> serves;
  };

  /// What follows is of another process. Need not be called for the first.
  void beginRun();
  void add(const Batch &batch);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// By run and number.
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] GraphMemoryFigures total() const;
  [[nodiscard]] bool severalRuns() const;
  [[nodiscard]] bool severalDevices() const;
  /// Steps of graphs beyond the bound.
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }

private:
  static constexpr std::size_t most = 100'000; // rows

  void add(const GraphMemoryStep &step);
  void addName(const Replay &replay);

  std::size_t run_ = 0;
  bool any_ = false; // of this run
  std::map<Key, GraphMemoryFigures> rows_;
  // By run and graph. Null: several.
  std::map<std::pair<std::size_t, std::uint64_t>, std::shared_ptr<const GraphName>> names_;
  std::uint64_t leftOut_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_GRAPHMEMORYROWS_H

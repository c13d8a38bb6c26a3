// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds the structure of each replay's graph among what batches say of graphs, and the critical
// path of the replay. Does not know what is made of it.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_CRITICALREPLAYS_H
#define GRAPHPROF_OUTPUT_STATISTICS_CRITICALREPLAYS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "output/data/Batch.h"
#include "output/statistics/CriticalPath.h"

namespace graphprof {

/// For the batches of one Batcher, in their order.
class CriticalReplays {
public:
  /// For how many warm replays of each graph outputs find the path while the program runs, because
  /// that takes as long as everything else together.
  static constexpr std::uint64_t mostOfGraph = 256;

  /// A graph whose nodes are recorded.
  struct Structure {
    CriticalPath path;
    /// By node: the id of its region, and the place of its record among those of a replay that are
    /// in no conditional node's body. 0 and none: it has no record there.
    std::vector<std::uint64_t> regions;
    std::vector<std::uint32_t> records;
  };

  /// Call this first for each batch.
  void take(const Batch &batch);
  /// Whether the nodes of the replay's graph are recorded and not timed, as in a graph that is
  /// timed in place: nothing follows from them.
  [[nodiscard]] bool isUntimed(const Batch::Launch &launch) const {
    return untimed_.contains(launch.replay.graph);
  }
  /// Whether the recording says anything of its graph: it does from the graph's first replay on
  /// that was recorded whole.
  [[nodiscard]] bool isDescribed(const Batch::Launch &launch) const {
    return described_.contains(launch.replay.graph);
  }
  /// Whether they are recorded, and some are timed.
  [[nodiscard]] bool knows(const Batch::Launch &launch) const {
    return ofGraph_.contains(launch.replay.graph);
  }
  /// The structure of a graph that it knows, and whether all of it is in the replay. Valid as long
  /// as this.
  struct Found {
    const Structure *structure;
    bool isWhole;
  };
  [[nodiscard]] Found of(const Batch &batch, const Batch::Launch &launch);
  /// Of the replay for which of() was called last; nullopt if it is not whole, its span is not
  /// known, or the edges make a cycle.
  [[nodiscard]] std::optional<CriticalReplay> replay();
  /// By node, of that replay: its record in the batch. Null: it has none.
  [[nodiscard]] const std::vector<const Batch::Timing *> &records() const { return records_; }

private:
  std::uint64_t next_ = 1; // the first id of a graph that is not known
  std::unordered_map<std::uint64_t, std::shared_ptr<const Structure>> byId_; // that others are like
  std::unordered_map<std::uint64_t, std::vector<std::shared_ptr<const Structure>>> ofGraph_;
  std::unordered_set<std::uint64_t> described_, untimed_; // graphs
  // Of the last replay.
  Found found_{nullptr, false};
  Replay replay_;
  std::vector<const Batch::Timing *> inGraph_, records_;
  std::vector<NodeTimes> times_;
};

/// The critical paths of the first CriticalReplays::mostOfGraph warm replays of each graph.
class FirstCriticalReplays {
public:
  /// Call this first for each batch.
  void take(const Batch &batch) { replays_.take(batch); }
  struct Found {
    const CriticalReplays::Structure &structure; ///< valid as long as this
    CriticalReplay replay;
  };
  /// Nullopt: the replay was cold, nothing follows from it, or its graph had enough others.
  [[nodiscard]] std::optional<Found> of(const Batch &batch, const Batch::Launch &launch);
  /// Whether a graph had more of them.
  [[nodiscard]] bool hadMore() const { return hadMore_; }

private:
  CriticalReplays replays_;
  std::unordered_map<const CriticalReplays::Structure *, std::uint64_t> found_; // replays of each
  bool hadMore_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_CRITICALREPLAYS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long the nodes of an exec's graph were busy, and how long the gaps behind them are, from
// replays that stamp the ends of kernels besides their begins (OwnEnds.h). Those replays have no
// records of their own, because a stamp at an end moves what follows. What is known by then goes
// into the records of the other replays.
//
//   node   | busy: median of its end less its begin (RegionTable::knowsBegin()), of warm replays;
//   of
//          |       the other ones if those stamp its end, too
//          | gap: median of its duration up to the next begin, of other warm replays, less busy
//   region | the sums over its nodes, if that is known of each
//
// The other replays may time regions only, and those that stamp ends the nodes, too. Then the gap
// of a region is its median duration less busy, if nothing runs side by side.
//
// Does not know execs and outputs.

#ifndef GRAPHPROF_GRAPH_LAUNCH_BUSYTIMES_H
#define GRAPHPROF_GRAPH_LAUNCH_BUSYTIMES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graphprof/record.h"
#include "output/data/Batch.h"

namespace graphprof {

/// Of one exec. One thread at a time.
class BusyTimes {
public:
  /// Replays that a median is of at least, and at most: the newest.
  static constexpr std::size_t fewest = 5, most = 63;

  /// Records of a warm replay of the graph of `table`: of one that stamps ends, and of another. If
  /// that is another graph than before, forgets what was known.
  void addEnds(const RegionTable &table, std::span<const Record> records);
  void addDurations(const RegionTable &table, std::span<const Record> records);
  /// Fills in what is known. Nothing if the graph is another one.
  void show(const RegionTable &table, std::span<Record> records) const;

private:
  class Newest {
  public:
    void add(std::int64_t ns);
    [[nodiscard]] bool suffice() const { return ns_.size() >= fewest; }
    [[nodiscard]] std::size_t count() const { return ns_.size(); }
    [[nodiscard]] std::int64_t median() const;

  private:
    std::vector<std::int64_t> ns_;
    std::size_t next_ = 0; // to be replaced
  };
  // As the graph's ordinary stamps tell.
  struct Timed {
    Newest durations; // of the region up to the next begin
    Newest busy;      // of a node up to its own end
    GapCause cause = GapCause::Unknown;
  };
  // A region or node of the replays that stamp ends.
  struct Ended {
    int depth;
    Kind kind;
    Newest busy;
  };
  void take(const RegionTable &table);
  void takeEnds(const RegionTable &table);
  /// Whether all replays time the same. If not, the regions among what those replays time are the
  /// graph's, in their order.
  [[nodiscard]] bool isSame() const { return ended_.size() == timed_.size(); }
  void addUp();
  [[nodiscard]] Batch::Busy ofNode(std::size_t ended) const;

  std::uint64_t layout_ = 0;       // of the whole graph
  std::vector<Timed> timed_;       // by region
  std::vector<Ended> ended_;       // by region of those replays; empty: none was added
  std::vector<Batch::Busy> known_; // by region; empty: nothing is
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_BUSYTIMES_H

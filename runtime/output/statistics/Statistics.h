// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From replays to one line a region: what the table shows. Knows nothing of how it is printed.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_STATISTICS_H
#define GRAPHPROF_OUTPUT_STATISTICS_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/Overlap.h"

namespace graphprof {

/// Where a region ran: the table keeps the three apart, since their times do not compare.
enum class Place : std::uint8_t {
  Graph, ///< inside replays
  Eager, ///< on the device, outside graphs
  Host,  ///< host time only
};

/// All executions of one region: those with the same name inside regions of the same names, of
/// whichever exec.
struct RegionStatistics {
  std::string name;
  Place place = Place::Graph;
  int depth = 0;
  Distribution durations;        ///< measured ones, without those of cold replays
  std::uint64_t notMeasured = 0; ///< executions of which a boundary was not reached
  std::int64_t replaySpanNs = 0; ///< summed spans of the replays in which it was measured
  double movedBytes = 0;         ///< in the measured executions that say so
  std::int64_t movedNs = 0;      ///< summed durations of those
  bool isCopy = false;           ///< of a step
  std::int64_t overlappedNs = 0; ///< of a copy: how long other streams computed meanwhile
  /// Its share of the time of the replays in which it was measured, in percent; negative where it
  /// has none (outside graphs, never measured).
  [[nodiscard]] double percentOfReplay() const;
  /// 10^9 bytes a second; negative where it moves none.
  [[nodiscard]] double gigabytesPerSecond() const;
  /// How much of its time other streams computed, in percent; negative where it is no copy.
  [[nodiscard]] double percentOverlapped() const;
};

class Statistics {
public:
  /// Distinct regions that are told apart; records of further ones are counted only.
  static constexpr std::size_t maxRegions = 10'000;

  /// Keeps at most `maxSamples` durations singly, over all regions; what is beyond goes into
  /// histograms (see Distribution).
  explicit Statistics(std::size_t maxSamples) : samples_(maxSamples) {}

  /// The batches of one Batcher, in their order.
  void add(const Batch &batch);
  /// There are no more: finds out what overlapped the last copies.
  void finish();

  /// In capture order: a region before the regions inside it, those before the next one.
  /// Graphs first, then what ran outside, then host regions.
  [[nodiscard]] std::vector<const RegionStatistics *> regions() const;

  [[nodiscard]] std::uint64_t replays() const { return replays_; }         ///< cold ones included
  [[nodiscard]] std::uint64_t coldReplays() const { return coldReplays_; } ///< left out
  [[nodiscard]] std::size_t graphs() const { return graphs_.size(); }
  [[nodiscard]] std::size_t execs() const { return execs_.size(); }
  [[nodiscard]] std::uint64_t outsideGraphs() const { return outsideGraphs_; } ///< regions
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; }   ///< records beyond maxRegions
  [[nodiscard]] const Distribution &spans() const { return spans_; } ///< of replays, warm ones

private:
  struct Node {
    RegionStatistics region;
    std::vector<Node *> children;                        // in order of first appearance
    std::unordered_map<std::string_view, Node *> byName; // views of the children's names
    std::uint64_t lastReplay = 0; // the last replay whose span was counted, as replays_ had it
  };

  // Whatever computed beside a copy has come some replays later.
  struct Copy {
    RegionStatistics *region;
    StreamTime time;
  };
  static constexpr std::size_t mostWaiting = 1024;

  // Of batches: small, since every record looks at one.
  struct Region {
    Node *inGraph, *outside; // where its executions count; null: not sought yet
    double bytes;            // that one moves
    Clock clock;
    bool isCopy; // of a step
  };
  struct Naming {
    std::string name;
    std::uint64_t parent; // id; 0: none
  };

  void add(const Batch &batch, const Batch::Launch &launch);
  void addOutside(RegionStatistics &sums, bool isCopy, const Batch::Timing &timing);
  void settleCopies(std::size_t count);
  static Place placeOf(const Region &region, bool inGraph);
  // Null: left out. `region` has that id.
  Node *nodeOf(Region &region, std::uint64_t id, bool inGraph);
  Node *sought(std::uint64_t id, Place place, bool inGraph);
  Node *parentFor(std::uint64_t id, Place place, bool inGraph);
  Node *child(Node *parent, std::string_view name, Place place); // null beyond maxRegions

  SharedBound samples_;
  std::deque<Node> nodes_; // a deque: nodes refer to each other
  Node roots_[3];          // one a Place
  Node leftOutNode_;       // stands for null where that means something else
  ById<Region> known_;
  ById<Naming> names_; // of the same
  std::uint64_t replays_ = 0;
  std::uint64_t coldReplays_ = 0;
  std::uint64_t outsideGraphs_ = 0;
  std::uint64_t leftOut_ = 0;
  std::set<std::uint64_t> graphs_, execs_; // bounded by maxRegions; further ones are not counted
  Distribution spans_;
  Overlap overlap_;
  std::deque<Copy> copies_; // whose overlap is not known yet
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_STATISTICS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Computes one line for each region from replays: what the table shows. Does not know how it is
// printed.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_STATISTICS_H
#define GRAPHPROF_OUTPUT_STATISTICS_STATISTICS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "output/data/Batch.h"
#include "output/data/ById.h"
#include "output/statistics/BusyFigures.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/CriticalReplays.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/Overlap.h"
#include "output/statistics/PathFigures.h"
#include "output/statistics/ReplayShares.h"
#include "output/statistics/ReplayTotals.h"

namespace graphprof {

/// Where a region ran. The table separates the four, because their times cannot be compared.
enum class Place : std::uint8_t {
  Graph, ///< inside warm replays
  Cold,  ///< inside cold replays
  Eager, ///< on the device, outside graphs
  Host,  ///< host time only
};

/// All executions of one region, in any exec: those with the same name, inside regions with the
/// same names. Nodes of one name at one place have a row each (Places).
struct RegionStatistics {
  std::string name; ///< of a node with its number
  Kind kind = Kind::Region;
  const Site *site = nullptr; ///< of its first execution
  Place place = Place::Graph;
  int depth = 0;
  Distribution durations;        ///< measured ones
  std::uint64_t notMeasured = 0; ///< executions with a boundary that was not reached
  BusyFigures busy;
  double movedBytes = 0;                ///< in the measured executions that tell
  std::int64_t movedNs = 0;             ///< sum of the durations of those
  bool isCopy = false;                  ///< of a step
  std::int64_t overlappedNs = 0;        ///< of a copy: how long other streams computed during it
  const ReplayShares *shares = nullptr; ///< has its share
  std::size_t row = 0;                  ///< there
  /// Its siblings of the same group differ from it in numbers only (Statistics).
  std::size_t group = 0;
  const ReplayShares *groupShares = nullptr; ///< has the share of all of its group, by `group`
  /// What critical paths say of its nodes, and of those of all of its group. No replays: it has
  /// none, or their graphs' edges are not known.
  PathFigures onPath;
  const PathFigures *groupOnPath = nullptr; ///< null: as without replays

  /// It never ran there.
  [[nodiscard]] bool empty() const { return durations.empty() && notMeasured == 0; }
  /// Its share of its replays (ReplayShares.h). Negative if there is none (outside graphs, never
  /// measured).
  [[nodiscard]] double percentOfReplay() const;
  /// That of all regions of its group together, side by side ones once.
  [[nodiscard]] double percentOfGroup() const;
  /// In 10^9 bytes per second; negative if it moves none.
  [[nodiscard]] double gigabytesPerSecond() const;
  /// The share of its time in which other streams computed, in percent; negative if it is not a
  /// copy.
  [[nodiscard]] double percentOverlapped() const;
};

/// Regions form groups of those that differ in numbers only: regions of one place in the source
/// whose names are equal but for their digits, and nodes of one name, inside regions of one group.
/// "layer 0 attention" and "layer 1 attention" are of one group.
class Statistics {
public:
  /// How many different regions are kept. Records of others are only counted.
  static constexpr std::size_t maxRegions = 10'000;

  /// Keeps at most `maxSamples` single durations over all regions. Further ones go into histograms
  /// (Distribution).
  explicit Statistics(std::size_t maxSamples) : samples_(maxSamples), slacks_(maxSamples) {}

  /// Adds the batches of one Batcher, in their order.
  void add(const Batch &batch);
  /// What follows is of another Batcher, for example of another run.
  void beginRun();
  /// Call this after the last batch. Computes the overlap of the last copies.
  void finish();

  /// In capture order: a region comes before the regions inside it, and those before the next one.
  /// Graphs come first, then regions that ran in cold replays only, with those around them, then
  /// regions outside graphs, then host regions.
  [[nodiscard]] std::vector<const RegionStatistics *> regions() const;

  [[nodiscard]] const ReplayTotals &replays() const { return replays_; }
  [[nodiscard]] std::uint64_t outsideGraphs() const { return outsideGraphs_; } ///< regions
  [[nodiscard]] std::uint64_t leftOut() const { return leftOut_; } ///< records beyond maxRegions
  /// The share of replays in which no region ran. Negative: not known.
  [[nodiscard]] double percentOutside() const;
  /// Whether a graph had more warm replays than critical paths were found for
  /// (CriticalReplays::mostOfGraph).
  [[nodiscard]] bool pathsAreOfSome() const { return pathsAreOfSome_ || paths_.hadMore(); }

private:
  struct Node {
    ByWarmth<RegionStatistics> region; // outside graphs always warm
    std::size_t number = 0;            // in nodes_
    std::size_t group = 0, outermostGroup = 0;
    Node *parent = nullptr, *outermost = nullptr;
    std::vector<Node *> children;                        // in order of first appearance
    std::unordered_map<std::string_view, Node *> byName; // views of the children's names
    [[nodiscard]] Place place() const { return region.warm.place; }
  };

  // A copy whose overlap is computed some replays later, when other streams' work is known.
  struct Copy {
    RegionStatistics *region;
    StreamTime time;
  };
  static constexpr std::size_t mostWaiting = 1024;

  // Of batches. Small, because it is read for every record.
  struct Region {
    Node *inGraph, *outside; // the nodes that count its executions; null: not searched yet
    double bytes;            // that one execution moves
    Clock clock;
    bool isCopy; // of a step
  };
  struct Naming {
    std::string name, group;
    std::uint64_t parent; // an id; 0: none
    Kind kind;
    const Site *site;
  };

  void add(const Batch &batch, const Batch::Launch &launch);
  void add(Node &node, const Region &region, const Replay &replay, const Batch::Timing &timing);
  void addPath(const FirstCriticalReplays::Found &found);
  void addOutside(RegionStatistics &sums, bool isCopy, const Batch::Timing &timing);
  void settleCopies(std::size_t count);
  static Place placeOf(const Region &region, bool inGraph);
  // Null: left out. `id` is the id of `region`.
  Node *nodeOf(Region &region, std::uint64_t id, bool inGraph);
  Node *sought(std::uint64_t id, Place place, bool inGraph);
  Node *parentFor(std::uint64_t id, Place place, bool inGraph);
  Node *child(Node *parent, const Naming &naming, Place place); // null beyond maxRegions
  std::size_t groupIn(std::size_t parent, std::string name);

  SharedBound samples_, slacks_;
  std::deque<Node> nodes_; // a deque, because nodes refer to each other
  Node roots_[4];          // one for each Place; that of Cold has no children
  Node leftOutNode_;       // replaces null where null means something else
  ById<Region> known_;
  ById<Naming> names_;     // of the same regions
  std::uint64_t runs_ = 0; // begun after the first
  ReplayTotals replays_;
  std::uint64_t outsideGraphs_ = 0;
  std::uint64_t leftOut_ = 0;
  std::map<std::pair<std::size_t, std::string>, std::size_t>
      groups_;                            // by the group around; 0: none
  ByWarmth<ReplayShares> shares_;         // a row for each of nodes_
  ByWarmth<ReplayShares> groupShares_;    // a row for each group
  ByWarmth<ReplayShares> covered_;        // one row: all outermost ones together
  FirstCriticalReplays paths_;            // of this run
  bool pathsAreOfSome_ = false;           // those of a run before
  RowsOnPath nodesOnPath_, groupsOnPath_; // of one replay: by Node::number, by its group
  std::map<std::size_t, PathFigures> groupPaths_;
  Overlap overlap_;
  std::deque<Copy> copies_; // their overlap is not known yet
};

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_STATISTICS_H

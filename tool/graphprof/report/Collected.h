// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a report is made of: the figures of all recordings together, grouped as asked, and what is
// known of each run. Bounded, however long the recordings are.

#ifndef GRAPHPROF_TOOL_REPORT_COLLECTED_H
#define GRAPHPROF_TOOL_REPORT_COLLECTED_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "output/data/ById.h"
#include "output/statistics/BusyFigures.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/Distribution.h"
#include "output/statistics/GraphMemoryRows.h"
#include "output/statistics/InsideKernels.h"
#include "output/statistics/ReplayShares.h"
#include "output/statistics/Statistics.h"
#include "output/statistics/TableRows.h"
#include "recordings/Recordings.h"
#include "recordings/RunFacts.h"

namespace graphprof {

enum class GroupBy : unsigned char {
  Region, ///< each region in its place, as in the table at the end of a program
  Site,   ///< each annotated place in the source
  Kernel, ///< each kernel, copy and memset by its name, wherever it runs
  Graph,  ///< the replays of each graph
  Step,   ///< the replays, and what ran outside graphs, of each step
  Rank,   ///< likewise of each process
};

/// The row of a graph: "graph 1 of decode", because a number means something in its own process
/// only; the name that the program gave it means the same in all.
[[nodiscard]] std::string graphRow(const Replay &replay, std::string_view program);

class Collected : public RunsListener {
public:
  /// `totals`: one that gets the same recordings, grouped by region, and outlives this one, whose
  /// statistics() are then this one's too; null: it has its own.
  explicit Collected(GroupBy by, const Collected *totals = nullptr)
      : by_(by), totals_(totals), samples_(mostSamples), slacks_(mostSamples) {
    if (totals_ == nullptr)
      statistics_ = std::make_unique<Statistics>(mostSamples);
  }

  void begin(const Run &run) override;
  void add(const Batch &batch) override;
  void finish() {
    if (statistics_)
      statistics_->finish();
  }

  /// Of regions; totals of replays whatever the grouping.
  [[nodiscard]] const Statistics &statistics() const {
    return totals_ != nullptr ? totals_->statistics() : *statistics_;
  }
  /// Rows in the order of first appearance. Of GroupBy::Region, each region.
  [[nodiscard]] std::vector<TableRow> rows() const;
  /// Records of rows beyond the bound.
  [[nodiscard]] std::uint64_t leftOut() const {
    return by_ == GroupBy::Region ? statistics().leftOut() : leftOut_;
  }
  /// Of all runs, whatever the grouping.
  [[nodiscard]] const InsideKernels &insideKernels() const {
    return totals_ != nullptr ? totals_->insideKernels() : inside_;
  }
  [[nodiscard]] const GraphMemoryRows &graphMemory() const {
    return totals_ != nullptr ? totals_->graphMemory() : graphMemory_;
  }

private:
  static constexpr std::size_t mostSamples = 4'000'000; // single durations; 32 MB
  static constexpr std::size_t mostGroups = 100'000;

  struct Figures {
    Distribution durations;
    std::uint64_t notMeasured = 0;
    double movedBytes = 0;
    std::int64_t movedNs = 0;
    BusyFigures busy;
    [[nodiscard]] bool empty() const { return durations.empty() && notMeasured == 0; }
  };
  struct Group {
    std::string name, source;
    Kind kind = Kind::Region;
    Place place = Place::Graph;
    ByWarmth<Figures> figures;
    std::size_t number = 0; // in groups_
    PathFigures onPath;     // of warm replays
  };
  struct Region {
    Group *inGraph, *outside; // null: not searched yet
    std::string name, source;
    Kind kind;
    Clock clock;
    double bytes;
    std::uint64_t parent; // an id; 0: none
  };

  void addLaunch(const Batch &batch, const Batch::Launch &launch);
  void addTimings(const Batch &batch, const Batch::Launch &launch);
  void addTiming(Region &region, const Replay &replay, const Batch::Timing &timing);
  void addPath(const FirstCriticalReplays::Found &found);
  [[nodiscard]] bool isGrouped(const Region &region) const;
  Group *groupOf(Region &region, bool inGraph);
  void addSpan(const Batch &batch, const Batch::Launch &launch);
  [[nodiscard]] std::string spanGroup(const Replay &replay, std::int64_t step) const;
  Group *group(const std::string &key, const std::string &name, Place place);
  void measured(Figures &figures, std::int64_t ns, double bytes);

  const GroupBy by_;
  const Collected *const totals_;
  std::unique_ptr<Statistics> statistics_; // null: totals_ has them
  ById<Region> known_;
  std::deque<Group> groups_; // they do not move
  std::unordered_map<std::string, Group *> byKey_;
  FirstCriticalReplays paths_;    // of this run
  RowsOnPath groupsOnPath_;       // of one replay: by Group::number
  ByWarmth<ReplayShares> shares_; // by Group::number
  SharedBound samples_, slacks_;
  InsideKernels inside_{mostSamples};
  GraphMemoryRows graphMemory_;
  std::uint64_t leftOut_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_REPORT_COLLECTED_H

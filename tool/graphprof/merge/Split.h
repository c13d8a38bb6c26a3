// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a merged job shows: each collective split into waiting and transferring, and which rank held
// up the others in which step.
//
// A collective cannot transfer before its last rank has begun. Until then a rank waits:
//     waiting      = the last rank's begin - the own begin
//     transferring = the own end - the last rank's begin
// In a broadcast, the root takes the place of the last rank, and in a reduction only the root
// waits (Roots.h). All on one clock, and only where a wait is longer than what the clock is known
// by.
//
// A rank's own time in a step is what lies between the end of the step before and its own end, less
// collectives: what it computed, and how long it waited for its host. No clock of another rank is
// in it.

#ifndef GRAPHPROF_TOOL_MERGE_SPLIT_H
#define GRAPHPROF_TOOL_MERGE_SPLIT_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "Job.h"
#include "JobClocks.h"
#include "Matching.h"
#include "Roots.h"
#include "output/statistics/BusyFigures.h"
#include "output/statistics/Distribution.h"

namespace graphprof {

/// A rank in the collectives of a row. In a broadcast, and where one rank sends to the other, the
/// root has no times: whether it waits for anyone is not known. In a reduction, only the root has.
struct RankShare {
  Distribution waiting; ///< 0 for the last rank
  Distribution transferring;
  std::uint64_t last = 0;   ///< in how many it began last, by more than the uncertainty
  std::uint64_t known = 0;  ///< how many waits are longer than their uncertainty
  std::int64_t knownNs = 0; ///< their sum
  double uncertaintyNs = 0; ///< of its waits: its clock's and that of the least known other rank
  /// From the begin of a collective to its own end, waiting included, and the gap behind it, which
  /// transferring holds, too.
  BusyFigures busy;

  /// Whether the median of its waits says more than that they are short.
  [[nodiscard]] bool waits() const {
    return !waiting.empty() && waiting.quantileNs(0.5) > uncertaintyNs;
  }
};

/// The collectives of one path or, folded, of paths that differ in numbers only.
struct CollectiveRow {
  std::string path;
  std::size_t paths = 0;     ///< how many it stands for
  std::uint64_t count = 0;   ///< executions on all ranks together
  Distribution longest;      ///< the longest wait in each: from the first to the last begin
  Distribution transferring; ///< of all ranks
  std::uint64_t lastUnknown =
      0; ///< executions in which no rank is the last by more than the uncertainty
  double uncertaintyNs = 0; ///< of `longest`
  Flow flow = Flow::All;
  BusyFigures busy;             ///< of all ranks
  std::set<std::size_t> roots;  ///< their places; unless flow is All
  std::vector<RankShare> ranks; ///< by their places
  [[nodiscard]] bool waits() const {
    return !longest.empty() && longest.quantileNs(0.5) > uncertaintyNs;
  }
  static constexpr std::size_t none = SIZE_MAX;
  /// The place of the rank that was last most often, more often than chance explains; or none.
  [[nodiscard]] std::size_t lastMostOften() const;
  [[nodiscard]] bool anyLast() const;
};

struct StepRow {
  std::int64_t step;                           ///< -1: a launch
  std::size_t exec;                            ///< of a launch: which matched exec
  std::uint64_t number;                        ///< likewise its number
  std::uint32_t serves;                        ///< Job::graphName(), if all ranks' are the same
  std::size_t fastest, slowest;                ///< places of ranks
  std::int64_t fastestNs, slowestNs, medianNs; ///< own times
  bool decided;                                ///< the slowest took longer than ranks do by chance
  [[nodiscard]] std::int64_t spreadNs() const { return slowestNs - fastestNs; }
};

struct RankSummary {
  Distribution own; ///< of each step
  /// Of each step: how long its kernels but for collectives were busy, added up. Empty if that is
  /// not known of all of them.
  Distribution busy;
  std::uint64_t slowest = 0; ///< steps in which it was the slowest, and that is decided
  Distribution behind;       ///< in these: what it took longer than the fastest
  RankShare all;             ///< of all collectives
};

class Split {
public:
  /// `fold`: collectives that agree, of paths that differ in numbers only, are one row.
  Split(const Job &job, const Matching &matching, const JobClocks &clocks, const Roots &roots,
        bool fold);

  [[nodiscard]] const std::vector<RankSummary> &ranks() const { return ranks_; }
  /// In the order of their first appearance.
  [[nodiscard]] const std::deque<CollectiveRow> &collectives() const { return collectives_; }
  /// In their order.
  [[nodiscard]] const std::vector<StepRow> &steps() const { return steps_; }
  [[nodiscard]] const Distribution &spread() const { return spread_; }
  /// Whether launches have steps. Otherwise each launch is one.
  [[nodiscard]] bool bySteps() const { return bySteps_; }
  /// Launches left out because some code ran for the first time.
  [[nodiscard]] std::uint64_t cold() const { return cold_; }
  /// Collectives in which a rank ended before another began, which is impossible.
  [[nodiscard]] std::uint64_t impossible() const { return impossible_; }
  /// Broadcasts, reductions to one rank, and sends, of which it is not known which rank is the
  /// root; and of which executions contradict each other or the user.
  [[nodiscard]] std::uint64_t rootUnknown() const { return rootUnknown_; }
  [[nodiscard]] std::uint64_t rootContradicted() const { return rootContradicted_; }
  /// Collectives of ranks whose clocks cannot be compared.
  [[nodiscard]] std::uint64_t notComparable() const { return notComparable_; }

private:
  struct Unit {
    std::int64_t step;
    std::vector<const MatchedLaunch *> launches;
  };

  void take(const Occurrence &occurrence);
  void takeOneWay(const Occurrence &occurrence);
  void addWait(CollectiveRow &row, std::size_t rank, std::size_t other, std::int64_t waitingNs,
               std::int64_t transferringNs);
  CollectiveRow &rowOf(std::uint32_t path);
  void findSteps();
  void addStep(const Unit &unit, const Unit *before);
  /// In which steps the slowest rank is slower beyond chance.
  void decide();
  /// The standard deviation of a rank's own time from step to step, as against other ranks.
  [[nodiscard]] double variationNs() const;
  void addBusy(std::uint32_t path, CollectiveRow &row);
  /// -1: not known.
  [[nodiscard]] std::int64_t busyNs(const Unit &unit, std::size_t rank);
  [[nodiscard]] std::int64_t ownNs(const Unit &unit, const Unit *before, std::size_t rank);

  const Job &job_;
  const Matching &matching_;
  const JobClocks &clocks_;
  const Roots &roots_;
  SharedBound samples_{mostSamples};
  std::vector<RankSummary> ranks_;
  std::map<std::pair<std::size_t, std::uint64_t>, std::int64_t> busyNs_; // by rank and exec
  std::deque<CollectiveRow> collectives_;
  std::unordered_map<std::uint32_t, CollectiveRow *> ofPath_;
  std::vector<StepRow> steps_;
  std::vector<std::int64_t> ownNs_; // of each rank in each step, step by step
  Distribution spread_;
  bool bySteps_ = false;
  std::uint64_t cold_ = 0, impossible_ = 0, notComparable_ = 0, rootUnknown_ = 0,
                rootContradicted_ = 0;
  std::vector<std::int64_t> begins_, ends_; // of an occurrence, by the first clock
  std::vector<std::pair<std::int64_t, std::int64_t>> inside_; // of a step: the rank's collectives
  static constexpr std::size_t mostSamples = 8'000'000;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_MERGE_SPLIT_H

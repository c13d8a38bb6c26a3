// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which launches of an exec are recorded, and how much of its graph at once, so that recording
// costs what the user allows (services/RecordingBudget.h). Knows numbers only: no driver, no execs.
//
//   state     | from                           | a launch records
//   ----------+--------------------------------+----------------------------------------------------
//   Everything| no budget                      | everything
//   Measuring | a budget to be kept            | as a series of windows says; then nothing, until
//             |                                | these are read
//   Running   | enough was read, or the user   | one launch in `every`, of which one of `parts`
//             | named the numbers              | parts; and now and then a window
//
// What a launch records is drawn by a hash of its number. Programs have periods of their own, such
// as every second replay slow: a period of ours would meet some of their launches more often than
// others, and then no number of replays makes a mean right. And the ranks of a job, which wait for
// each other, record the same replays, where each on turns of its own would make the others wait.
// That holds even where their `every` differ, since a budget's are powers of two, and the turns of
// each are among those of the smaller ones.
//
// What recording costs is read from replays (ReplayComparison.h), of windows of launches for which
// it was drawn how many of them are recorded.
//
// Launches that are recorded only to be compared are no samples: they come in clusters, and are
// more at the start than later. Of them, only those have records that were drawn as others are.
//
// Some rounds of parts stamp the ends of their kernels besides their begins (BusyTimes.h): one of
// two until each part had enough of them, then one in eight. With a budget, what these cost more
// than others is read in the same two ways: eight of them at first, to see it. They come as often
// as the price has room for on average, but not more often than without a budget, and where one
// launch in `every` is recorded, `every` counts them.
//
// `parts` is chosen so that one recorded replay costs no more than the budget, and every launch is
// recorded. Where that is not possible, since begin and end alone cost more, graphs are recorded
// whole, and `every` is chosen so that replays on average cost no more. From then on `every`
// follows what is read.

#ifndef GRAPHPROF_GRAPH_LAUNCH_RECORDINGPLAN_H
#define GRAPHPROF_GRAPH_LAUNCH_RECORDINGPLAN_H

#include <cstdint>
#include <optional>

#include "graph/launch/ReplayComparison.h"
#include "graph/launch/Take.h"
#include "services/RecordingBudget.h"

namespace graphprof {

/// What recording costs a replay, in nanoseconds of the device's time, as far as it cannot be read.
struct ReplayCosts {
  std::int64_t replayNs = 0;  ///< the replay's begin and end
  std::int64_t regionsNs = 0; ///< all else, if the whole graph is recorded and there are no parts
};

class RecordingPlan {
public:
  /// `seed` decides what is drawn: the same in all ranks of a job.
  RecordingPlan(RecordingBudget &budget, std::uint64_t seed) : budget_(budget), seed_(seed) {}
  RecordingPlan(const RecordingPlan &) = delete;
  RecordingPlan &operator=(const RecordingPlan &) = delete;

  // Under the lock of the exec's pair:

  /// The exec times another graph from now on. `canSplit`: parts of it can be made.
  /// `hasEnds`: kernels in it may have stamps at their ends besides those at their begins.
  void begin(const ReplayCosts &costs, bool canSplit, bool hasEnds = false);
  /// No parts can be made any more.
  void keepWhole();
  /// What the exec's launch of that number records, which is about to happen. Numbers grow.
  [[nodiscard]] Take next(std::uint64_t launch);
  /// Whether a launch that records the whole graph runs kernels' timed twins: one of each two, in
  /// an order that is drawn. Call it once for each.
  [[nodiscard]] bool takesTwins();
  /// The launch could not record what next() said: the next one does.
  void postpone() { forced_ = Forced{launch_ + 1, true}; }
  /// Whether launches may be left out.
  [[nodiscard]] bool samples() const { return state_ != State::Everything; }
  /// Whether the launch after this one records, as far as is known.
  [[nodiscard]] bool takesNext();

  /// On the harvest thread: in launch order.
  void observe(const ReadReplay &replay) { comparison_.add(replay); }

private:
  enum class State : std::uint8_t { Everything, Measuring, Running };

  void readTerms(std::uint64_t launch);
  [[nodiscard]] Take measure(std::uint64_t launch);
  [[nodiscard]] Take run(std::uint64_t launch);
  /// What `launch` records in that state, but for what is forced.
  [[nodiscard]] Take drawMeasuring(std::uint64_t launch) const;
  [[nodiscard]] Take drawRunning(std::uint64_t launch);
  /// Whether `launch` is one of every `every`.
  [[nodiscard]] bool isTurn(std::uint64_t launch);
  /// The turn among the launches `run * every` and the `every - 1` behind it.
  [[nodiscard]] std::uint64_t turnOf(std::uint64_t run, std::uint64_t every) const;
  /// The first turn from launch `from` on.
  [[nodiscard]] std::uint64_t turnFrom(std::uint64_t from, std::uint64_t every) const;
  /// The place of `launch` in a window, from 0 to windowLaunches; nothing: it is in none.
  [[nodiscard]] std::optional<std::uint64_t> placeInWindow(std::uint64_t launch);
  /// A round of turns has each part once. So each is recorded as often as the others.
  [[nodiscard]] std::uint32_t partOf(std::uint64_t turn) const;
  /// What `turn` records, of parts. `isSample` as that of Take.
  [[nodiscard]] Take takeOf(std::uint64_t turn, bool isSample) const;
  /// From `launch` on, one of every `every_` is recorded.
  void drawFrom(std::uint64_t launch);
  /// Of which part, and which half of it, this turn stamps the ends; nothing: of none.
  [[nodiscard]] std::optional<Take> endsOf(std::uint64_t turn) const;

  void choose(std::uint64_t launch);
  void adapt(std::uint64_t launch);
  /// Chooses `every_`.
  struct Costs {
    double bareNs = 0, recordedNs = 0; ///< of a replay, if all are recorded
    double sampledNs = 0;              ///< of a replay, if few are
    double spanNs = 0;  ///< of a bare replay, about as long as one that is not recorded
    double endsNs = -1; ///< of one that stamps ends, more than another; -1: not known yet
  };
  /// Chooses `every_` and `endsEvery_`.
  void keep(const Costs &costs);
  /// Whether a price decides how often something is recorded.
  [[nodiscard]] bool followsPrice() const {
    return terms_.fraction > 0 && (terms_.every == 0 || terms_.parts == 0);
  }
  /// Whether launches are compared from time to time.
  [[nodiscard]] bool adapts() const { return terms_.fraction > 0 && terms_.every == 0; }
  /// How many turns one is of that stamps ends, if `endsEvery_` is known.
  [[nodiscard]] std::uint64_t turnsForEnds(std::uint64_t turns) const;
  /// Nothing if that is not known yet. `parts`: of which each recorded replay held one.
  [[nodiscard]] std::optional<Costs> measured(const ReplayComparison::Findings &found,
                                              std::uint32_t parts) const;
  enum class Draw : std::uint64_t; // what is drawn, so that no two draws are alike
  [[nodiscard]] std::uint64_t draw(Draw what, std::uint64_t a, std::uint64_t b = 0) const;

  RecordingBudget &budget_;
  std::uint32_t generation_ = 0; // of terms_; 0: not read yet
  BudgetTerms terms_;
  ReplayCosts costs_;
  bool canSplit_ = false, hasEnds_ = false;
  State state_ = State::Everything;
  std::uint64_t every_ = 1;
  std::uint32_t partCount_ = 1; // 1: whole
  std::uint64_t launch_ = 0;    // the newest
  std::uint64_t first_ = 0;     // since then it is in this state
  std::uint64_t nextTurn_ = 0;  // from launch_ on
  std::uint64_t window_ = 0;    // where the newest or the next one begins
  std::uint64_t adaptAt_ = 0;   // a launch
  std::uint64_t endsEvery_ = 1; // of at least so many turns one stamps ends; 0: not known yet
  bool sawDelayOfEnds_ = false; // since it was adapted
  struct Forced {
    std::uint64_t launch;
    bool isSample;
  };
  std::optional<Forced> forced_; // this launch records in any case
  bool isCompared_ = false;      // launch_ is in a window
  std::uint64_t wholes_ = 0;     // takesTwins() was asked so often
  const std::uint64_t seed_;

  ReplayComparison comparison_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_RECORDINGPLAN_H

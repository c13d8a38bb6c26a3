// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which launches of an exec are recorded, and how much of its graph at once, so that recording
// costs what the user allows (services/RecordingBudget.h). Knows numbers only: no driver, no execs.
//
//   state     | from                           | a launch records
//   ----------+--------------------------------+----------------------------------------------------
//   Everything| no budget                      | everything
//   Measuring | a budget to be kept            | everything, or nothing but the replay's begin and
//             |                                | end, or nothing, in turn; then nothing, until
//             |                                | these are read
//   Running   | enough was read, or the user   | one launch in `every`, of which one of `parts`
//             | named the numbers              | parts, in jittered turns
//
// What recording costs is read from replays in two ways, and the larger counts: how much longer
// they take from begin to end than those of which nothing else was recorded; and how much later the
// next recorded one begins, with none, one and three launches between them that are not recorded.
// The second sees the program's own replays, and what it costs to change execs, but only where the
// device does not wait for the host.
//
// Some turns stamp the ends of a part's kernels besides their begins (BusyTimes.h): every second
// one until each part had enough of them, then one in eight. The others are as they would be
// without. With a budget, what these cost more than others is read in the same two ways: six of
// them at first, to see it. They come as often as the price has room for on average, but not more
// often than without a budget, and where one launch in `every` is recorded, `every` counts them.
//
// `parts` is chosen so that one recorded replay costs no more than the budget, and every launch is
// recorded. Where that is not possible, since begin and end alone cost more, graphs are recorded
// whole, and `every` is chosen so that replays on average cost no more. From then on `every`
// follows what is read.
//
// Turns are jittered, so that no period of the program's is always met, or always missed. They
// follow from the number of the launch alone: the ranks of a job, which wait for each other, record
// the same replays, where each on turns of its own would make the others wait. That holds even
// where their `every` differ, since a budget's are powers of two, and the turns of each are among
// those of the smaller ones.

#ifndef GRAPHPROF_GRAPH_LAUNCH_RECORDINGPLAN_H
#define GRAPHPROF_GRAPH_LAUNCH_RECORDINGPLAN_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "Mutex.h"
#include "graph/timing/OwnEnds.h"
#include "services/RecordingBudget.h"

namespace graphprof {

/// What one launch records.
struct Take {
  enum class What : std::uint8_t {
    Nothing,
    Bare, ///< the replay's begin and end only, to compare with
    Part, ///< `part` of `parts`
    Whole,
    Twins, ///< the whole graph, but with the timed twins of kernels (KernelTwins.h)
  };
  What what = What::Whole;
  std::uint32_t part = 0, parts = 1;
  OwnEnds ends = OwnEnds::None; ///< of a part: whose own ends are stamped, too
};

/// What recording costs a replay, in nanoseconds of the device's time, as far as it cannot be read.
struct ReplayCosts {
  std::int64_t replayNs = 0;  ///< the replay's begin and end
  std::int64_t regionsNs = 0; ///< all else, if the whole graph is recorded and there are no parts
};

/// A recorded replay that was read.
struct ReadReplay {
  Take take;
  std::uint64_t number = 0; ///< of the launch, of this exec
  std::uint64_t stream = 0;
  bool isCold = true;
  std::int64_t beginNs = 0, endNs = 0;
};

class RecordingPlan {
public:
  /// `seed` decides the jitter: the same in all ranks of a job.
  RecordingPlan(RecordingBudget &budget, std::uint64_t seed) : budget_(budget), seed_(seed) {}
  RecordingPlan(const RecordingPlan &) = delete;
  RecordingPlan &operator=(const RecordingPlan &) = delete;

  // Under the lock of the exec's pair:

  /// The exec times another graph from now on. `canSplit`: parts of it can be made.
  /// `hasEnds`: kernels in it may have stamps at their ends besides those at their begins.
  void begin(const ReplayCosts &costs, bool canSplit, bool hasEnds = false);
  /// No parts can be made any more.
  void keepWhole();
  /// What the launch that is about to happen records. Call it once for each launch while graphprof
  /// records.
  [[nodiscard]] Take next();
  /// Whether a launch that records the whole graph runs kernels' timed twins: one of each two, at
  /// turns that meet no period of the program's. Call it once for each.
  [[nodiscard]] bool takesTwins();
  /// The launch could not record what next() said: the next one does.
  void postpone() { next_ = launch_; }
  /// Whether launches may be left out.
  [[nodiscard]] bool samples() const { return state_ != State::Everything; }
  /// Whether the launch after this one records, as far as is known.
  [[nodiscard]] bool takesNext() const { return next_ <= launch_; }

  /// On the harvest thread: in launch order.
  void observe(const ReadReplay &replay) EXCLUDES(readMutex_);

private:
  enum class State : std::uint8_t { Everything, Measuring, Running };

  /// The newest of one kind of times.
  class Times {
  public:
    void add(std::int64_t ns) { kept_[count_++ % kept_.size()] = ns; }
    [[nodiscard]] bool suffice() const { return count_ >= enough; }
    /// The quartile of that number: 2 is the median.
    [[nodiscard]] double quartileNs(std::size_t number) const;
    [[nodiscard]] double medianNs() const { return quartileNs(2); }
    /// The standard error of the median.
    [[nodiscard]] double errorNs() const;
    static constexpr std::size_t enough = 5;

  private:
    std::array<std::int64_t, 31> kept_{};
    std::size_t count_ = 0;
  };
  /// What was read of replays that record the same.
  struct Kind {
    Times spans; ///< from begin to end
    /// To the begin of the next recorded one, with so many launches between them that were not
    /// recorded. That of 2 stays empty.
    std::array<Times, 4> periods;
    /// How much later the next launch begins than behind one that was not recorded: if all are, and
    /// if few are. 0: not known.
    [[nodiscard]] double delayOfAllNs() const;
    [[nodiscard]] double delayOfFewNs() const;
  };

  void readTerms() EXCLUDES(readMutex_);
  [[nodiscard]] Take measure();
  [[nodiscard]] Take run();
  /// The first turn from launch `from` on.
  [[nodiscard]] std::uint64_t turnFrom(std::uint64_t from) const;
  void choose() EXCLUDES(readMutex_);
  void adapt() EXCLUDES(readMutex_);
  /// Chooses `every_`.
  struct Costs {
    double bareNs, recordedNs; ///< of a replay, if all are recorded
    double sampledNs;          ///< of a replay, if few are
    double spanNs;             ///< of a bare replay, about as long as one that is not recorded
    double endsNs = -1;        ///< of one that stamps ends, more than another; -1: not known yet
  };
  /// Chooses `every_` and `endsEvery_`.
  void keep(const Costs &costs, std::size_t parts);
  /// Whether a price decides how often something is recorded.
  [[nodiscard]] bool followsPrice() const {
    return terms_.fraction > 0 && (terms_.every == 0 || terms_.parts == 0);
  }
  /// How many turns one is of that stamps ends, if `endsEvery_` is known.
  [[nodiscard]] std::uint64_t turnsForEnds() const;
  /// Of which half of which part this turn stamps the ends; nothing: of none.
  [[nodiscard]] std::optional<std::uint64_t> endsOfTurn();
  /// Returns false if that is not known yet.
  bool measured(Costs &costs) EXCLUDES(readMutex_);
  void shuffle();
  [[nodiscard]] std::uint64_t random(std::uint64_t a, std::uint64_t b) const;

  RecordingBudget &budget_;
  std::uint32_t generation_ = 0; // of terms_; 0: not read yet
  BudgetTerms terms_;
  ReplayCosts costs_;
  bool canSplit_ = false, hasEnds_ = false;
  State state_ = State::Everything;
  std::size_t taken_ = 0; // launches while measuring, recorded launches while running
  std::uint64_t every_ = 1;
  std::uint64_t launch_ = 0;           // the next launch, counted from begin()
  std::uint64_t next_ = 0;             // the next launch that is recorded
  std::vector<std::uint32_t> parts_;   // a round of turns; empty: whole
  std::size_t turn_ = 0;               // in the round
  std::uint64_t turns_ = 0, ends_ = 0; // so far; those of them that stamp ends
  std::uint64_t endsEvery_ = 1; // of at least so many turns one stamps ends; 0: not known yet
  bool sawDelayOfEnds_ = false; // since it was adapted
  std::uint64_t round_ = 0;
  std::uint64_t wholes_ = 0; // takesTwins() was asked so often
  const std::uint64_t seed_;

  std::atomic<bool> isNews_{false}; // observe() has added some
  Mutex readMutex_;
  Kind bare_ GUARDED_BY(readMutex_);
  Kind stampEnds_ GUARDED_BY(readMutex_); // of parts
  Kind recorded_ GUARDED_BY(readMutex_);  // of replays of one in so many parts:
  std::uint32_t observedParts_ GUARDED_BY(readMutex_) = 1;
  ReadReplay before_ GUARDED_BY(readMutex_); // the last one; cold: there is none
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_RECORDINGPLAN_H

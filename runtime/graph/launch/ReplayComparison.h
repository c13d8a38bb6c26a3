// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What recording costs the replays of an exec, as read from them. In two ways, of which the larger
// counts: how much longer they take from begin to end than those of which nothing else was
// recorded; and how much longer a window of four launches takes, from begin to begin, if more of
// them are recorded (CompareWindow).
//
// The second sees the program's own replays, and what it costs to change execs, but only where the
// device does not wait for the host. Both compare the same number of launches, at places that were
// drawn (RecordingPlan.h). So a pattern of the program's is alike on both sides, and the median of
// all differences (Shift) sees past it, where a difference of medians or means would take it for a
// price. Knows numbers only.

#ifndef GRAPHPROF_GRAPH_LAUNCH_REPLAYCOMPARISON_H
#define GRAPHPROF_GRAPH_LAUNCH_REPLAYCOMPARISON_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "Mutex.h"
#include "graph/launch/Take.h"

namespace graphprof {

/// A recorded replay that was read.
struct ReadReplay {
  Take take;
  std::uint64_t number = 0; ///< of the launch, of this exec
  std::uint64_t stream = 0;
  bool isCold = true;
  std::int64_t beginNs = 0, endNs = 0;
};

/// By how much the values of one kind are larger than those of another: the median of all
/// differences (Hodges and Lehmann, 1963), with an interval that makes no assumption on how the
/// values are distributed (Moses). If both kinds mix slow and fast launches, as long as neither has
/// far more of the slow ones, this is the difference of like and like.
struct Shift {
  double ns = 0, lowNs = 0, highNs = 0;
  /// Of at most `most` values each, at least one; about three standard errors.
  static Shift of(std::span<const std::int64_t> values, std::span<const std::int64_t> others);
  static constexpr std::size_t most = 47;
};

/// Which of windowLaunches are recorded. The first one is, and so is the one behind them.
enum class CompareWindow : std::uint8_t {
  All,      ///< R R R R (R)
  Every2nd, ///< R . R . (R)
  Ends,     ///< R . . . (R)
};
constexpr std::size_t compareWindows = 3;
constexpr std::uint64_t windowLaunches = 4;
/// Whether the launch at that place of the window is recorded, or that behind it.
[[nodiscard]] constexpr bool isRecorded(CompareWindow window, std::uint64_t place) {
  return place % windowLaunches == 0 || window == CompareWindow::All ||
         (window == CompareWindow::Every2nd && place % 2 == 0);
}

class ReplayComparison {
public:
  /// What was found by comparing kinds.
  struct Findings {
    bool knowsRecorded = false, knowsBare = false, knowsEnds = false; ///< enough were read
    bool isComplete = false;           ///< all that was recorded in order to measure, or as much
    double recordedNs = 0, bareNs = 0; ///< how long these replays were
    Shift regions;                     ///< recorded ones by bare ones
    double delayOfAllNs = 0, delayOfFewNs = 0, delayOfBareNs = 0;
    double endsNs = 0; ///< more than others
  };

  /// Forgets all. `comparesBare`: there will be bare replays, to compare others with.
  void begin(bool comparesBare) EXCLUDES(mutex_);
  /// From now on, those that are recorded hold one of so many parts.
  void split(std::uint32_t parts) EXCLUDES(mutex_);
  /// On the harvest thread: in launch order.
  void add(const ReadReplay &replay) EXCLUDES(mutex_);
  /// What was found, if that is new.
  [[nodiscard]] std::optional<Findings> news() EXCLUDES(mutex_);

private:
  /// The newest of one kind of times.
  class Times {
  public:
    void add(std::int64_t ns) { kept_[count_++ % kept_.size()] = ns; }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] bool suffice() const { return count_ >= enough; }
    [[nodiscard]] bool sufficeAsWindows() const { return count_ >= enoughWindows; }
    [[nodiscard]] double meanNs() const;
    [[nodiscard]] std::span<const std::int64_t> values() const {
      return std::span(kept_).first(count_ < kept_.size() ? count_ : kept_.size());
    }
    static constexpr std::size_t enough = 5, enoughWindows = 8;

  private:
    std::array<std::int64_t, Shift::most> kept_{};
    std::size_t count_ = 0;
  };
  /// What was read of replays that record the same.
  struct Kind {
    Times spans; ///< from begin to end
    Times steps; ///< to the begin of the next launch, if that is recorded
    std::array<Times, compareWindows> windows;
    /// How much later the next launch begins than behind one that was not recorded: if all are, and
    /// if few are. 0: not known.
    [[nodiscard]] double delayOfAllNs() const;
    [[nodiscard]] double delayOfFewNs() const;
    /// Whether all is known, or as many spans as are kept.
    [[nodiscard]] bool isComplete() const;
  };
  /// A replay that was read.
  struct Seen {
    std::uint64_t number = 0, stream = 0;
    std::int64_t beginNs = 0;
    Kind *kind = nullptr; // null: none of these
    bool isKnown = false;
  };

  [[nodiscard]] Findings compare() const REQUIRES(mutex_);
  void forgetRecorded() REQUIRES(mutex_);
  [[nodiscard]] Kind *kindOf(const Take &take) REQUIRES(mutex_);
  [[nodiscard]] const Seen *seen(std::uint64_t number, std::uint64_t stream) const REQUIRES(mutex_);
  [[nodiscard]] std::optional<CompareWindow> windowTo(const ReadReplay &replay,
                                                      const Kind &kind) const REQUIRES(mutex_);

  std::atomic<bool> isNews_{false}; // findings_ are new
  Mutex mutex_;
  Kind bare_ GUARDED_BY(mutex_);
  Kind stampEnds_ GUARDED_BY(mutex_); // of parts
  Kind recorded_ GUARDED_BY(mutex_);  // of replays of one in so many parts:
  std::uint32_t parts_ GUARDED_BY(mutex_) = 1;
  // The newest that were read, of one stream; by number, modulo. A window's begin is still there
  // when its end is read.
  std::array<Seen, windowLaunches + 1> seen_ GUARDED_BY(mutex_);
  std::size_t owed_ GUARDED_BY(mutex_) = 0; // recorded replays to compare with bare ones
  bool comparesBare_ GUARDED_BY(mutex_) = false;
  std::size_t unread_ GUARDED_BY(mutex_) = 0; // replays since findings_
  Findings findings_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_REPLAYCOMPARISON_H

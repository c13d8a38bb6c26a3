// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs candidates in turns, in batches. The GPU begins a batch when all of it is enqueued. Does not
// know which runs count, nor when there are enough.

#ifndef GRAPHPROF_BENCH_RUNS_H
#define GRAPHPROF_BENCH_RUNS_H

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/Gpu.h"
#include "bench/Subject.h"
#include "bench/Throttle.h"

namespace graphprof::bench_detail {

/// What a run of a candidate gave.
struct Sample {
  std::size_t candidate;
  Subject::Reading reading;
  std::optional<double> mhz; ///< the mean SM clock during it
  double wholeMs;            ///< how long it took, with its flushes
};

/// The order of runs: in each turn each candidate runs once, and every second turn goes backwards
/// (a b b a), so that drift affects all alike. Two turns are a round; with one candidate, a run is
/// a round.
class Turns {
public:
  explicit Turns(std::size_t candidates) : candidates_(candidates) {}
  [[nodiscard]] std::size_t candidates() const { return candidates_; }
  /// How many runs make a round.
  [[nodiscard]] std::size_t round() const { return candidates_ < 2 ? 1 : 2 * candidates_; }
  /// Who has this run, counted from 0.
  [[nodiscard]] std::size_t candidateOf(std::size_t run) const {
    const std::size_t last = std::max<std::size_t>(1, candidates_) - 1;
    const std::size_t turn = run / (last + 1), place = run % (last + 1);
    return turn % 2 == 0 ? place : last - place;
  }

private:
  std::size_t candidates_;
};

class Runs {
public:
  /// How many runs can be outstanding; a round may not have more.
  static constexpr std::size_t mostRuns = std::min(Subject::slots, Gpu::clockReadings / 2);

  Runs(Gpu &gpu, std::deque<Subject> &subjects);

  [[nodiscard]] const Turns &turns() const { return turns_; }
  /// How many runs to request at once: whole rounds.
  [[nodiscard]] std::size_t atOnce() const { return roundsAtOnce_ * turns_.round(); }

  using Take = std::function<void(const Sample &)>;
  /// Runs number `first` and those behind it, `count` in all, and hands on the sample of each, in
  /// order. A batch for which the host was too slow is not handed on, but run again.
  void run(std::size_t first, std::size_t count, const Take &take);

  /// Did the GPU wait for the host even with one round at a time?
  [[nodiscard]] bool late() const { return late_; }
  [[nodiscard]] std::string throttle() const { return throttle_.reasons(); }

private:
  std::vector<Sample> batch(std::size_t first, std::size_t count);

  Gpu &gpu_;
  std::deque<Subject> &subjects_;
  const Turns turns_;
  Throttle throttle_;
  std::size_t roundsAtOnce_ = 1;
  bool late_ = false;
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_RUNS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The samples of a measurement: which of them count, and whether there are enough. Does not know
// CUDA.

#ifndef GRAPHPROF_BENCH_SAMPLES_H
#define GRAPHPROF_BENCH_SAMPLES_H

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/HeldReplays.h"
#include "bench/Statistics.h"
#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

/// As many samples, or rounds, say something by themselves: where more were at a low SM clock and
/// fewer than this were not, all count, so that no result is one of a handful.
constexpr std::size_t fewestKept = 30;
constexpr bool areFew(std::size_t kept, std::size_t all) {
  return kept < fewestKept && kept < all - kept;
}

/// The samples of one candidate. Those at a low SM clock do not count, unless few would be left.
class Samples {
public:
  /// `leastMhz`: samples below it are at a low clock.
  explicit Samples(double leastMhz) : leastMhz_(leastMhz) {}

  [[nodiscard]] bool isLow(std::optional<double> mhz) const { return mhz && *mhz < leastMhz_; }
  /// A run: `ms` as in Subject::Reading. The clock may be unknown.
  void add(const std::vector<double> &ms, std::optional<double> mhz,
           const std::optional<HeldReplay> &replay);

  [[nodiscard]] bool none() const { return all_.ms.empty(); }
  /// How many runs gave no time.
  [[nodiscard]] std::size_t lost() const { return lost_; }
  /// How many at a low clock count, because few would be left without them.
  [[nodiscard]] std::size_t lowThatCount() const {
    return few() ? all_.ms.size() - kept_.ms.size() : 0;
  }
  [[nodiscard]] bool allAreLow() const { return kept_.ms.empty() && !none(); }
  /// Whether those at no low clock, or all if there is none, meet the criterion of `options`,
  /// median or entropy.
  [[nodiscard]] bool settled(const bench_options &options) const;
  /// Sets the times, clocks and number of discarded ones.
  void fill(bench_result &result) const;
  /// The replays of those that count, in order.
  [[nodiscard]] const std::vector<HeldReplay> &replays() const { return counted().replays; }

private:
  struct List {
    std::vector<double> ms, mhz; // as many; 0: unknown
    std::vector<HeldReplay> replays;
    Entropy entropy;
  };
  [[nodiscard]] bool few() const { return areFew(kept_.ms.size(), all_.ms.size()); }
  [[nodiscard]] const List &counted() const { return few() ? all_ : kept_; }

  const double leastMhz_;
  List kept_, all_;
  std::size_t lost_ = 0;
};

/// The times of all candidates, round by round, for their ratios. Leaves out rounds with a sample
/// that is lost or, unless few would be left, at a low clock.
class Rounds {
public:
  /// `leastMs`: the smallest difference between two candidates' times that can be told.
  Rounds(std::size_t candidates, double leastMs);

  /// The runs of a round come in any order, each candidate's twice. `ms`: as in Subject::Reading.
  void add(std::size_t candidate, const std::vector<double> &ms, bool isLow);
  /// No more runs come. If each candidate ran once in the last round, that round counts.
  void end();

  [[nodiscard]] std::size_t size() const { return counted().front().size(); }
  /// The ratio to the first candidate. Without any round it is not a number.
  [[nodiscard]] bench_ratio ratio(std::size_t candidate) const;
  /// Whether the interval of each ratio is narrower than twice `relativePrecision`.
  [[nodiscard]] bool precise(double relativePrecision) const;

private:
  using Times = std::vector<std::vector<double>>; // of each candidate, the mean of each round
  [[nodiscard]] const Times &counted() const {
    return areFew(kept_.front().size(), all_.front().size()) ? all_ : kept_;
  }
  void close();

  const double leastMs_;
  Times kept_, all_;
  std::vector<double> sums_; // of the open round
  std::vector<std::size_t> runs_;
  bool isWhole_ = true, isLow_ = false; // the open round
};

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_SAMPLES_H

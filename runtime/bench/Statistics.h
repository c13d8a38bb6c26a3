// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What samples say: quantiles, the median's confidence interval, when there are enough of them, and
// whether one candidate is faster than another. Knows nothing of CUDA.

#ifndef GRAPHPROF_BENCH_STATISTICS_H
#define GRAPHPROF_BENCH_STATISTICS_H

#include <cstddef>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "graphprof/bench_result.h"

namespace graphprof::bench_detail {

struct Interval {
  double low, high;
};

/// Of sorted values, at least one; `share` from 0 to 1. Between two values, as numpy has it.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

/// The median's confidence interval, from the values' order alone: whatever they are distributed
/// like. `deviations` of the normal distribution: 1.96 for 95 %, 2.807 for 99.5 %.
[[nodiscard]] Interval medianInterval(std::span<const double> sorted, double deviations);

inline constexpr double deviationsOf95 = 1.96, deviationsOf995 = 2.807;

/// Fills the result's quantiles, means and interval from its times_ms, which are some.
void summarize(bench_result &result);

/// nvbench's entropy criterion: the entropy of the samples seen so far is followed over the last
/// 299 of them; enough were taken when it has stopped growing.
class Entropy {
public:
  void add(double sample);
  [[nodiscard]] bool settled() const;

private:
  std::map<double, std::size_t> counts_;
  std::size_t total_ = 0;
  double sum_ = 0; // of count * log2(count)
  std::deque<double> followed_;
};

/// From the times that two candidates took in each of several blocks, in which both ran side by
/// side: how many times the first one's the second one's are. Blocks are put together until there
/// are few enough of them to be independent of each other.
[[nodiscard]] bench_ratio ratioOf(std::span<const double> first, std::span<const double> second);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_STATISTICS_H

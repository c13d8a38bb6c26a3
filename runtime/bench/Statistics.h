// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The statistics of samples: quantiles, the confidence interval of the median, whether there are
// enough samples, and whether one candidate is faster than another. Does not know CUDA.

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

/// A quantile of sorted values, of which there is at least one. `share` is from 0 to 1.
/// Interpolates as numpy does.
[[nodiscard]] double quantile(std::span<const double> sorted, double share);

/// The confidence interval of the median. Uses only the order of the values, so it holds for any
/// distribution. `deviations` of the normal distribution: 1.96 for 95 %, 2.807 for 99.5 %.
[[nodiscard]] Interval medianInterval(std::span<const double> sorted, double deviations);

inline constexpr double deviationsOf95 = 1.96, deviationsOf995 = 2.807;

/// Sets the result's quantiles, means and interval from its times_ms, which must not be empty.
void summarize(bench_result &result);

/// nvbench's entropy criterion: follows the entropy of all samples so far over the last 299 of
/// them. There are enough when it has stopped growing.
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

/// The ratio of the second candidate's time to the first one's. Takes the times of both in several
/// blocks, in which both ran side by side. Joins blocks until few enough are left to be
/// independent. A difference of less than `leastMs`, or below bench_resolution, is none.
[[nodiscard]] bench_ratio ratioOf(std::span<const double> first, std::span<const double> second,
                                  double leastMs = 0);

} // namespace graphprof::bench_detail

#endif // GRAPHPROF_BENCH_STATISTICS_H

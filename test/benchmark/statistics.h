// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Medians, quartiles and the rule by which a measurement stops. Knows neither GPU nor workload.
//
// Everything that the benchmark reports is a median with its quartiles: a replay is now and then
// late by milliseconds for reasons of the machine's, and a mean would carry that along.
//
// The stopping rule: rounds are added until each technique's median is known well enough, or the
// workload's time is spent. Well enough: at least minimumSamples of them, and an estimated standard
// error of the median, 1.25 sigma / sqrt(n) with sigma = interquartile range / 1.35 (both as for a
// normal distribution), of at most 0.1 % of the median.

#ifndef GRAPHPROF_BENCHMARK_STATISTICS_H
#define GRAPHPROF_BENCHMARK_STATISTICS_H

#include <cstddef>
#include <vector>

namespace benchmark {

/// A sample in three numbers, in the sample's unit. Of an empty sample all are 0.
struct Summary {
  double lowerQuartile = 0;
  double median = 0;
  double upperQuartile = 0;
  std::size_t count = 0;
};

inline constexpr std::size_t minimumSamples = 15;
inline constexpr double toleratedError = 0.001;

/// Quartiles by linear interpolation between the two nearest samples.
[[nodiscard]] Summary summarise(std::vector<double> samples);

/// The median alone.
[[nodiscard]] double median(std::vector<double> samples);

/// Does the stopping rule let this sample rest?
[[nodiscard]] bool settled(const std::vector<double> &samples);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_STATISTICS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Medians, quartiles and the stopping rule of measurements.
//
// The benchmark reports medians with quartiles, because a replay is sometimes late by milliseconds
// for reasons of the machine, which would distort a mean.
//
// The stopping rule: adds rounds until each technique's median is known well enough or the
// workload's time is used up. Well enough means at least minimumSamples samples, and an estimated
// standard error of the median of at most 0.1 % of it: 1.25 sigma / sqrt(n) with sigma =
// interquartile range / 1.35 (both as for a normal distribution).

#ifndef GRAPHPROF_BENCHMARK_STATISTICS_H
#define GRAPHPROF_BENCHMARK_STATISTICS_H

#include <cstddef>
#include <vector>

namespace benchmark {

/// The median and quartiles of a sample, in its unit. All 0 for an empty sample.
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

/// Whether the sample satisfies the stopping rule.
[[nodiscard]] bool settled(const std::vector<double> &samples);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_STATISTICS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Medians, quartiles and the stopping rule. See statistics.h.

#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace benchmark {

static double quantile(const std::vector<double> &sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

Summary summarise(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75), samples.size()};
}

double median(std::vector<double> samples) { return summarise(std::move(samples)).median; }

bool settled(const std::vector<double> &samples) {
  if (samples.size() < minimumSamples)
    return false;
  const Summary summary = summarise(samples);
  const double sigma = (summary.upperQuartile - summary.lowerQuartile) / 1.35;
  const double error = 1.25 * sigma / std::sqrt(static_cast<double>(samples.size()));
  return error <= toleratedError * summary.median;
}

} // namespace benchmark

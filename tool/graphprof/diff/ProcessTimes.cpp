// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ProcessTimes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace graphprof {

namespace {

// Replaces each two neighbours by their mean.
void halve(std::vector<double> &values) {
  for (std::size_t i = 0; i < values.size() / 2; ++i)
    values[i] = (values[2 * i] + values[2 * i + 1]) / 2;
  values.resize(values.size() / 2);
}

ProcessFigure quantileOf(const Distribution &durations, double quantile) {
  // The ranks between which the quantile is with 95 % (the binomial distribution, as a normal one).
  constexpr double deviations = 2;
  const auto count = static_cast<double>(durations.count());
  const double error = deviations * std::sqrt(quantile * (1 - quantile) / count);
  const auto at = [&](double of) { return durations.quantileNs(std::clamp(of, 0.0, 1.0)); };
  const double ns = at(quantile), low = at(quantile - error), high = at(quantile + error);
  ProcessFigure figure{ns, ns, ns, 0};
  const double relative = (high - low) / (2 * deviations) / std::max(ns, 1.0);
  figure.variance = relative * relative;
  // Few executions leave a quantile open. Of many, if it may be anything between the quartiles,
  // then none is between them: they take one time or another.
  constexpr std::uint64_t many = 40;
  constexpr double half = 0.5, quarter = 0.25, nearlyAll = 0.85;
  if (quantile == half && durations.count() >= many &&
      high - low > nearlyAll * (at(half + quarter) - at(half - quarter))) {
    figure.lowNs = low;
    figure.highNs = high;
  }
  return figure;
}

} // namespace

std::string_view word(Measure measure) {
  switch (measure) {
  case Measure::Mean:
    return "mean";
  case Measure::Median:
    return "median";
  case Measure::P95:
    return "P95";
  }
  return {};
}

void GatheredTimes::add(std::int64_t ns, SharedBound &bound) {
  bound.add(durations_, ns);
  pendingNs_ += static_cast<double>(ns);
  if (++pending_ < perBatch_)
    return;
  batches_.push_back(pendingNs_ / static_cast<double>(perBatch_));
  pending_ = 0;
  pendingNs_ = 0;
  if (batches_.size() < mostBatches)
    return;
  halve(batches_);
  perBatch_ *= 2;
}

double GatheredTimes::varianceOfMean() const {
  constexpr std::size_t enough = 32;
  std::vector<double> batches = batches_;
  while (batches.size() >= 2 * enough)
    halve(batches);
  if (batches.size() < 2)
    return 0;
  const auto count = static_cast<double>(batches.size());
  const double mean = std::accumulate(batches.begin(), batches.end(), 0.0) / count;
  double squares = 0;
  for (const double value : batches)
    squares += (value - mean) * (value - mean);
  return squares / (count - 1) / count / std::max(mean * mean, 1.0);
}

ProcessTimes GatheredTimes::times() const {
  ProcessTimes times;
  times.count = durations_.count();
  if (times.count == 0)
    return times;
  const double mean = durations_.meanNs();
  constexpr double median = 0.5, p95 = 0.95;
  times.figures = {ProcessFigure{mean, mean, mean, varianceOfMean()},
                   quantileOf(durations_, median), quantileOf(durations_, p95)};
  return times;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace graphprof::bench_detail {

namespace {

// The defaults of nvbench.
constexpr std::size_t followed = 299;
constexpr double maxAngleDegrees = 0.048, minR2 = 0.36;

// Neighbouring blocks share clock and temperature. This many groups of them are treated as
// independent.
constexpr std::size_t mostGroups = 60;

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

} // namespace

double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

// The ranks between which the median lies: half the count, plus and minus `deviations` standard
// deviations of the number of heads of a fair coin.
Interval medianInterval(std::span<const double> sorted, double deviations) {
  const auto count = static_cast<double>(sorted.size());
  const double half = count / 2, reach = deviations * std::sqrt(count) / 2;
  const double low = std::floor(half - reach) - 1, high = std::ceil(half + reach); // ranks from 0
  const auto at = [&](double rank) {
    return sorted[static_cast<std::size_t>(std::clamp(rank, 0.0, count - 1))];
  };
  return {at(low), at(high)};
}

void summarize(bench_result &result) {
  std::vector<double> sorted = result.times_ms;
  std::sort(sorted.begin(), sorted.end());
  result.median_ms = quantile(sorted, 0.5);
  const Interval interval = medianInterval(sorted, deviationsOf95);
  result.low_ms = interval.low;
  result.high_ms = interval.high;
  result.mean_ms = mean(sorted);
  double squares = 0;
  for (const double value : sorted)
    squares += (value - result.mean_ms) * (value - result.mean_ms);
  result.stddev_ms =
      sorted.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(sorted.size() - 1));
  result.min_ms = sorted.front();
  result.max_ms = sorted.back();
  result.p5_ms = quantile(sorted, 0.05);
  result.p25_ms = quantile(sorted, 0.25);
  result.p75_ms = quantile(sorted, 0.75);
  result.p95_ms = quantile(sorted, 0.95);
  result.p99_ms = quantile(sorted, 0.99);
}

void Entropy::add(double sample) {
  const auto weight = [](std::size_t count) {
    return count == 0 ? 0.0 : static_cast<double>(count) * std::log2(static_cast<double>(count));
  };
  std::size_t &count = counts_[sample];
  sum_ += weight(count + 1) - weight(count);
  ++count;
  ++total_;
  const auto total = static_cast<double>(total_);
  followed_.push_back(std::log2(total) - sum_ / total);
  if (followed_.size() > followed)
    followed_.pop_front();
}

// Whether a line through the entropies is level and fits them.
bool Entropy::settled() const {
  if (followed_.size() < 2)
    return false;
  const auto count = static_cast<double>(followed_.size());
  const double meanX = (count - 1) / 2;
  const double meanY = std::accumulate(followed_.begin(), followed_.end(), 0.0) / count;
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    const double x = static_cast<double>(i) - meanX, y = followed_[i] - meanY;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  const double slope = xy / xx;
  if (slope * 180 / std::acos(-1) > maxAngleDegrees) // for small angles, slope and angle agree
    return false;
  constexpr double none = 1e-12; // within rounding
  return yy <= none * count || xy * xy / (xx * yy) >= minR2;
}

bench_ratio ratioOf(std::span<const double> first, std::span<const double> second, double leastMs) {
  const std::size_t blocks = std::min(first.size(), second.size());
  if (blocks == 0)
    return {};
  const std::size_t groups = std::min(blocks, mostGroups);
  std::vector<double> ratios, firsts;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = blocks * group / groups, end = blocks * (group + 1) / groups;
    std::vector<double> each;
    for (std::size_t i = begin; i < end; ++i)
      each.push_back(second[i] / first[i]);
    firsts.push_back(first[begin]);
    std::sort(each.begin(), each.end());
    ratios.push_back(quantile(each, 0.5));
  }
  std::sort(ratios.begin(), ratios.end());
  const Interval interval = medianInterval(ratios, deviationsOf995);
  bench_ratio result;
  result.ratio = quantile(ratios, 0.5);
  result.low = interval.low;
  result.high = interval.high;
  // With too few ratios the interval is their whole range, and proves nothing.
  constexpr std::size_t fewest = 12;
  std::sort(firsts.begin(), firsts.end());
  const double least = std::max(bench_resolution, leastMs / quantile(firsts, 0.5));
  if (ratios.size() >= fewest && result.high < 1 - least)
    result.verdict = bench_verdict::faster;
  else if (ratios.size() >= fewest && result.low > 1 + least)
    result.verdict = bench_verdict::slower;
  return result;
}

} // namespace graphprof::bench_detail

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

// numpy.quantile, straight from its definition.
double exactQuantile(std::vector<std::int64_t> samples, double q) {
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto lower = static_cast<std::size_t>(std::floor(position));
  const std::size_t upper = std::min(lower + 1, samples.size() - 1);
  const double weight = position - static_cast<double>(lower);
  return static_cast<double>(samples[lower]) * (1 - weight) +
         static_cast<double>(samples[upper]) * weight;
}

Distribution of(const std::vector<std::int64_t> &samples) {
  Distribution distribution;
  for (const std::int64_t ns : samples)
    distribution.add(ns);
  return distribution;
}

std::vector<std::int64_t> logNormal(std::size_t count, double median, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> shape(std::log(median), 1.5);
  std::vector<std::int64_t> samples(count);
  for (std::int64_t &ns : samples)
    ns = static_cast<std::int64_t>(shape(random));
  return samples;
}

TEST(Distribution, OfNothingIsZero) {
  const Distribution empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.sumNs(), 0);
  EXPECT_EQ(empty.minNs(), 0);
  EXPECT_EQ(empty.maxNs(), 0);
  EXPECT_EQ(empty.meanNs(), 0);
  EXPECT_EQ(empty.quantileNs(0.5), 0);
}

TEST(Distribution, OfOneSampleIsIt) {
  const Distribution one = of({12'345});
  EXPECT_EQ(one.minNs(), 12'345);
  EXPECT_EQ(one.maxNs(), 12'345);
  EXPECT_EQ(one.meanNs(), 12'345);
  EXPECT_EQ(one.quantileNs(0.5), 12'345);
  EXPECT_EQ(one.quantileNs(0.95), 12'345);
}

TEST(Distribution, EvenCountsMedianIsMean) {
  // The median of an even number of samples is the mean of the two in the middle.
  EXPECT_EQ(of({40, 10, 30, 20}).quantileNs(0.5), 25);
  EXPECT_EQ(of({30, 10, 20}).quantileNs(0.5), 20);
}

TEST(Distribution, QuantilesReachMinimumAndMaximum) {
  const Distribution some = of({7, 1, 3});
  EXPECT_EQ(some.quantileNs(0), 1);
  EXPECT_EQ(some.quantileNs(1), 7);
  EXPECT_EQ(some.quantileNs(-1), 1);
  EXPECT_EQ(some.quantileNs(2), 7);
}

TEST(Distribution, ExactUpToBound) {
  const auto samples = logNormal(Distribution::exactSamples, 5'000, 1);
  const Distribution distribution = of(samples);
  EXPECT_EQ(distribution.kept(), samples.size());
  for (const double q : {0.01, 0.25, 0.5, 0.95, 0.999})
    EXPECT_DOUBLE_EQ(distribution.quantileNs(q), exactQuantile(samples, q)) << q;
}

class BeyondItsBound : public testing::TestWithParam<double> {};

TEST_P(BeyondItsBound, QuantilesAreAlmostExact) {
  // Off by at most one 256th.
  const auto samples = logNormal(100'000, GetParam(), 2);
  const Distribution distribution = of(samples);
  EXPECT_EQ(distribution.kept(), 0U);
  for (const double q : {0.001, 0.05, 0.5, 0.95, 0.999}) {
    const double exact = exactQuantile(samples, q);
    EXPECT_NEAR(distribution.quantileNs(q), exact, exact / 256 + 1e-9) << q;
  }
}

TEST_P(BeyondItsBound, CountAndExtremesStayExact) {
  // So does the sum.
  const auto samples = logNormal(20'000, GetParam(), 3);
  const Distribution distribution = of(samples);
  std::int64_t sum = 0;
  for (const std::int64_t ns : samples)
    sum += ns;
  EXPECT_EQ(distribution.count(), samples.size());
  EXPECT_EQ(distribution.sumNs(), sum);
  EXPECT_EQ(distribution.minNs(), *std::min_element(samples.begin(), samples.end()));
  EXPECT_EQ(distribution.maxNs(), *std::max_element(samples.begin(), samples.end()));
}

INSTANTIATE_TEST_SUITE_P(Distribution, BeyondItsBound,
                         testing::Values(50.0, 2'000.0, 1.5e6, 3e10)); // nanoseconds

TEST(Distribution, FallingOrderKeepsErrorBound) {
  // The error is no larger for samples in falling order.
  auto samples = logNormal(10'000, 8'000, 4);
  std::sort(samples.rbegin(), samples.rend());
  const Distribution distribution = of(samples);
  const double exact = exactQuantile(samples, 0.5);
  EXPECT_NEAR(distribution.quantileNs(0.5), exact, exact / 256);
}

// 33.792 to 33.919 us are one bucket, 33.664 to 33.791 us another.
TEST(Distribution, QuantileHasItsBucketsDigits) {
  // A quantile of the histogram has no more digits than its bucket gives.
  Distribution distribution;
  for (std::int64_t i = 0; i < 5'000; ++i)
    distribution.add(33'000 + i % 2'000);
  EXPECT_FALSE(distribution.exact());
  EXPECT_EQ(distribution.quantileNs(0.5), 33'900) << "33.833 us";
  EXPECT_EQ(distribution.quantileNs(0.41), 33'700) << "33.683 us";
}

TEST(Distribution, EqualSamplesStayExact) {
  // In the histogram, too.
  Distribution distribution;
  for (std::int64_t i = 0; i < 5'000; ++i)
    distribution.add(4'862);
  EXPECT_EQ(distribution.quantileNs(0.5), 4'862);
}

TEST(Distribution, IsExactUntilFolded) {
  Distribution distribution = of({10, 20, 30});
  EXPECT_TRUE(distribution.exact());
  distribution.fold();
  EXPECT_FALSE(distribution.exact());
}

TEST(Distribution, FoldingLosesNoSample) {
  Distribution distribution = of({10, 20, 30});
  distribution.fold();
  distribution.fold();
  EXPECT_EQ(distribution.kept(), 0U);
  distribution.add(40);
  EXPECT_EQ(distribution.kept(), 0U);
  EXPECT_EQ(distribution.count(), 4U);
  EXPECT_EQ(distribution.quantileNs(0.5), 25) << "below 512 ns each value has its own bucket";
}

TEST(Distribution, TakesExtremeTimes) {
  // The largest and the smallest.
  Distribution distribution;
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 4;
  distribution.add(largest);
  distribution.add(0);
  distribution.add(-5);
  distribution.fold();
  EXPECT_EQ(distribution.minNs(), 0);
  EXPECT_EQ(distribution.quantileNs(0), 0);
  EXPECT_EQ(distribution.quantileNs(1), static_cast<double>(largest));
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Statistics.h"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "bench/Copies.h"
#include "graphprof/detail/bench_work.h"

using namespace graphprof;
using namespace graphprof::bench_detail;

namespace {

std::vector<double> upTo(int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

const void *at(std::uintptr_t address) { return reinterpret_cast<const void *>(address); }

} // namespace

TEST(Quantile, LiesBetweenValues) {
  // As in NumPy.
  const std::vector<double> values = {1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 8);
  EXPECT_DOUBLE_EQ(quantile(upTo(1), 0.5), 1);
}

// The interval has the ranks of the binomial distribution. Of 1000 values of any distribution, the
// ranks of the median's interval are 469 and 532.
TEST(MedianInterval, HasBinomialRanks) {
  const Interval interval = medianInterval(upTo(1000), deviationsOf95);
  EXPECT_NEAR(interval.low, 469, 1);
  EXPECT_NEAR(interval.high, 532, 1);
  const Interval few = medianInterval(upTo(3), deviationsOf95);
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 3);
}

TEST(MedianInterval, HoldsTrueMedianAsPromised) {
  // It holds the true median as often as it promises.
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed): the same each time
  std::lognormal_distribution<double> skewed(0, 1); // its median is 1
  int held = 0;
  constexpr int tries = 2000;
  for (int i = 0; i < tries; ++i) {
    std::vector<double> values(51);
    for (double &value : values)
      value = skewed(random);
    std::sort(values.begin(), values.end());
    const Interval interval = medianInterval(values, deviationsOf95);
    held += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(held, tries * 94 / 100);
}

TEST(Summary, HasEveryQuantile) {
  bench_result result;
  result.times_ms = {4, 1, 3, 2, 5};
  summarize(result);
  EXPECT_EQ(result.median_ms, 3);
  EXPECT_EQ(result.mean_ms, 3);
  EXPECT_DOUBLE_EQ(result.stddev_ms, std::sqrt(2.5));
  EXPECT_EQ(result.min_ms, 1);
  EXPECT_EQ(result.max_ms, 5);
  EXPECT_EQ(result.p25_ms, 2);
  EXPECT_EQ(result.times_ms.front(), 4) << "samples stay in order";
}

// It settles when nothing new comes. Samples of a few values, as a clock that steps has them.
TEST(EntropyCriterion, SettlesWithoutNews) {
  std::mt19937 random(7); // NOLINT(bugprone-random-generator-seed): the same each time
  std::discrete_distribution<int> steps({1, 4, 9, 4, 1});
  Entropy settling;
  EXPECT_FALSE(settling.settled());
  int taken = 0;
  while (!settling.settled() && taken < 5000) {
    settling.add(steps(random));
    ++taken;
  }
  EXPECT_GT(taken, 20);
  EXPECT_LT(taken, 5000);
  Entropy growing;
  for (int i = 0; i < 200; ++i)
    growing.add(i); // each is new: the entropy grows with every one
  EXPECT_FALSE(growing.settled());
}

TEST(EntropyCriterion, EqualSamplesSettle) {
  // Of equal samples there is nothing more to learn.
  Entropy same;
  for (int i = 0; i < 10; ++i)
    same.add(1.5);
  EXPECT_TRUE(same.settled());
}

TEST(Ratio, ComesFromBlocks) {
  // A ratio is that of the blocks.
  const std::vector<double> one(100, 2.0), other(100, 3.0);
  const bench_ratio ratio = ratioOf(one, other);
  EXPECT_DOUBLE_EQ(ratio.ratio, 1.5);
  EXPECT_EQ(ratio.verdict, bench_verdict::slower);
  EXPECT_EQ(ratioOf(other, one).verdict, bench_verdict::faster);
}

TEST(Ratio, FewBlocksPromiseNothing) {
  EXPECT_EQ(ratioOf(std::vector<double>(5, 1), std::vector<double>(5, 2)).verdict,
            bench_verdict::undecided);
  EXPECT_EQ(ratioOf({}, {}).verdict, bench_verdict::undecided);
}

TEST(Ratio, DifferenceBelowResolutionIsNone) {
  // Less than the resolution is no difference.
  EXPECT_EQ(ratioOf(std::vector<double>(100, 1), std::vector<double>(100, 1.001)).verdict,
            bench_verdict::undecided);
}

// Less than two equal graphs differ is no difference. Two graphs of one kernel, on an H100.
TEST(Ratio, EqualGraphsDoNotDiffer) {
  const std::vector<double> one(100, 0.011206), other(100, 0.011283), longer(100, 0.011330);
  EXPECT_EQ(ratioOf(one, other).verdict, bench_verdict::slower);
  EXPECT_EQ(ratioOf(one, other, bench_resolution_ms).verdict, bench_verdict::undecided);
  EXPECT_EQ(ratioOf(other, one, bench_resolution_ms).verdict, bench_verdict::undecided);
  EXPECT_EQ(ratioOf(one, longer, bench_resolution_ms).verdict, bench_verdict::slower);
  EXPECT_EQ(ratioOf(longer, one, bench_resolution_ms).verdict, bench_verdict::faster);
}

TEST(Rotation, TouchesAllCopiesInTurn) {
  // It touches every copy before one comes again.
  constexpr std::size_t l2 = 50;
  for (std::size_t bytes = 1; bytes < 300; ++bytes)
    for (int calls = 1; calls <= 12; ++calls) {
      const Rotation rotation = rotationOf(bytes, l2, calls);
      if (bytes >= 5 * l2) {
        EXPECT_EQ(rotation.copies, 1);
        continue;
      }
      // flashinfer's count, and whole rounds.
      EXPECT_GE(static_cast<std::size_t>(rotation.copies),
                std::max<std::size_t>(2, (5 * l2 + bytes - 1) / bytes + 1));
      EXPECT_EQ(rotation.graphs * calls % rotation.copies, 0) << bytes << " bytes, " << calls;
    }
  EXPECT_EQ(rotationOf(0, l2, 10).copies, 1);
}

TEST(DeviceRanges, OverlappingRangesBecomeOne) {
  device_ranges ranges;
  ranges.add(at(1000), 100);
  ranges.add(at(3000), 100);
  ranges.add(at(1050), 100);
  ranges.add(nullptr, 5);
  ranges.add(at(5000), 0);
  ASSERT_EQ(ranges.all().size(), 2U);
  EXPECT_EQ(ranges.all()[0].begin, 1000U);
  EXPECT_EQ(ranges.all()[0].end, 1150U);
  EXPECT_EQ(ranges.bytes(), 250U);
  ranges.add(at(900), 3000);
  EXPECT_EQ(ranges.all().size(), 1U);
  EXPECT_EQ(ranges.bytes(), 3000U);
  EXPECT_TRUE(ranges.contains(at(3899)));
  EXPECT_FALSE(ranges.contains(at(3900)));
}

TEST(DeviceMoves, DistanceInRangeIsKept) {
  // Moves keep the distance from the begin of a range.
  device_ranges ranges;
  ranges.add(at(1000), 100);
  ranges.add(at(3000), 100);
  const device_moves moves(ranges, {71000, 93000});
  EXPECT_EQ(moves(static_cast<const char *>(at(1010))), at(71010));
  EXPECT_EQ(moves(static_cast<const char *>(at(3099))), at(93099));
  EXPECT_EQ(moves(static_cast<const char *>(at(2000))), at(2000)) << "what is in none stays";
}

TEST(DeviceSpan, KnowsItsExtent) {
  auto *const data = reinterpret_cast<float *>(0x10000);
  const DeviceSpan<float> flat(data, 10);
  EXPECT_EQ(flat.size(), 10U);
  EXPECT_EQ(flat.extent_bytes(), 40U);
  const DeviceSpan<float> rows(data, {3, 5}, {8, 1});
  EXPECT_EQ(rows.size(), 15U);
  EXPECT_EQ(rows.extent_bytes(), (2 * 8 + 4 + 1) * sizeof(float));
  const DeviceSpan<float> backwards(data, {4}, {-2});
  EXPECT_EQ(backwards.lowest(), data - 6);
  EXPECT_EQ(backwards.extent_bytes(), 7 * sizeof(float));
  const DeviceSpan<float> broadcast(data, {4, 2}, {0, 1});
  EXPECT_EQ(broadcast.extent_bytes(), 2 * sizeof(float));
  EXPECT_EQ(DeviceSpan<float>(data, 0).extent_bytes(), 0U);
  EXPECT_EQ(DeviceSpan<float>().extent_bytes(), 0U);
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "bench/Samples.h"

#include <cmath>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphprof;
using namespace graphprof::bench_detail;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

constexpr double leastMhz = 1000, low = 500, high = 1500;

bench_result filled(const Samples &samples) {
  bench_result result;
  samples.fill(result);
  return result;
}

} // namespace

TEST(Samples, LowClockSamplesAreLeftOut) {
  // Samples at a low clock are left out and counted.
  Samples samples(leastMhz);
  samples.add({1}, high, std::nullopt);
  samples.add({2, 3}, low, std::nullopt);
  samples.add({4}, high, std::nullopt);
  const bench_result result = filled(samples);
  EXPECT_THAT(result.times_ms, ElementsAre(1, 4));
  EXPECT_THAT(result.sm_clock_mhz, ElementsAre(high, high));
  EXPECT_EQ(result.discarded, 2U);
  EXPECT_FALSE(samples.allAreLow());
}

TEST(Samples, AllCountIfAllLow) {
  // If all are at a low clock, all count.
  Samples samples(leastMhz);
  samples.add({1}, low, std::nullopt);
  samples.add({2}, low, std::nullopt);
  const bench_result result = filled(samples);
  EXPECT_THAT(result.times_ms, ElementsAre(1, 2));
  EXPECT_EQ(result.discarded, 0U);
  EXPECT_TRUE(samples.allAreLow());
}

// If few are not at a low clock, all count, in their order. On a GPU whose clock is low nearly
// always, one sample of 55 was the whole result.
TEST(Samples, AllCountIfMostLow) {
  Samples samples(leastMhz);
  samples.add({1, 2}, low, std::nullopt);
  samples.add({3}, high, std::nullopt);
  samples.add({4}, low, std::nullopt);
  EXPECT_THAT(filled(samples).times_ms, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(filled(samples).sm_clock_mhz, ElementsAre(low, low, high, low));
  EXPECT_EQ(filled(samples).discarded, 0U);
  EXPECT_EQ(samples.lowThatCount(), 3U);
  EXPECT_FALSE(samples.allAreLow());
  // Half of them are not few, and neither are thirty.
  samples.add({5, 6}, high, std::nullopt);
  EXPECT_THAT(filled(samples).times_ms, ElementsAre(3, 5, 6));
  EXPECT_EQ(filled(samples).discarded, 3U);
  EXPECT_EQ(samples.lowThatCount(), 0U);
  samples.add(std::vector<double>(27, 7), high, std::nullopt);
  samples.add(std::vector<double>(100, 8), low, std::nullopt);
  EXPECT_THAT(filled(samples).times_ms, testing::SizeIs(30));
  EXPECT_EQ(filled(samples).discarded, 103U);
}

TEST(Samples, UnknownClockIsNotLow) {
  Samples samples(leastMhz);
  samples.add({1}, std::nullopt, std::nullopt);
  samples.add({2}, low, std::nullopt);
  const bench_result result = filled(samples);
  EXPECT_THAT(result.times_ms, ElementsAre(1));
  EXPECT_THAT(result.sm_clock_mhz, IsEmpty());
  EXPECT_EQ(result.discarded, 1U);
}

TEST(Samples, LostReplaysAreNoSamples) {
  // Lost ones are counted, and are no samples.
  Samples samples(leastMhz);
  samples.add({}, high, std::nullopt);
  EXPECT_TRUE(samples.none());
  EXPECT_EQ(samples.lost(), 1U);
}

// Only the samples that count are enough to stop. The result's interval is that of the samples
// that count, so the criterion is, too.
TEST(Samples, CountedSamplesMakeEnough) {
  bench_options options;
  for (const bench_stop stop : {bench_stop::median, bench_stop::entropy}) {
    options.stop = stop;
    Samples samples(leastMhz);
    for (int i = 0; i < 100; ++i)
      samples.add({1}, low, std::nullopt);
    samples.add({1}, high, std::nullopt);
    EXPECT_FALSE(samples.settled(options));
    for (int i = 0; i < 30; ++i)
      samples.add({1}, high, std::nullopt);
    EXPECT_TRUE(samples.settled(options));
  }
}

TEST(Rounds, RoundRunsEachTwice) {
  // A ratio is that of rounds in which each candidate ran twice.
  Rounds rounds(2, 0);
  for (int i = 0; i < 20; ++i)
    for (const std::size_t candidate : {0, 1, 1, 0})
      rounds.add(candidate, {candidate == 0 ? 2.0 : 3.0}, false);
  EXPECT_EQ(rounds.size(), 20U);
  EXPECT_DOUBLE_EQ(rounds.ratio(1).ratio, 1.5);
  EXPECT_EQ(rounds.ratio(0).ratio, 1);
}

TEST(Rounds, HalfRoundCountsAtEnd) {
  // Half a round counts at the end if each candidate ran once.
  Rounds rounds(2, 0);
  rounds.add(0, {2}, false);
  rounds.end();
  EXPECT_EQ(rounds.size(), 0U);
  rounds.add(1, {3}, false);
  rounds.end();
  EXPECT_EQ(rounds.size(), 1U);
  EXPECT_DOUBLE_EQ(rounds.ratio(1).ratio, 1.5);
}

TEST(Rounds, LostSampleDropsRound) {
  // Rounds with a lost sample are left out.
  Rounds rounds(2, 0);
  for (const std::size_t candidate : {0, 1, 1, 0})
    rounds.add(candidate, candidate == 1 ? std::vector<double>() : std::vector<double>{2}, false);
  EXPECT_EQ(rounds.size(), 0U);
  EXPECT_TRUE(std::isnan(rounds.ratio(1).ratio)) << "what was not measured has no number";
  EXPECT_EQ(rounds.ratio(1).verdict, bench_verdict::undecided);
}

TEST(Rounds, LowClockSampleDropsRound) {
  // Rounds with a sample at a low clock are left out, unless all have one.
  Rounds rounds(2, 0);
  for (const std::size_t candidate : {0, 1, 1, 0})
    rounds.add(candidate, {candidate == 0 ? 2.0 : 8.0}, candidate == 1);
  EXPECT_DOUBLE_EQ(rounds.ratio(1).ratio, 4);
  for (const std::size_t candidate : {0, 1, 1, 0})
    rounds.add(candidate, {candidate == 0 ? 2.0 : 3.0}, false);
  EXPECT_EQ(rounds.size(), 1U);
  EXPECT_DOUBLE_EQ(rounds.ratio(1).ratio, 1.5);
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/ReplayShares.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "output/Samples.h"

using namespace graphprof;
using graphprof::test::Sample;

namespace {

// An execution of a row, in us since the replay's begin; the replay lasts 100 us.
struct Ran {
  std::size_t row, outermost;
  std::int64_t beginUs, us;
  std::uint32_t region = 0; // if the row has several
  bool isInBody = false;    // of a conditional node
};

// `graphs`: of each replay; none: all of one.
ReplayShares of(const std::vector<std::vector<Ran>> &replays,
                const std::vector<std::uint64_t> &graphs = {}) {
  ReplayShares shares;
  for (std::uint64_t i = 0; i < replays.size(); ++i) {
    Sample sample(i);
    if (!graphs.empty())
      sample.exec(graphs[i], graphs[i]);
    const Replay replay = sample;
    shares.begin(replay);
    for (const Ran &ran : replays[i])
      shares.add(ran.row, ran.outermost,
                 {ran.region, ran.isInBody, replay.beginNs + ran.beginUs * 1'000,
                  ran.us < 0 ? -1 : ran.us * 1'000});
    shares.end();
  }
  return shares;
}

TEST(ReplayShares, AreTimeOverReplays) {
  // The time in which an execution ran, over that of the replays.
  EXPECT_DOUBLE_EQ(30, of({{{0, 0, 0, 10}, {0, 0, 50, 20}}}).percentOf(0));
  EXPECT_DOUBLE_EQ(40, of({{{0, 0, 0, 50}}, {{0, 0, 0, 30}}}).percentOf(0));
}

TEST(ReplayShares, CountOverlapOnce) {
  // What runs side by side or inside counts once, in any order.
  EXPECT_DOUBLE_EQ(100, of({{{0, 0, 0, 80}, {0, 0, 20, 80}}}).percentOf(0));
  EXPECT_DOUBLE_EQ(60, of({{{0, 0, 0, 60}, {0, 0, 10, 20}, {0, 0, 40, 10}}}).percentOf(0));
  EXPECT_DOUBLE_EQ(
      50, of({{{0, 0, 60, 20}, {0, 0, 0, 10}, {0, 0, 5, 25}, {0, 0, 70, 10}}}).percentOf(0));
}

TEST(ReplayShares, EndWithTheReplay) {
  EXPECT_DOUBLE_EQ(100, of({{{0, 0, -20, 500}}}).percentOf(0));
  EXPECT_DOUBLE_EQ(0, of({{{0, 0, 120, 10}}}).percentOf(0));
}

TEST(ReplayShares, OfBranchAreOfRoot) {
  // Those of a branch are of all replays of the outermost region around it.
  const ReplayShares shares =
      of({{{0, 0, 0, 20}}, {{0, 0, 0, 90}, {1, 0, 0, 80, 0, true}}, {{2, 2, 0, 10}}}, {1, 1, 2});
  EXPECT_DOUBLE_EQ(55, shares.percentOf(0));
  EXPECT_DOUBLE_EQ(40, shares.percentOf(1));
  EXPECT_DOUBLE_EQ(10, shares.percentOf(2));
}

TEST(ReplayShares, OfRowsTogetherAreOfAllTheirReplays) {
  // Not the sum of their shares, which are of other graphs.
  const ReplayShares shares = of({{{0, 0, 0, 50}, {1, 1, 50, 20}}, {{2, 2, 0, 90}}}, {1, 2});
  EXPECT_DOUBLE_EQ(70, ReplayShares::percentOf({{&shares, 0}, {&shares, 1}}));
  EXPECT_DOUBLE_EQ(55, ReplayShares::percentOf({{&shares, 1}, {&shares, 2}, {nullptr, 0}}));
  EXPECT_LT(ReplayShares::percentOf({{&shares, 7}}), 0);
}

TEST(ReplayShares, OfRunsAreApart) {
  // Two runs have an exec of one number each, with other regions and other lengths.
  ReplayShares shares = of({{{0, 0, 0, 50}}});
  shares.beginRun();
  Replay replay = Sample();
  replay.endNs = replay.beginNs + 300'000;
  shares.begin(replay);
  shares.add(1, 1, {0, false, replay.beginNs, 60'000});
  shares.end();
  EXPECT_DOUBLE_EQ(50, shares.percentOf(0));
  EXPECT_DOUBLE_EQ(20, shares.percentOf(1));
}

// As where rows are names: the second graph has the region inside another one.
TEST(ReplayShares, OfSharedRowAreOfAll) {
  // Those of a row in several regions are of the replays of all of them.
  const ReplayShares shares =
      of({{{0, 0, 0, 50}, {1, 0, 0, 40}}, {{2, 2, 0, 90}, {1, 2, 0, 80}}}, {1, 2});
  EXPECT_DOUBLE_EQ(60, shares.percentOf(1));
  EXPECT_DOUBLE_EQ(
      60, of({{{0, 0, 0, 50}, {1, 0, 0, 40}, {2, 2, 50, 50}, {1, 2, 50, 20}}}).percentOf(1));
}

TEST(ReplayShares, OfPartsAreMeans) {
  // What some replays did not record took its mean there.
  EXPECT_DOUBLE_EQ(30, of({{{0, 0, 0, 20}}, {}, {{0, 0, 0, 40}}, {}}).percentOf(0));
  const ReplayShares inside =
      of({{{0, 0, 0, 80}, {1, 0, 0, 60}}, {{2, 2, 80, 20}}, {{2, 2, 80, 20}}});
  EXPECT_DOUBLE_EQ(80, inside.percentOf(0));
  EXPECT_DOUBLE_EQ(60, inside.percentOf(1));
  EXPECT_DOUBLE_EQ(20, inside.percentOf(2));
  // A row of four regions, each in a part of its own.
  EXPECT_DOUBLE_EQ(100, of({{{0, 0, 0, 25, 0}},
                            {{0, 0, 25, 25, 1}},
                            {{0, 0, 50, 25, 2}},
                            {{0, 0, 75, 25, 3}},
                            {{0, 0, 0, 25, 0}}})
                            .percentOf(0));
}

TEST(ReplayShares, OfPartsKeepGraphsApart) {
  // A region of the first graph, in every second of its replays: 40 us of 400 us.
  EXPECT_DOUBLE_EQ(
      10, of({{{0, 0, 0, 50}, {1, 0, 0, 20}}, {{0, 0, 0, 50}}, {{0, 0, 0, 50}}, {{0, 0, 0, 50}}},
             {1, 1, 2, 2})
              .percentOf(1));
}

TEST(ReplayShares, StayBoundedWithManyExecs) {
  ReplayShares shares;
  constexpr std::uint64_t execs = 200'000;
  for (std::uint64_t i = 0; i < execs; ++i) {
    Sample sample(i);
    const Replay replay = sample.exec(i + 1, i + 1);
    shares.begin(replay);
    shares.add(0, 0, {0, false, replay.beginNs, 40'000});
    shares.end();
  }
  EXPECT_NEAR(40, shares.percentOf(0), 1e-6);
}

TEST(ReplayShares, LeaveOutUnmeasuredReplays) {
  // Those in which the row was not measured.
  const ReplayShares shares = of({{{0, 0, 0, 50}, {1, 0, 0, 25}}, {{0, 0, 0, 50}, {1, 0, 0, -1}}});
  EXPECT_DOUBLE_EQ(50, shares.percentOf(0));
  EXPECT_DOUBLE_EQ(25, shares.percentOf(1));
}

TEST(ReplayShares, NoneWithoutReplayOrMeasurement) {
  EXPECT_LT(of({}).percentOf(3), 0);
  EXPECT_LT(of({{{0, 0, 0, -1}}}).percentOf(0), 0);
  EXPECT_LT(of({{{0, 0, 0, 50}, {1, 0, 0, -1}}, {{0, 0, 0, 50}}}).percentOf(1), 0);
  ReplayShares shares;
  Sample outside = Sample::outsideGraphs(), unknown(1);
  for (const Replay &replay : {Replay(outside), Replay(unknown.span(0, 0))}) {
    shares.begin(replay);
    shares.add(0, 0, {0, false, replay.beginNs, 5});
    shares.end();
  }
  EXPECT_LT(shares.percentOf(0), 0);
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What follows from a trial of stamps: clock/EdgeTrial.h.

#include <gtest/gtest.h>

#include "clock/EdgeTrial.h"

namespace graphprof {
namespace {

constexpr std::int64_t lengthNs = 4'000, gapNs = 1'000;

// Kernels one behind the other, with stamps that are so much too late.
EdgeTrial::Replay replayWith(std::size_t kernels, std::int64_t launchNs, std::int64_t endNs) {
  EdgeTrial::Replay replay{{100}, {}};
  std::int64_t beginNs = 200;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    replay.beginsNs.push_back(beginNs);
    beginNs += lengthNs + gapNs;
    replay.stampsNs.push_back(EdgeTrial::isAtLaunch(kernel + 1) ? beginNs + launchNs
                                                                : beginNs - gapNs + endNs);
  }
  return replay;
}

// There has to be one.
EdgeTrial::Outcome outcomeOf(const EdgeTrial::Replay &replay) {
  const auto outcome = EdgeTrial::outcomeOf(replay, lengthNs);
  EXPECT_TRUE(outcome.has_value());
  return outcome.value_or(EdgeTrial::Outcome{});
}

TEST(EdgeTrial, TellsLatenessOfEachKind) {
  const EdgeTrial::Outcome outcome = outcomeOf(replayWith(9, 250, 650));
  EXPECT_TRUE(outcome.isOfUse);
  EXPECT_EQ(250, outcome.lags.launchNs);
  EXPECT_EQ(650, outcome.lags.endNs);
  EXPECT_EQ(gapNs, outcome.lags.gapNs);
  EXPECT_EQ(-100, outcome.lags.rootNs);
}

TEST(EdgeTrial, SharedNodesHaveTheirOwnLateness) {
  EdgeTrial::Replay replay = replayWith(17, 250, 650);
  replay.sharesNodes = true;
  std::int64_t soonerNs = 0;
  for (std::size_t boundary = 1; boundary + 1 < replay.stampsNs.size(); ++boundary) {
    // Behind a shared node the next kernel begins sooner, and so does all that follows.
    replay.stampsNs[boundary] -= soonerNs + (EdgeTrial::isShared(boundary) ? 500 : 0);
    soonerNs += EdgeTrial::isShared(boundary) ? 300 : 0;
    replay.beginsNs[boundary] -= soonerNs;
    if (EdgeTrial::isAtLaunch(boundary))
      replay.stampsNs[boundary] = replay.beginsNs[boundary] + 250;
  }
  replay.stampsNs.back() = replay.beginsNs.back() + lengthNs + 420;
  const EdgeTrial::Outcome outcome = outcomeOf(replay);
  EXPECT_TRUE(outcome.isOfUse);
  EXPECT_EQ(250, outcome.lags.launchNs);
  EXPECT_EQ(650, outcome.lags.endNs);
  EXPECT_EQ(gapNs, outcome.lags.gapNs);
  EXPECT_EQ(150, outcome.lags.aroundNs);
  EXPECT_EQ(gapNs - 300, outcome.lags.aroundGapNs);
  EXPECT_EQ(420, outcome.lags.lastNs);
}

TEST(EdgeTrial, FewLateReadingsChangeNothing) {
  EdgeTrial::Replay replay = replayWith(17, 250, 650);
  replay.stampsNs[2] += 50'000;
  replay.stampsNs[3] += 50'000;
  const EdgeTrial::Outcome outcome = outcomeOf(replay);
  EXPECT_TRUE(outcome.isOfUse);
  EXPECT_EQ(250, outcome.lags.launchNs);
  EXPECT_EQ(650, outcome.lags.endNs);
}

TEST(EdgeTrial, LateLaunchCompletionIsUseless) {
  // Launch completion that comes at the end is of no use.
  const EdgeTrial::Outcome outcome = outcomeOf(replayWith(9, lengthNs - 100, 650));
  EXPECT_FALSE(outcome.isOfUse);
  EXPECT_EQ(lengthNs - 100, outcome.lags.launchNs);
}

TEST(EdgeTrial, EarlyLaunchCompletionIsUseless) {
  // A launch completion that is read before the begin is of no use.
  EdgeTrial::Replay replay = replayWith(9, 250, 650);
  replay.stampsNs[4] -= 500;
  const EdgeTrial::Outcome outcome = outcomeOf(replay);
  EXPECT_FALSE(outcome.isOfUse);
}

TEST(EdgeTrial, NothingReadTellsNothing) { EXPECT_FALSE(EdgeTrial::outcomeOf({}, lengthNs)); }

} // namespace
} // namespace graphprof

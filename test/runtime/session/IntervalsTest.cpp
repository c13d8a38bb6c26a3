// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/Intervals.h"

#include <gtest/gtest.h>

using graphprof::Intervals;

namespace {

TEST(Intervals, HoldBeginAndNotEnd) {
  Intervals intervals;
  EXPECT_FALSE(intervals.contain(0));
  intervals.switchOn(10);
  EXPECT_TRUE(intervals.on());
  EXPECT_FALSE(intervals.contain(9));
  EXPECT_TRUE(intervals.contain(10));
  EXPECT_TRUE(intervals.contain(1'000'000));
  intervals.switchOff(20);
  EXPECT_FALSE(intervals.on());
  EXPECT_TRUE(intervals.contain(19));
  EXPECT_FALSE(intervals.contain(20));
}

TEST(Intervals, MayBeMany) {
  Intervals intervals;
  for (std::int64_t i = 0; i < 10; ++i) {
    intervals.switchOn(10 * i);
    intervals.switchOn(10 * i + 1);
    intervals.switchOff(10 * i + 5);
    intervals.switchOff(10 * i + 6);
  }
  EXPECT_EQ(10U, intervals.size());
  for (std::int64_t ns = 0; ns < 100; ++ns)
    EXPECT_EQ(ns % 10 < 5, intervals.contain(ns)) << ns;
}

TEST(Intervals, MayBeEmptyAndAdjacent) {
  Intervals intervals;
  intervals.switchOn(10);
  intervals.switchOff(10);
  EXPECT_FALSE(intervals.contain(10));
  intervals.switchOn(10);
  EXPECT_TRUE(intervals.contain(10));
}

} // namespace

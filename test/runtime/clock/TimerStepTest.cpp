// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "clock/Alignment.h"

namespace graphprof {
namespace {

// RecordBuilder of a timer: one after each of these numbers of steps.
std::vector<std::uint64_t> readings(std::uint64_t stepNs, const std::vector<std::uint64_t> &steps) {
  std::vector<std::uint64_t> values{1000 * stepNs};
  for (const std::uint64_t count : steps)
    values.push_back(values.back() + count * stepNs);
  return values;
}

TEST(TimerStep, IsWhatDividesManyDifferences) {
  EXPECT_EQ(32, timerStepOf(readings(32, {40, 44, 36, 41, 40, 48, 40, 44})));
  EXPECT_EQ(1000, timerStepOf(readings(1000, {1, 2, 1, 1, 3, 1, 2, 1})));
  EXPECT_EQ(1, timerStepOf(readings(1, {1200, 1300, 1250, 1230, 1199, 1300, 1400, 1250})));
}

// With few differences, it is the power of two in them. All of these happen to be multiples of 40
// steps: nothing but the power of two is sure.
TEST(TimerStep, PowerOfTwoNeedsFewDifferences) {
  EXPECT_EQ(256, timerStepOf(readings(32, {40, 120, 200, 40})));
  EXPECT_EQ(32, timerStepOf(readings(32, {40, 120, 200, 41})));
}

// A busy device answered once or twice: the program is not sent to events for that.
TEST(TimerStep, TooFewReadingsTellNothing) {
  EXPECT_EQ(0, timerStepOf({}));
  EXPECT_EQ(0, timerStepOf(readings(32, {})));
  EXPECT_EQ(0, timerStepOf(readings(32, {64})));
  EXPECT_EQ(0, timerStepOf(readings(32, {64, 128, 64})));
}

} // namespace
} // namespace graphprof

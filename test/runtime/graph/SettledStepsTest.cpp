// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Of which steps everything has been handed on: SettledSteps.

#include "graph/harvest/SettledSteps.h"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

TEST(SettledSteps, AreStepsWithRegionsDone) {
  SettledSteps settled;
  settled.note(2, 10);
  EXPECT_EQ(settled.news(9), std::nullopt) << "one of them runs";
  settled.note(5, 30);
  EXPECT_EQ(settled.news(10), 2);
  EXPECT_EQ(settled.news(29), std::nullopt);
  EXPECT_EQ(settled.news(30), 5);
  EXPECT_EQ(settled.news(30), std::nullopt) << "once";
}

TEST(SettledSteps, LaterPassChangesNothing) {
  // Another pass in the same step changes nothing.
  SettledSteps settled;
  settled.note(2, 10);
  settled.note(2, 50); // regions of step 2
  EXPECT_EQ(settled.news(10), 2);
  settled.note(2, 60);
  EXPECT_EQ(settled.news(100), std::nullopt);
}

// Settled steps are told in fewer pieces if there are many. The host is far ahead. With fewer
// notes the news come later, but nothing is told too early.
TEST(SettledSteps, ManyStepsShareNews) {
  SettledSteps settled;
  constexpr std::int64_t steps = 10'000;
  for (std::int64_t step = 1; step <= steps; ++step)
    settled.note(step, static_cast<std::uint64_t>(step));
  std::int64_t last = 0;
  for (std::int64_t done = 1; done <= steps; ++done)
    if (const std::optional<std::int64_t> step = settled.news(static_cast<std::uint64_t>(done))) {
      EXPECT_LE(*step, done);
      EXPECT_GT(*step, last);
      last = *step;
    }
  EXPECT_EQ(last, steps);
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which step may still get something: HeldSteps.

#include "services/HeldSteps.h"

#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "services/Steps.h"

using namespace graphprof;

namespace {

TEST(HeldSteps, FirstIsCurrentOrNext) {
  // The first is the current step, or the next if none is open.
  Steps steps;
  HeldSteps held(steps);
  const std::int64_t before = held.first();
  steps.open();
  EXPECT_EQ(held.first(), before);
  EXPECT_EQ(held.first(), steps.current());
  steps.close();
  EXPECT_EQ(held.first(), before + 1) << "the one that has ended gets nothing more";
}

TEST(HeldSteps, FirstMayBeHeld) {
  // A step that is held is the first, though it has ended.
  Steps steps;
  HeldSteps held(steps);
  const auto one = held.join(), other = held.join();
  steps.open();
  const std::int64_t step = steps.current();
  one->hold(step);
  steps.close();
  steps.open();
  other->hold(steps.current());
  steps.close();
  EXPECT_EQ(held.first(), step);
  one->release();
  EXPECT_EQ(held.first(), step + 1);
  one->holdAll();
  EXPECT_EQ(held.first(), 0);
  one->release();
  other->release();
  EXPECT_EQ(held.first(), step + 2);
}

TEST(HeldSteps, GoneHolderHoldsNothing) {
  Steps steps;
  HeldSteps held(steps);
  auto holder = held.join();
  const std::int64_t before = held.first();
  holder->holdAll();
  EXPECT_EQ(held.first(), 0);
  holder.reset();
  EXPECT_EQ(held.first(), before);
}

} // namespace

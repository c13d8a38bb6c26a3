// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Steps.h"

#include <string>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

struct Listener : StepListener {
  void begun(std::int64_t step) noexcept override { heard += " +" + std::to_string(step); }
  void ended(std::int64_t step) noexcept override { heard += " -" + std::to_string(step); }
  std::string heard;
};

TEST(Steps, TellWhereEachBeginsAndWhereNoneFollows) {
  Steps steps;
  Listener listener;
  steps.tell(&listener);
  steps.open();
  steps.open(); // part of it
  steps.next();
  steps.close();
  EXPECT_EQ(" +0", listener.heard);
  steps.close();
  EXPECT_EQ(" +0 -0", listener.heard);
  steps.next();
  steps.next();
  EXPECT_EQ(" +0 -0 +1 +2", listener.heard);
  steps.open(); // part of what next() began
  steps.finish();
  steps.close();
  EXPECT_EQ(2, steps.current());
  steps.finish();
  steps.finish();
  EXPECT_EQ(" +0 -0 +1 +2 -2", listener.heard);
  EXPECT_EQ(Steps::none, steps.current());
  steps.tell(nullptr);
  steps.next();
  EXPECT_EQ(3, steps.current());
  EXPECT_EQ(" +0 -0 +1 +2 -2", listener.heard);
}

} // namespace

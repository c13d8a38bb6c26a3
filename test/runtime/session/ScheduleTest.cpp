// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graphprof/schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "Torch.h"

using namespace graphprof;
using graphprof::test::torchExpectations;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr auto N = ProfilerAction::NONE, W = ProfilerAction::WARMUP, R = ProfilerAction::RECORD,
               S = ProfilerAction::RECORD_AND_SAVE;

std::vector<ProfilerAction> first(std::size_t count, const Schedule &schedule) {
  std::vector<ProfilerAction> actions(count);
  std::generate(actions.begin(), actions.end(),
                [&, step = std::int64_t{0}]() mutable { return schedule(step++); });
  return actions;
}

ScheduleArguments argumentsOf(const nlohmann::json &named) {
  const auto value = [&](const char *name) { return named.value(name, 0); };
  return {value("wait"),   value("warmup"),     value("active"),
          value("repeat"), value("skip_first"), value("skip_first_wait")};
}

TEST(Schedule, AgreesWithTorchProfiler) {
  // In every step.
  const auto cases = torchExpectations("schedule")["cases"];
  ASSERT_FALSE(cases.empty());
  for (const auto &one : cases) {
    const Schedule ours = schedule(argumentsOf(one["arguments"]));
    std::int64_t step = 0;
    for (const int action : one["actions"])
      EXPECT_EQ(action, static_cast<int>(ours(step++))) << one["arguments"] << " step " << step - 1;
  }
}

TEST(Schedule, RefusesWhatTorchProfilerRefuses) {
  const auto refused = torchExpectations("schedule")["refused"];
  ASSERT_FALSE(refused.empty());
  for (const auto &one : refused)
    EXPECT_THROW((void)schedule(argumentsOf(one["arguments"])), std::invalid_argument)
        << one["arguments"];
}

TEST(Schedule, NamesRefusedValues) {
  try {
    (void)schedule(1, 2, 0, 3, 4, 5);
    FAIL();
  } catch (const std::invalid_argument &refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("active must be at least 1"));
    EXPECT_THAT(refusal.what(), HasSubstr("wait=1, warmup=2, active=0, repeat=3, skip_first=4, "
                                          "skip_first_wait=5"));
  }
  EXPECT_THROW((void)schedule(0, 0, 1, 0, 0, -1), std::invalid_argument);
}

TEST(Schedule, EndsAfterItsCycles) {
  EXPECT_THAT(first(10, schedule(1, 1, 2, 2)), ElementsAre(N, W, R, S, N, W, R, S, N, N));
}

TEST(Schedule, GoesOnWithoutRepeat) {
  const Schedule steps = schedule(1, 1, 2);
  constexpr std::int64_t far = 4'000'000'000'000;
  EXPECT_THAT(first(5, steps), ElementsAre(N, W, R, S, N));
  EXPECT_EQ(S, steps(far + 3));
  EXPECT_EQ(N, schedule(1, 1, 2, 1000)(far + 3));
}

TEST(Schedule, SkipsOnceAndWaitsRepeatedly) {
  // It skips steps once, and waits in each cycle.
  EXPECT_THAT(first(11, schedule(2, 1, 1, 0, 3)), ElementsAre(N, N, N, N, N, W, S, N, N, W, S));
}

// The rules of skip_first_wait, as its documentation has them: only the first cycle does not wait.
TEST(Schedule, SkipsTheFirstWaitOnly) {
  EXPECT_THAT(first(8, schedule(2, 1, 1, 0, 1, 1)), ElementsAre(N, W, S, N, N, W, S, N));
  EXPECT_THAT(first(8, schedule(2, 1, 1, 2, 1, 7)), ElementsAre(N, W, S, N, N, W, S, N))
      << "any number but 0; what was skipped does not make a cycle more";
  EXPECT_EQ(N, schedule(2, 1, 1, 2, 1, 1)(9));
}

TEST(Schedule, SavesAtLastActiveStep) {
  // Also where it is the only one.
  EXPECT_THAT(first(3, schedule(0, 0, 1)), ElementsAre(S, S, S));
  EXPECT_THAT(first(4, schedule(0, 0, 3)), ElementsAre(R, R, S, R));
}

TEST(Schedule, HasNothingBeforeStepZero) { EXPECT_EQ(N, schedule(0, 0, 1)(-1)); }

TEST(Schedule, TakesTheLargestNumbers) {
  constexpr int most = std::numeric_limits<int>::max();
  const Schedule steps = schedule(most, most, most, most, most, 0);
  constexpr std::int64_t begin = std::int64_t{most} * 3;
  EXPECT_EQ(W, steps(begin - 1));
  EXPECT_EQ(R, steps(begin));
}

} // namespace

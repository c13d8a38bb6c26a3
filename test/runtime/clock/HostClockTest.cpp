// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/HostClock.h"

#include <cstdint>
#include <ctime>

#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

namespace {
std::int64_t stepSeconds = 0;
} // namespace

// The machine's clock as this process sees it: somebody may set it.
extern "C" int clock_gettime(clockid_t clock, timespec *now) noexcept {
  const auto status = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (clock == CLOCK_REALTIME)
    now->tv_sec += stepSeconds;
  return status;
}

namespace {

TEST(HostClock, SurvivesSetMachineClock) {
  // It runs on when the machine's clock is set.
  const std::int64_t before = graphprof::hostNowNs();
  timespec machine{};
  ASSERT_EQ(0, clock_gettime(CLOCK_REALTIME, &machine));
  EXPECT_NEAR(static_cast<double>(machine.tv_sec), static_cast<double>(before) * 1e-9, 2.0);
  stepSeconds = -86'400;
  const std::int64_t earlier = graphprof::hostNowNs();
  EXPECT_GE(earlier, before);
  EXPECT_LT(earlier, before + 60'000'000'000);
  stepSeconds = 86'400;
  const std::int64_t later = graphprof::hostNowNs();
  EXPECT_GE(later, earlier);
  EXPECT_LT(later, before + 60'000'000'000);
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Drift.h"

#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

constexpr std::int64_t us = 1000, ms = 1000 * us, second = 1000 * ms;
constexpr std::int64_t start = 1'700'000'000 * second;

// A device whose clock gains `ppm` on the host's, looked at four times a second.
class Clocks {
public:
  explicit Clocks(std::int64_t ppm) : ppm_(ppm) { drift.aligned(start); }

  [[nodiscard]] std::int64_t deviceNs() const {
    return hostNs + stepNs + (hostNs - start) / 1'000'000 * ppm_;
  }
  // An answer that is there after `latencyNs` and seen at once; a late one is not seen come.
  void look(std::int64_t latencyNs = 4 * us) {
    const std::int64_t asked = hostNs;
    hostNs += latencyNs;
    drift.looked(deviceNs(), asked, latencyNs < 15 * us ? hostNs : Drift::whenever);
    hostNs = asked + second / 4;
  }
  [[nodiscard]] std::int64_t correction() const { return drift.correction().at(deviceNs()); }
  // How far a time of the device's is off the host's now, just before the next look.
  [[nodiscard]] std::int64_t error() const { return deviceNs() + correction() - hostNs; }

  Drift drift;
  std::int64_t hostNs = start;
  std::int64_t stepNs = 0;

private:
  std::int64_t ppm_;
};

TEST(Drift, AgreeingClocksAreLeftAlone) {
  Clocks clocks(0);
  for (int i = 0; i < 100; ++i)
    clocks.look();
  EXPECT_EQ(0, clocks.correction());
}

TEST(Drift, FollowsBothDirections) {
  for (const std::int64_t ppm : {-100, -3, 3, 100}) {
    Clocks clocks(ppm);
    for (int i = 0; i < 400; ++i) {
      clocks.look();
      // What it is behind: the bounds of a look, and what came since, with the ramp's half second.
      EXPECT_NEAR(0, clocks.error(), 5 * us + std::abs(ppm) * 800) << ppm << " ppm, look " << i;
    }
  }
}

TEST(Drift, KnownRateForeseesDrift) {
  for (const std::int64_t ppm : {-200, -18, 18, 200}) {
    Clocks clocks(ppm);
    for (int i = 0; i < 400; ++i) {
      clocks.look(1 * us);
      if (i > 4)
        EXPECT_NEAR(0, clocks.error(), 2 * us) << ppm << " ppm, look " << i;
    }
  }
}

TEST(Drift, WideBoundsTellNoRate) {
  Clocks clocks(-100);
  clocks.look(10 * us);
  clocks.look(10 * us);
  EXPECT_NE(0, clocks.correction());
  EXPECT_EQ(0, clocks.drift.correction().after.rate);
}

TEST(Drift, PauseCorrectsLaunchBeforeLook) {
  // After a pause, the launch before the look is corrected too.
  for (const bool afterPause : {false, true}) {
    Clocks clocks(-20);
    clocks.hostNs += second;
    const std::int64_t launched = clocks.deviceNs() - 10 * us;
    clocks.drift.looked(clocks.deviceNs(), clocks.hostNs, clocks.hostNs + us, afterPause);
    EXPECT_EQ(afterPause ? 20 * us : 0, clocks.drift.correction().at(launched));
  }
}

TEST(Drift, TimeNeverRunsBackwards) {
  // No time is put before an earlier one.
  Clocks clocks(100);
  Drift::Correction before = clocks.drift.correction();
  for (int i = 0; i < 400; ++i) {
    const std::int64_t from = clocks.deviceNs();
    clocks.look();
    const Drift::Correction after = clocks.drift.correction();
    EXPECT_GT(from + 1 * us + after.at(from + 1 * us), from + before.at(from));
    for (std::int64_t t = from; t < from + second; t += ms)
      EXPECT_GT(t + ms + after.at(t + ms), t + after.at(t));
    before = after;
  }
}

TEST(Drift, LateAnswersProveLittle) {
  // Late answers prove only that the device is not ahead.
  Clocks busy(0);
  for (int i = 0; i < 100; ++i)
    busy.look(3 * ms);
  EXPECT_EQ(0, busy.correction());
}

TEST(Drift, LeapIsDoubtedThenBelieved) {
  Clocks clocks(0);
  clocks.look();
  clocks.stepNs = -3600 * second; // the device was away
  for (int i = 0; i < 3; ++i) {
    clocks.look();
    EXPECT_EQ(0, clocks.correction());
  }
  clocks.look();
  EXPECT_NEAR(0, clocks.error(), 5 * us);
}

TEST(Drift, LeapingClockIsNotFollowed) {
  Clocks clocks(0);
  for (int i = 1; i < 100; ++i) {
    clocks.stepNs += 7 * ms * (i % 3);
    clocks.look();
  }
  EXPECT_EQ(0, clocks.correction());
}

TEST(Drift, LongPauseIsMadeUp) {
  // After a long pause, the drift is made up for at once.
  Clocks clocks(-100);
  clocks.hostNs += 3600 * second;
  clocks.look();
  EXPECT_NEAR(0, clocks.error(), 30 * us);
  EXPECT_EQ(clocks.drift.correction().from, clocks.drift.correction().until);
}

} // namespace

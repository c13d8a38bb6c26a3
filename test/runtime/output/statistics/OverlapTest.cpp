// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Overlap.h"

#include <gtest/gtest.h>

using graphprof::Overlap;

namespace {

constexpr graphprof::StreamTime copy = {0, 7, 100, 200};

TEST(Overlap, NothingComputed) { EXPECT_EQ(Overlap().overlappedNs(copy), 0); }

TEST(Overlap, CountsMomentsInsideCopyOnce) {
  // What lies inside the copy counts, each moment once.
  Overlap overlap;
  overlap.add({0, 8, 90, 110});
  overlap.add({0, 8, 120, 140});
  overlap.add({0, 9, 130, 150});
  overlap.add({0, 9, 135, 136});
  overlap.add({0, 8, 190, 300});
  overlap.add({0, 8, 200, 300});
  EXPECT_EQ(overlap.overlappedNs(copy), 10 + 30 + 10);
}

TEST(Overlap, LongReplayCoversWholeCopy) {
  // Also if many replays began between its begin and the copy's.
  Overlap overlap;
  overlap.add({0, 8, 0, 1'000});
  for (int i = 1; i < 50; ++i)
    overlap.add({0, 8, i, i + 1});
  EXPECT_EQ(overlap.overlappedNs(copy), 100);
}

TEST(Overlap, LeavesOutOwnStream) {
  // The copy's own stream is left out, and so are other devices.
  Overlap overlap;
  overlap.add({0, 7, 100, 200});
  overlap.add({1, 8, 100, 200});
  EXPECT_EQ(overlap.overlappedNs(copy), 0);
}

TEST(Overlap, TakesTimesInAnyOrder) {
  Overlap overlap;
  overlap.add({0, 8, 180, 190});
  overlap.add({0, 8, 110, 120});
  overlap.add({0, 8, 150, 150}); // nothing
  EXPECT_EQ(overlap.overlappedNs(copy), 20);
}

TEST(Overlap, ForgetsTheOldest) {
  Overlap overlap(2);
  for (const int begin : {100, 120, 140})
    overlap.add({0, 8, begin, begin + 10});
  EXPECT_EQ(overlap.overlappedNs(copy), 20);
}

} // namespace

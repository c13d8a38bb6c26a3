// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How a grid runs on the simulated device. OccupancyCalculatorTest.cpp compares single blocks with
// CUDA's calculator.

#include "Occupancy.h"

#include <gtest/gtest.h>

namespace cudasim {
namespace {

TEST(Occupancy, ImpossibleBlockHasNone) {
  // A block that cannot be has no room on any multiprocessor.
  EXPECT_EQ(0u, residentBlocks({1025, 32, 0}));
  EXPECT_EQ(0u, residentBlocks({32, 32, (227 << 10) + 1}));
}

TEST(Occupancy, GridComesInWaves) {
  // A grid comes in as many waves as it needs.
  const BlockNeeds half{1024, 32, 0}; // two fill a multiprocessor, and 264 the device
  EXPECT_EQ(1u, wavesOf(half, 264).count);
  EXPECT_EQ(2u, wavesOf(half, 265).count);
  EXPECT_EQ(5u, wavesOf(half, 1320).count);
  EXPECT_EQ(1u, wavesOf(half, 1).count);
}

TEST(Occupancy, PartialLastWaveLeavesRoom) {
  // There is room beside the last wave unless it fills every multiprocessor.
  const BlockNeeds half{1024, 32, 0};
  EXPECT_TRUE(wavesOf(half, 263).leavesRoom);
  EXPECT_FALSE(wavesOf(half, 264).leavesRoom);
  EXPECT_TRUE(wavesOf(half, 265).leavesRoom);
  EXPECT_TRUE(wavesOf({128, 32, 200'000}, 132).leavesRoom); // enough shared memory is left
  EXPECT_FALSE(wavesOf({32, 32, 0}, 4224).leavesRoom);      // 32 on each, which is the limit
  EXPECT_FALSE(wavesOf({512, 128, 0}, 132).leavesRoom);     // all registers
  EXPECT_TRUE(wavesOf({128, 32, 0}, 1848).leavesRoom);
  EXPECT_FALSE(wavesOf({128, 32, 0}, 1980).leavesRoom); // 15 on each, and 128 threads
}

} // namespace
} // namespace cudasim

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/memory/ArrayBytes.h"

#include <gtest/gtest.h>

using graphprof::arrayBytes;
using graphprof::ArrayElement;
using graphprof::elementOfFormat;
using graphprof::elementOfKind;

namespace {

constexpr ArrayElement fourBytes = {32, false};
constexpr unsigned layered = 1, cubemap = 4, sparse = 0x40, deferred = 0x80;

TEST(ArrayBytes, AreWidthTimesHeightTimesDepthTimesBytes) {
  EXPECT_EQ(400u, arrayBytes({100, 0, 0, 0, 1}, fourBytes));
  EXPECT_EQ(800u, arrayBytes({100, 2, 0, 0, 1}, fourBytes));
  EXPECT_EQ(2400u, arrayBytes({100, 2, 3, 0, 1}, fourBytes));
  EXPECT_EQ(1200u, arrayBytes({100, 0, 3, layered, 1}, fourBytes)) << "layers of a line";
  EXPECT_EQ(6u * 16 * 4, arrayBytes({4, 4, 6, cubemap, 1}, fourBytes));
}

TEST(ArrayBytes, OfAMipmapAreThoseOfItsLevels) {
  EXPECT_EQ((64u + 16 + 4 + 1) * 4, arrayBytes({8, 8, 0, 0, 4}, fourBytes));
  EXPECT_EQ((64u + 16) * 4, arrayBytes({8, 8, 0, 0, 2}, fourBytes));
  EXPECT_EQ((64u + 16 + 4 + 1) * 4, arrayBytes({8, 8, 0, 0, 99}, fourBytes)) << "no more than that";
  EXPECT_EQ((5u * 3 + 2 + 1) * 4, arrayBytes({5, 3, 0, 0, 3}, fourBytes)) << "halves are rounded";
  EXPECT_EQ((64u + 8 + 2 + 1) * 4, arrayBytes({8, 4, 2, 0, 4}, fourBytes));
  EXPECT_EQ((8u + 4 + 2 + 1) * 3 * 4, arrayBytes({8, 0, 3, layered, 4}, fourBytes))
      << "there are as many layers at each level";
  EXPECT_EQ(256u, arrayBytes({8, 8, 0, 0, 0}, fourBytes)) << "one at least";
}

TEST(ArrayBytes, AreNoneWhereMemoryIsMappedLater) {
  EXPECT_EQ(0u, arrayBytes({8, 8, 0, sparse, 1}, fourBytes));
  EXPECT_EQ(0u, arrayBytes({8, 8, 0, deferred | layered, 1}, fourBytes));
}

TEST(ArrayBytes, OfBlocksAreWholeBlocks) {
  constexpr int bc1 = 17, bc3 = 21, bc4 = 24, bc7 = 30; // cudaChannelFormatKind
  EXPECT_EQ(8u, arrayBytes({1, 1, 0, 0, 1}, elementOfKind(bc1, 32)));
  EXPECT_EQ(4u * 8, arrayBytes({5, 8, 0, 0, 1}, elementOfKind(bc4, 8)));
  EXPECT_EQ(16u, arrayBytes({4, 4, 0, 0, 1}, elementOfKind(bc3, 32)));
  EXPECT_EQ(2u * 16, arrayBytes({5, 3, 0, 0, 1}, elementOfKind(bc7, 32)));
  EXPECT_EQ(4u * 8 + 8 + 8, arrayBytes({8, 8, 0, 0, 3}, elementOfKind(bc1, 32)));
}

TEST(ArrayBytes, BothApisMeanTheSame) {
  constexpr int kinds[] = {17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
  for (int i = 0; i < 14; ++i) {
    EXPECT_EQ(elementOfKind(kinds[i], 24).bits, elementOfFormat(0x91 + i, 4).bits) << i;
    EXPECT_TRUE(elementOfFormat(0x91 + i, 4).inBlocks) << i;
  }
  EXPECT_EQ(24u, arrayBytes({4, 4, 0, 0, 1}, elementOfKind(4, 24))) << "NV12: 12 bits a pixel";
  EXPECT_EQ(24u, arrayBytes({4, 4, 0, 0, 1}, elementOfFormat(0xb0, 3)));
  EXPECT_EQ(32u, elementOfKind(31, 10 + 10 + 10 + 2).bits);
  EXPECT_EQ(32u, elementOfFormat(0x50, 4).bits);
  EXPECT_EQ(64u, elementOfKind(2, 64).bits) << "float2";
  EXPECT_EQ(64u, elementOfFormat(0x20, 2).bits);
  EXPECT_EQ(64u, elementOfFormat(0x10, 4).bits) << "half4";
  EXPECT_EQ(8u, elementOfFormat(0x08, 1).bits);
}

TEST(ArrayBytes, OfAFormatThatNobodyKnowsAreNone) {
  EXPECT_EQ(0u, arrayBytes({8, 8, 0, 0, 1}, elementOfFormat(0x7777, 4)));
}

} // namespace

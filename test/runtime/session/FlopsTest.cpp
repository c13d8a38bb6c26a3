// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Operations by shapes: the numbers that PyTorch's with_flops gives for the same shapes.

#include "graphprof/flops.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

using namespace graphprof::flops;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// They are constants where the shapes are.
static_assert(mm(2, 3, 4) == 48);
static_assert(addmm(2, 3, 4) == 48);
static_assert(bmm(5, 2, 3, 4) == 240);
static_assert(baddbmm(5, 2, 3, 4) == 240);
static_assert(mul(8, 4096) == 32'768);
static_assert(add(2, 3, 4) == 24);
static_assert(conv2d({1, 3, 224, 224, 64, 7, 7, {2, 2}, {3, 3}}) == 236'027'904);

TEST(Flops, CountTwoPerMultiplyAdd) {
  // Those of matrix products.
  const unsigned m = 4096, n = 11008, k = 4096;
  EXPECT_EQ(mm(m, n, k), 369'367'187'456);
  EXPECT_EQ(bmm(32, 128, 128, 64), 67'108'864);
  EXPECT_EQ(mm(100'000, 100'000, 100'000), 2'000'000'000'000'000);
}

TEST(Flops, OfConvolutionCountKernelPlaces) {
  // Those of a convolution are counted for each place of the kernel.
  Conv2d shape{8, 64, 56, 56, 128, 3, 3};
  EXPECT_EQ(conv2d(shape), std::int64_t{2} * 8 * 54 * 54 * 3 * 3 * 64 * 128);
  shape.padding = {1, 0};
  EXPECT_EQ(conv2d(shape), std::int64_t{2} * 8 * 56 * 54 * 3 * 3 * 64 * 128);
  shape.stride = {2, 3};
  EXPECT_EQ(conv2d(shape), std::int64_t{2} * 8 * 28 * 18 * 3 * 3 * 64 * 128);
  shape.dilation = {2, 5};
  EXPECT_EQ(conv2d(shape), std::int64_t{2} * 8 * 27 * 16 * 3 * 3 * 64 * 128);
  shape.groups = 64;
  EXPECT_EQ(conv2d(shape), std::int64_t{2} * 8 * 27 * 16 * 3 * 3 * 128);
}

TEST(Flops, OfEmptyShapesAreNone) {
  // And those of shapes that are none.
  EXPECT_EQ(mm(0, 3, 4), 0);
  EXPECT_EQ(mm(2, -3, -4), 0);
  EXPECT_EQ(add(4096, 0), 0);
  const Conv2d good{1, 3, 8, 8, 4, 3, 3};
  ASSERT_GT(conv2d(good), 0);
  for (const auto spoil :
       {+[](Conv2d &shape) { shape.groups = 0; }, +[](Conv2d &shape) { shape.stride.width = 0; },
        +[](Conv2d &shape) { shape.dilation.height = 0; },
        +[](Conv2d &shape) { shape.padding.width = -1; },
        +[](Conv2d &shape) { shape.kernel_height = 9; },
        +[](Conv2d &shape) { shape.in_width = -8; }}) {
    Conv2d shape = good;
    spoil(shape);
    EXPECT_EQ(conv2d(shape), 0);
  }
}

TEST(Flops, SaturateAtLargestNumber) {
  EXPECT_EQ(mm(most, most, most), most);
  EXPECT_EQ(add(most, 1), most);
}

} // namespace

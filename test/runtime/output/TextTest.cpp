// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Text.h"

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

TEST(Text, TimesHaveThreeDecimalsAndTheUnitOfTheirSize) {
  EXPECT_EQ(formatTime(0), "0.000us");
  EXPECT_EQ(formatTime(12'345), "12.345us");
  EXPECT_EQ(formatTime(999'999), "999.999us");
  EXPECT_EQ(formatTime(1e6), "1.000ms");
  EXPECT_EQ(formatTime(1'234'567), "1.235ms");
  EXPECT_EQ(formatTime(2.5e9), "2.500s");
}

TEST(Text, NamesStayOnOneLine) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a?b?c?[31m?");
  EXPECT_EQ(printable("ümlaut ∑"), "ümlaut ∑");
}

} // namespace

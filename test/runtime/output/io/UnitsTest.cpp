// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/Units.h"

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

TEST(Units, TimesHaveFittingUnits) {
  // Times have three decimals and the unit of their size.
  EXPECT_EQ(formatTime(0), "0.000us");
  EXPECT_EQ(formatTime(12'345), "12.345us");
  EXPECT_EQ(formatTime(999'999), "999.999us");
  EXPECT_EQ(formatTime(1e6), "1.000ms");
  EXPECT_EQ(formatTime(1'234'567), "1.235ms");
  EXPECT_EQ(formatTime(2.5e9), "2.500s");
  EXPECT_EQ(formatTime(33'900, false), "33.9us");
  EXPECT_EQ(formatTime(120'000, false), "120us");
  EXPECT_EQ(formatTime(0, false), "0us");
}

TEST(Units, PercentsHaveTwoDecimals) {
  EXPECT_EQ(formatPercent(0), "0.00%");
  EXPECT_EQ(formatPercent(12.345), "12.35%");
  EXPECT_EQ(formatPercent(-1), "--") << "not known";
}

TEST(Units, BytesHaveFittingUnits) {
  // Bytes are in the largest unit that fits.
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1536), "1.50 KiB");
  EXPECT_EQ(formatBytes(-3 * 1024 * 1024), "-3.00 MiB");
  EXPECT_EQ(formatBytes(std::int64_t{1} << 51), "2048.00 TiB");
  EXPECT_EQ(formatBytes(1536, BytesAs::KB), "1.50 KB");
  EXPECT_EQ(formatBytes(std::int64_t{1} << 41, BytesAs::KB), "2048.00 GB");
}

TEST(Units, RatesHaveFourDigits) {
  EXPECT_EQ(formatRate(999, "B/s"), "999 B/s");
  EXPECT_EQ(formatRate(3.7382e12, "B/s"), "3.738 TB/s");
  EXPECT_EQ(formatRate(33.45e12, "FLOP/s"), "33.45 TFLOP/s");
  EXPECT_EQ(formatRate(2e18, "B/s"), "2000 PB/s");
  EXPECT_EQ(formatRate(0, "B/s"), "--") << "not known";
}

} // namespace

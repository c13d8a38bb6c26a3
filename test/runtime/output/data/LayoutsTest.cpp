// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Layouts.h"

#include <gtest/gtest.h>

#include <vector>

namespace graphprof {

namespace {

// A replay of `regions` regions, and how often what is kept of them had to be found.
class LayoutsTest : public testing::Test {
protected:
  std::vector<int> of(std::uint64_t layout, std::size_t regions) {
    const std::vector<Record> records(regions, Record{});
    Replay replay;
    replay.layout = layout;
    replay.records = records;
    return layouts_.of(replay, [&](std::vector<int> &findings) {
      ++searches_;
      findings.assign(regions, searches_);
    });
  }

  Layouts<int> layouts_;
  int searches_ = 0;
};

TEST_F(LayoutsTest, LayoutIsFoundOnce) {
  EXPECT_EQ((std::vector<int>{1, 1}), of(7, 2));
  EXPECT_EQ((std::vector<int>{1, 1}), of(7, 2));
  EXPECT_EQ((std::vector<int>{2}), of(8, 1));
  EXPECT_EQ((std::vector<int>{1, 1}), of(7, 2));
  EXPECT_EQ(2, searches_);
}

TEST_F(LayoutsTest, UnlikeReplayIsFoundAnew) {
  // It finds anew where a replay is unlike others.
  EXPECT_EQ((std::vector<int>{1, 1}), of(0, 2));
  EXPECT_EQ((std::vector<int>{2, 2, 2}), of(0, 3));
  EXPECT_EQ((std::vector<int>{3, 3}), of(0, 2));
}

TEST_F(LayoutsTest, RegionCountTellsLayoutsApart) {
  // It does not take what is known for another number of regions.
  EXPECT_EQ((std::vector<int>{1, 1}), of(7, 2));
  EXPECT_EQ((std::vector<int>{2, 2, 2}), of(7, 3));
  EXPECT_EQ((std::vector<int>{1, 1}), of(7, 2));
}

TEST_F(LayoutsTest, TooManyStartAnew) {
  // With too many layouts, it starts anew.
  constexpr std::size_t many = 60'000;
  of(1, many);
  of(1, many);
  EXPECT_EQ(1, searches_);
  of(2, many); // both do not fit
  of(2, many);
  EXPECT_EQ(2, searches_);
  of(1, many);
  EXPECT_EQ(3, searches_);
}

} // namespace

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which of several numbers are the newest.

#include "graph/topology/Newest.h"

#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace graphprof {
namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers kept(Newest &newest, Numbers numbers, std::size_t most = SIZE_MAX) {
  newest.keepNewest(numbers, most);
  return numbers;
}

// 0 - 1 - 2 ----- 5 - 6
//       - 3 - 4 -
class NewestOfADiamond : public testing::Test {
protected:
  NewestOfADiamond() {
    for (const Numbers &before :
         {Numbers{}, Numbers{0}, Numbers{1}, Numbers{1}, Numbers{3}, Numbers{2, 4}, Numbers{5}})
      newest_.add(before);
  }
  Newest newest_;
};

TEST_F(NewestOfADiamond, WaiterStandsForAwaited) {
  // Who waits for another stands for it.
  EXPECT_EQ(Numbers{6}, kept(newest_, {0, 6}));
  EXPECT_EQ(Numbers{5}, kept(newest_, {5, 2, 3}));
  EXPECT_EQ(Numbers{6}, kept(newest_, {0, 1, 2, 3, 4, 5, 6}));
}

TEST_F(NewestOfADiamond, ParallelNumbersStaySorted) {
  // Those beside each other stay, sorted and once.
  EXPECT_EQ((Numbers{2, 3}), kept(newest_, {3, 2, 3}));
  EXPECT_EQ((Numbers{2, 4}), kept(newest_, {4, 1, 2, 3}));
  EXPECT_EQ(Numbers{1}, kept(newest_, {1}));
  EXPECT_EQ(Numbers{}, kept(newest_, {}));
}

TEST(NewestNumbers, LastWaiterRemains) {
  // The newest numbers are the last of all that wait for all before.
  Newest newest;
  Numbers all;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    newest.add(all);
    all.push_back(i);
  }
  EXPECT_EQ(Numbers{999}, kept(newest, all));
}

TEST(NewestNumbers, KeepsAtMostAsMany) {
  // No more numbers are kept than asked for.
  Newest newest;
  Numbers all(100);
  std::iota(all.begin(), all.end(), 0U);
  for (std::size_t i = 0; i < all.size(); ++i)
    newest.add({});
  EXPECT_EQ((Numbers{97, 98, 99}), kept(newest, all, 3));
}

// Numbers stay if the search would be long. Otherwise a long chain would be searched at every node
// that also waits for its begin.
TEST(NewestNumbers, StayWithoutLongSearch) {
  Newest newest;
  newest.add({});
  for (std::uint32_t i = 1; i < 10'000; ++i) {
    const std::uint32_t before[] = {i - 1};
    newest.add(before);
  }
  EXPECT_EQ(Numbers{9'999}, kept(newest, {9'990, 9'999}));
  EXPECT_EQ((Numbers{0, 9'999}), kept(newest, {0, 9'999}));
}

} // namespace
} // namespace graphprof

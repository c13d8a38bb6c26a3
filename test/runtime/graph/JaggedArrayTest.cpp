// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Lists that lie behind each other.

#include "graph/topology/JaggedArray.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace graphprof {
namespace {

TEST(JaggedArray, KeepsOrderAndLengths) {
  const std::vector<std::vector<int>> lists = {{}, {1}, {3, 2, 3}, {}, {4, 5}};
  JaggedArray<int> all;
  EXPECT_EQ(0U, all.size());
  for (const std::vector<int> &list : lists)
    all.add(list);
  ASSERT_EQ(lists.size(), all.size());
  for (std::size_t i = 0; i < lists.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(lists[i], all[i])) << i;
}

} // namespace
} // namespace graphprof

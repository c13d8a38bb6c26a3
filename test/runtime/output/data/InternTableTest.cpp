// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/InternTable.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

const Site site{"layer {}", "src/model.cu", 12, "forward"};

TEST(InternTable, EqualKeysAreFound) {
  // What is the same in everything is the same.
  InternTable<int> met;
  {
    const std::string name = "a region of a name that is not short";
    const std::vector<Value> context = {Value(7), key("kind", "cheap")};
    EXPECT_EQ(met.find({&site, name, context, 1, 2}), nullptr);
    EXPECT_EQ(met.add({&site, name, context, 1, 2}, 42), 42);
  }
  const std::vector<Value> again = {Value(7), key("kind", "cheap")};
  const int *const found = met.find({&site, "a region of a name that is not short", again, 1, 2});
  ASSERT_NE(found, nullptr) << "it keeps what it was given";
  EXPECT_EQ(*found, 42);
}

TEST(InternTable, UnequalKeysAreNotFound) {
  // What differs in anything is another.
  InternTable<int> met;
  const std::vector<Value> context = {Value(7)};
  met.add({&site, "a", context, 1, 2}, 0);
  const Site other = site;
  const std::vector<std::vector<Value>> others = {
      {}, {Value(8)}, {Value(7U)}, {key("k", 7)}, {Value("7")}, {Value(7), Value(7)}};
  EXPECT_EQ(met.find({&other, "a", context, 1, 2}), nullptr);
  EXPECT_EQ(met.find({&site, "b", context, 1, 2}), nullptr);
  EXPECT_EQ(met.find({&site, "a", context, 3, 2}), nullptr);
  EXPECT_EQ(met.find({&site, "a", context, 1, 3}), nullptr);
  EXPECT_EQ(met.find({&site, "a", context, 2, 1}), nullptr);
  for (const std::vector<Value> &values : others)
    EXPECT_EQ(met.find({&site, "a", values, 1, 2}), nullptr);
}

TEST(InternTable, ForgetsWhenCleared) {
  InternTable<int> met;
  met.add({&site, "a", {}, 0, 0}, 1);
  EXPECT_EQ(met.size(), 1U);
  met.clear();
  EXPECT_EQ(met.size(), 0U);
  EXPECT_EQ(met.find({&site, "a", {}, 0, 0}), nullptr);
}

} // namespace

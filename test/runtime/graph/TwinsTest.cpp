// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Nodes by other nodes.

#include "graph/topology/Twins.h"

#include <array>

#include <gtest/gtest.h>

namespace graphprof {
namespace {

// Handles: nothing looks at what they point to.
class TwinsOfThree : public testing::Test {
protected:
  driver::Node handle(std::size_t i) { return reinterpret_cast<driver::Node>(&memory_.at(i)); }

  std::array<char, 8> memory_{};
  const std::array<driver::Node, 3> nodes_ = {handle(4), handle(0), handle(2)};
  const std::array<driver::Node, 3> profiled_ = {handle(5), handle(6), handle(7)};
  Twins twins_{nodes_, profiled_};
};

TEST_F(TwinsOfThree, AreFoundInAnyOrder) {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    EXPECT_EQ(profiled_.at(i), twins_.of(nodes_.at(i)));
  EXPECT_EQ(3U, twins_.pairs().size());
}

TEST_F(TwinsOfThree, UnknownNodeHasNone) {
  for (const std::size_t other : {1, 3, 5})
    EXPECT_EQ(nullptr, twins_.of(handle(other)));
  EXPECT_EQ(nullptr, Twins().of(handle(0)));
}

TEST_F(TwinsOfThree, AreForgottenOneByOne) {
  EXPECT_FALSE(twins_.forget(handle(3)));
  EXPECT_TRUE(twins_.forget(handle(2)));
  EXPECT_FALSE(twins_.forget(handle(2)));
  EXPECT_EQ(nullptr, twins_.of(handle(2)));
  EXPECT_EQ(profiled_[0], twins_.of(handle(4)));
  EXPECT_EQ(profiled_[1], twins_.of(handle(0)));
}

} // namespace
} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which timing nodes wait for which.

#include "graph/timing/SideChain.h"

#include <gtest/gtest.h>
#include <vector>

namespace graphprof {
namespace {

using Numbers = std::vector<std::uint32_t>;

class Chain : public testing::Test {
protected:
  SideChain::Front add(SideChain::Front behind) {
    chain_.add(behind);
    return chain_.behind(++newest_);
  }
  Numbers of(SideChain::Front front) const {
    const auto boundaries = chain_.boundaries(front);
    return {boundaries.begin(), boundaries.end()};
  }

  SideChain chain_;
  std::uint32_t newest_ = 0;
};

TEST_F(Chain, BeginsWithTheRoot) {
  EXPECT_EQ(Numbers{0}, of(SideChain::begin()));
  EXPECT_EQ(Numbers{1}, of(chain_.join(SideChain::begin(), add(SideChain::begin()))));
}

TEST_F(Chain, BoundaryWaitsForPrevious) {
  // In one stream, each boundary waits for the one before.
  SideChain::Front at = SideChain::begin();
  for (std::uint32_t i = 1; i < 200; ++i) {
    at = chain_.join(at, add(at));
    EXPECT_EQ(Numbers{i}, of(at));
  }
}

// A region begins in one stream and waits inside for another, which was forked before and has
// boundaries of its own: its end waits for those, and for its own begin.
TEST_F(Chain, JoinedStreamsBothCount) {
  const SideChain::Front fork = add(SideChain::begin());
  const SideChain::Front begin = add(fork);
  const SideChain::Front side = add(fork);
  EXPECT_EQ((Numbers{2, 3}), of(chain_.join(begin, side)));
  EXPECT_EQ((Numbers{2, 3}), of(chain_.join(side, begin)));
  EXPECT_EQ(Numbers{4}, of(add(chain_.join(begin, side))));
}

TEST_F(Chain, WaiterStandsForAwaited) {
  // Who waits for another stands for it.
  const SideChain::Front fork = add(SideChain::begin());
  const SideChain::Front far = add(add(add(fork)));
  EXPECT_EQ(of(far), of(chain_.join(fork, far)));
  EXPECT_EQ(of(far), of(chain_.join(chain_.join(fork, far), fork)));
  const SideChain::Front other = add(fork);
  EXPECT_EQ((Numbers{4, 5}), of(chain_.join(chain_.join(fork, far), other)));
}

TEST_F(Chain, FrontStaysSmall) {
  SideChain::Front all = SideChain::begin();
  for (int i = 0; i < 100; ++i)
    all = chain_.join(all, add(SideChain::begin()));
  const Numbers kept = of(all);
  EXPECT_EQ(SideChain::MaxFront, kept.size());
  EXPECT_EQ(100U, kept.back());
}

} // namespace
} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/LossText.h"

#include <array>
#include <bit>
#include <cstdint>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace graphprof;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

namespace {

// So many of each.
Losses each(std::uint64_t count) {
  std::array<std::uint64_t, sizeof(Losses) / sizeof count> counts{};
  counts.fill(count);
  return std::bit_cast<Losses>(counts);
}

TEST(LossText, NoLossSaysNothing) { EXPECT_THAT(lossSentences({}), IsEmpty()); }

TEST(LossText, NamesReasonAndWayOut) {
  Losses losses{};
  losses.overrun = 12;
  EXPECT_THAT(lossSentences(losses),
              ElementsAre("12 replays lost: the ring was overwritten before they were read; raise "
                          "GRAPHPROF_RING_DEPTH"));
}

TEST(LossText, LossHasItsSentence) {
  // It has a sentence for each loss, in singular and plural.
  const Losses ones = each(1);
  EXPECT_THAT(lossSentences(ones),
              ElementsAre(StartsWith("1 replay lost"),
                          StartsWith("1 replay or region outside graphs lost"),
                          StartsWith("1 replay lost"), StartsWith("1 region not"),
                          StartsWith("1 region or node not"), StartsWith("1 graph not"),
                          StartsWith("1 graph change not"), StartsWith("1 launch untimed"),
                          StartsWith("1 capture with"), StartsWith("1 region outside graphs not"),
                          StartsWith("1 record left"), StartsWith("1 name short"),
                          StartsWith("1 host span lost"), StartsWith("1 launch untimed"),
                          StartsWith("1 launch left"), StartsWith("1 kernel with"),
                          StartsWith("1 time inside")));
  const Losses twos = each(2);
  EXPECT_THAT(lossSentences(twos),
              ElementsAre(StartsWith("2 replays lost"),
                          StartsWith("2 replays or regions outside graphs lost"),
                          StartsWith("2 replays lost"), StartsWith("2 regions not"),
                          StartsWith("2 regions or nodes not"), StartsWith("2 graphs not"),
                          StartsWith("2 graph changes not"), StartsWith("2 launches untimed"),
                          StartsWith("2 captures with"), StartsWith("2 regions outside graphs not"),
                          StartsWith("2 records left"), StartsWith("2 names short"),
                          StartsWith("2 host spans lost"), StartsWith("2 launches untimed"),
                          StartsWith("2 launches left"), StartsWith("2 kernels with"),
                          StartsWith("2 times inside")));
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Allocations.h"

#include <gtest/gtest.h>

using graphprof::Allocations;

namespace {

const void *at(std::uintptr_t address) { return reinterpret_cast<const void *>(address); }

TEST(Allocations, SayNothingWhereNothingWasAllocated) { EXPECT_EQ("", Allocations().sentence()); }

TEST(Allocations, CountTimesAndBytesAndThoseInSteps) {
  Allocations tally;
  tally.allocated(at(0x1000), 1000, false);
  EXPECT_EQ("allocated 1 time, 1000 B; freed 0 times, 0 B", tally.sentence());
  tally.allocated(at(0x2000), 3 << 20, true);
  tally.freed(tally.freeing(at(0x1000)));
  EXPECT_EQ("allocated 2 times, 3.00 MB (in steps 1 time, 3.00 MB); freed 1 time, 1000 B",
            tally.sentence());
}

TEST(Allocations, KnowOnlyWhatTheySaw) {
  Allocations tally;
  EXPECT_EQ(0u, tally.freeing(at(0x1000)));
  tally.allocated(at(0x1000), 10, false);
  EXPECT_EQ(10u, tally.freeing(at(0x1000)));
  EXPECT_EQ(0u, tally.freeing(at(0x1000)));
}

TEST(Allocations, WhatCouldNotBeFreedIsStillThere) {
  Allocations tally;
  tally.allocated(at(0x1000), 10, false);
  tally.kept(at(0x1000), tally.freeing(at(0x1000)));
  EXPECT_EQ(10u, tally.freeing(at(0x1000)));
}

} // namespace

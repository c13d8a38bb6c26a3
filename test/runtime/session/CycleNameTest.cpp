// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/CycleName.h"

#include <gtest/gtest.h>

using graphprof::nameOfCycle;
using graphprof::withCycle;

namespace {

TEST(CycleName, StandsAtPlaceholder) {
  // It stands where the path names it.
  EXPECT_EQ("a/7/trace-7.json", nameOfCycle("a/{cycle}/trace-{cycle}.json", 7));
  EXPECT_EQ("table:12.txt", nameOfCycle("table:{cycle}.txt", 12));
  EXPECT_EQ("trace-1.json", withCycle("trace-{cycle}.json", 1));
  EXPECT_EQ("trace.json", withCycle("trace.json", 1));
}

TEST(CycleName, StandsBeforeExtension) {
  // Where the path does not name it.
  EXPECT_EQ("trace.3.json", nameOfCycle("trace.json", 3));
  EXPECT_EQ("trace.3.json.gz", nameOfCycle("trace.json.gz", 3));
  EXPECT_EQ("table:b.c.3.txt", nameOfCycle("table:b.c.txt", 3));
  EXPECT_EQ("run.d/trace.3.json", nameOfCycle("run.d/trace.json", 3));
  EXPECT_EQ("{host}-{pid}.3.json", nameOfCycle("{host}-{pid}.json", 3));
}

TEST(CycleName, StandsAtEndWithoutExtension) {
  EXPECT_EQ("table:out.3", nameOfCycle("table:out", 3));
  EXPECT_EQ("table:run.d/out.3", nameOfCycle("table:run.d/out", 3));
  EXPECT_EQ("table:.hidden.3", nameOfCycle("table:.hidden", 3));
}

TEST(CycleName, NeedsPath) { EXPECT_EQ("table", nameOfCycle("table", 3)); }

} // namespace

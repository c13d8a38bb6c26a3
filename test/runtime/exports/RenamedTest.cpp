// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The old spellings of members are the same members. old_names.cpp has all of them.

#include <gtest/gtest.h>

#include "graphprof/graphprof.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace graphprof::test {
namespace {

TEST(Renamed, StructMembersShareValue) {
  // Members of structs have one value under both names.
  Record record{};
  record.duration_ns = 7;
  EXPECT_EQ(7, record.durationNs);
  record.durationNs = 8;
  EXPECT_EQ(8, record.duration_ns);
  HostSpan span;
  span.begin_ns = 1;
  span.endNs = 4;
  EXPECT_EQ(3, span.duration_ns());
  EXPECT_EQ(3, span.durationNs());
  const Site site("name", "file", 1, "function");
  EXPECT_STREQ("name", site.nameFormat);
}

TEST(Renamed, MembersKeepTheirDefaults) {
  const HostSpan span;
  EXPECT_EQ(0, span.begin_ns);
  EXPECT_EQ(0, span.end_ns);
  EXPECT_EQ(0U, span.context_size);
}

TEST(Renamed, OldFunctionsCallNewOnes) {
  EXPECT_EQ(3, Value(3).asSigned());
  EXPECT_EQ("text", Value("text").asText());
  EXPECT_EQ(current_step(), currentStep());
  EXPECT_EQ(in_step(), inStep());
  EXPECT_FALSE(onCapture().known());
}

} // namespace
} // namespace graphprof::test

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include <gtest/gtest.h>

#include "graphprof/graphprof.h"

extern "C" int versionInC(void);

namespace graphprof::test {
namespace {

TEST(Version, LibraryMatchesHeaders) { EXPECT_EQ(GRAPHPROF_VERSION, version()); }

TEST(Version, IsTheSameInC) { EXPECT_EQ(version(), versionInC()); }

TEST(Version, IsTheProjects) { EXPECT_STREQ(GRAPHPROF_TEST_VERSION, GRAPHPROF_VERSION_STRING); }

TEST(Version, IsOneNumber) {
  EXPECT_EQ(GRAPHPROF_VERSION_MAJOR, GRAPHPROF_VERSION / 10000);
  EXPECT_EQ(GRAPHPROF_VERSION_MINOR, GRAPHPROF_VERSION / 100 % 100);
  EXPECT_EQ(GRAPHPROF_VERSION_PATCH, GRAPHPROF_VERSION % 100);
}

} // namespace
} // namespace graphprof::test

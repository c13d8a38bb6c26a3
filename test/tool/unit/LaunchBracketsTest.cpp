// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Launches in the ways that nvcc accepts and clang does not, for the parser and for a compiler.

#include "source/LaunchBrackets.h"

#include <gtest/gtest.h>

namespace graphprof::instrument {
namespace {

TEST(LaunchBrackets, SplitBracketsAreJoined) {
  EXPECT_EQ("f<<< 1, 32>>> (x);", joinLaunchBrackets("f<< <1, 32>> >(x);"));
  EXPECT_EQ("f<<< 1, 32>>> (x);", launchesForClang("f<< <1, 32>> >(x);"));
}

TEST(LaunchBrackets, OtherTextStays) {
  for (const char *Text : {"f<<<1, 32>>>(x);", "// f<< <1, 32>> >(x);", "\"<< <\"", "a << b < c;",
                           "operator<< <T>(x);", "f<<<dim3{1, 2}, 32>>>(x);"}) {
    SCOPED_TRACE(Text);
    EXPECT_EQ(std::nullopt, joinLaunchBrackets(Text));
    EXPECT_EQ(std::nullopt, launchesForClang(Text));
  }
}

TEST(LaunchBrackets, BracesBecomeParentheses) {
  // The parser gets parentheses for braces, of their length.
  EXPECT_EQ("f<<<1, (32, 8)>>>(x);", joinLaunchBrackets("f<<<1, {32, 8}>>>(x);"));
}

TEST(LaunchBrackets, CompilerGetsValue) {
  EXPECT_EQ("f<<<1, dim3{32, 8}>>>(x);", launchesForClang("f<<<1, {32, 8}>>>(x);"));
  EXPECT_EQ("f<<<dim3{n, m}, dim3{32, 8}, 0, s>>>(x);",
            launchesForClang("f<<<{n, m}, {32, 8}, 0, s>>>(x);"));
}

} // namespace
} // namespace graphprof::instrument

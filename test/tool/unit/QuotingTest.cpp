// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Each line is what `nvcc --dryrun` of 13.0 shows for the same text.

#include "nvcc/Quoting.h"

#include <gtest/gtest.h>

namespace graphprof::nvcc {
namespace {

using Words = std::vector<std::string>;

TEST(Quoting, OptionsFilesGroupByQuotes) {
  // Options files group by double quotes only.
  EXPECT_EQ(splitOptionsFile("-DA=1\n\t-I inc  \r\n-c\n"), (Words{"-DA=1", "-I", "inc", "-c"}));
  EXPECT_EQ(splitOptionsFile(R"(-I"/a b/c" "-If g")"), (Words{"-I/a b/c", "-If g"}));
  EXPECT_EQ(splitOptionsFile("-DB='a b'"), (Words{"-DB='a", "b'"}));
  EXPECT_EQ(splitOptionsFile("# comment"), (Words{"#", "comment"}));
  EXPECT_EQ(splitOptionsFile(R"(-I "")"), (Words{"-I", ""}));
}

TEST(Quoting, OptionsFilesLoseEscapedQuotes) {
  EXPECT_EQ(splitOptionsFile(R"(-DB=a\ b)"), (Words{"-DB=a b"}));
  EXPECT_EQ(splitOptionsFile(R"(-DC=\"q\")"), (Words{"-DC=q"}));
  EXPECT_EQ(splitOptionsFile(R"(-DG=\"a\ b\")"), (Words{"-DG=a b"}));
  EXPECT_EQ(splitOptionsFile(R"("-DS=\"a b\"")"), (Words{"-DS=a b"}));
  // One more backslash goes where the value is taken apart.
  EXPECT_EQ(splitOptionsFile(R"(-DB=a\\b)"), (Words{R"(-DB=a\b)"}));
}

TEST(Quoting, EnvironmentKeepsQuotes) {
  EXPECT_EQ(splitEnvironment(R"( -DA=1 -DB="a b"  -DK )"), (Words{"-DA=1", R"(-DB="a b")", "-DK"}));
  EXPECT_EQ(splitEnvironment(R"(-DB='c d')"), (Words{"-DB='c", "d'"}));
  EXPECT_EQ(splitEnvironment(""), Words{});
}

TEST(Quoting, StringListsKeepQuotes) {
  // Lists of strings keep quotes and lose backslashes.
  EXPECT_EQ(splitStrings("X=1,Y"), (Words{"X=1", "Y"}));
  EXPECT_EQ(splitStrings(R"(X="a,b",Y)"), (Words{R"(X="a,b")", "Y"}));
  EXPECT_EQ(splitStrings("X='a,b'"), (Words{"X='a", "b'"}));
  EXPECT_EQ(splitStrings(R"(X=a\,b)"), (Words{"X=a,b"}));
  EXPECT_EQ(splitStrings(R"(A=\"x\")"), (Words{R"(A="x")"}));
  EXPECT_EQ(splitStrings(R"(A=a\b)"), (Words{"A=ab"}));
  EXPECT_EQ(splitStrings(R"(A=a\\b)"), (Words{R"(A=a\b)"}));
  EXPECT_EQ(splitStrings(",-O2,,-fPIC"), (Words{"-O2", "-fPIC"}));
}

TEST(Quoting, PathListsKeepBackslashes) {
  // Lists of paths lose quotes and keep backslashes.
  EXPECT_EQ(splitPaths("a,b"), (Words{"a", "b"}));
  EXPECT_EQ(splitPaths(R"("a,b")"), (Words{"a,b"}));
  EXPECT_EQ(splitPaths(R"("a b")"), (Words{"a b"}));
  EXPECT_EQ(splitPaths(R"(a\b)"), (Words{R"(a\b)"}));
  EXPECT_EQ(splitPaths(R"(a\,b)"), (Words{R"(a\)", "b"}));
}

TEST(Quoting, ShellSplitsHostWords) {
  EXPECT_EQ(splitShell(R"(-O2 "-DA=1,2" '-DB=x y')"), (Words{"-O2", "-DA=1,2", "-DB=x y"}));
  EXPECT_EQ(splitShell(R"(-DA=\"x\")"), (Words{R"(-DA="x")"}));
}

} // namespace
} // namespace graphprof::nvcc

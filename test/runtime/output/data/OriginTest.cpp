// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/data/Origin.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include <gtest/gtest.h>

#include "output/data/Run.h"

namespace graphprof {
namespace {

std::string ownMaps() {
  std::ifstream maps("/proc/self/maps");
  return {std::istreambuf_iterator<char>(maps), {}};
}

TEST(Origin, LoadingNotesOrigin) {
  EXPECT_EQ(origin().pid, ::getpid());
  EXPECT_EQ(origin().folder, std::filesystem::current_path());
  EXPECT_EQ(origin().beganNs, thisRun().beganNs);
  EXPECT_LE(familyBeganNs(), origin().beganNs);
}

TEST(Origin, ChildrenSeeProcessBegin) { EXPECT_EQ(markedNs(ownMaps()), origin().beganNs); }

TEST(Origin, EarliestMarkCounts) { // a forked child has its parent's, too
  EXPECT_EQ(markedNs("7f-80 ---p 0 00:01 1 /memfd:graphprof-began-300 (deleted)\n"
                     "80-81 ---p 0 00:01 2 /memfd:graphprof-began-200 (deleted)\n"
                     "81-82 r--p 0 00:01 2 /usr/lib/libc.so.6\n"),
            200);
  EXPECT_EQ(markedNs("81-82 r--p 0 00:01 2 /usr/lib/libc.so.6\n"), 0);
  EXPECT_EQ(markedNs("81-82 r--p 0 00:01 2 /memfd:graphprof-began-soon (deleted)\n"), 0);
}

TEST(Origin, RelativePathsStartInFolder) {
  EXPECT_EQ(fromOrigin("out/a.csv"), origin().folder + "/out/a.csv");
  EXPECT_EQ(fromOrigin("/out/a.csv"), "/out/a.csv");
  EXPECT_EQ(fromOrigin(""), "") << "no file at all";
  EXPECT_EQ(asSeenFromOrigin(fromOrigin("out/a.csv")), "out/a.csv");
  EXPECT_EQ(asSeenFromOrigin("/out/a.csv"), "/out/a.csv");
  EXPECT_EQ(asSeenFromOrigin(origin().folder), origin().folder);
}

} // namespace
} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/io/FileName.h"

#include <unistd.h>

#include <gtest/gtest.h>

using namespace graphprof;

namespace {

const Run sample{"node7", "solver", 4321, 3, 1'700'000'000'123'456'789};

TEST(FileName, TakesVariablesOfTheEnvironment) {
  ::setenv("GRAPHPROF_TEST_Job1", "a/b 7", 1);
  ::unsetenv("GRAPHPROF_TEST_NONE");
  EXPECT_EQ(expandPath("run.{env:GRAPHPROF_TEST_Job1}.json", sample), "run.a_b 7.json");
  EXPECT_EQ(expandPath("run.{env:GRAPHPROF_TEST_NONE}.json", sample), "run..json");
  EXPECT_EQ(expandPath("{env:}{env:A-B}{ENV:HOME}", sample), "{env:}{env:A-B}{ENV:HOME}");
}

TEST(ExpandPath, ReplacesWhatTheRunWas) {
  EXPECT_EQ(expandPath("{host}/a.{rank}.{pid}.json", sample), "node7/a.3.4321.json");
  EXPECT_EQ(expandPath("{pid}{pid}", sample), "43214321");
  EXPECT_EQ(expandPath("a.json", sample), "a.json");
  EXPECT_EQ(expandPath("", sample), "");
}

TEST(ExpandPath, TimeIsBeginInUtc) {
  // The time is that of the begin in UTC.
  EXPECT_EQ(expandPath("run-{time}.db", sample), "run-20231114-221320.db");
}

TEST(ExpandPath, OtherBracesStay) {
  // Other braces are part of the name.
  EXPECT_EQ(expandPath("{other}{}{{pid}}{Pid}{pid", sample), "{other}{}{4321}{Pid}{pid");
}

TEST(ExpandPath, DefaultsToThisProcess) {
  // It is of this process where nothing is said.
  EXPECT_EQ(expandPath("{pid}"), std::to_string(thisRun().pid));
}

TEST(ExpandPath, HostNameStaysInFolder) {
  auto odd = sample;
  odd.host = "../a/b\n";
  EXPECT_EQ(expandPath("out/{host}.csv", odd), "out/.._a_b_.csv");
}

TEST(WithPid, PidStandsBeforeExtension) {
  const std::string pid = std::to_string(::getpid());
  EXPECT_EQ(withPid("out.d/run.csv"), "out.d/run." + pid + ".csv");
  EXPECT_EQ(withPid("run.json.gz"), "run." + pid + ".json.gz");
  EXPECT_EQ(withPid("out.d/run"), "out.d/run." + pid);
  EXPECT_EQ(withPid("run.csv", "-2"), "run." + pid + "-2.csv");
}

TEST(UnknownPlaceholder, IsFirstMeaninglessWord) {
  // It is the first word in braces that means nothing.
  EXPECT_EQ(unknownPlaceholder("a.{rank}.{node}.{gpu}.json"), "{node}");
  EXPECT_EQ(unknownPlaceholder("a.{env:HOME}.{environment:HOME}"), "{environment:HOME}");
  EXPECT_EQ(unknownPlaceholder("a.{env:}"), "{env:}");
  EXPECT_EQ(unknownPlaceholder("{local_rank}"), "{local_rank}");
  EXPECT_EQ(unknownPlaceholder("{host}-{pid}-{rank}-{time}"), "");
  EXPECT_EQ(unknownPlaceholder("a{}b{7}{Host}{pid"), "") << "no words";
  EXPECT_EQ(unknownPlaceholder(""), "");
}

} // namespace

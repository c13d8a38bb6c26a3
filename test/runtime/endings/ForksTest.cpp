// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A child that was forked before its parent used CUDA is a process like any other: it has outputs
// and threads of its own, and the parent's are the parent's.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/Child.h"

namespace graphprof::test {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, in which the program runs.
class Forks : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "graphprof-forks-XXXXXX").string();
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    folder_ = name;
    // What the parent's threads held is no leak of the child's.
    const char *given = std::getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", (std::string(given ? given : "") + ":detect_leaks=0").c_str(), 1);
    given = std::getenv("TSAN_OPTIONS");
    setenv("TSAN_OPTIONS", (std::string(given ? given : "") + ":die_after_fork=0").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs the program without graphprof and with it, which must not change it. A table, too: on
  /// stderr, returned.
  std::string run(const std::string &way, const std::string &environment = "") {
    const auto runIn = [this](const std::string &command) {
      return runChild("sh -c 'cd " + folder_.string() + " && env " + command + " 2>said'");
    };
    const Child without = runIn(FORK_PROGRAM_PLAIN " " + way);
    const Child with = runIn("GRAPHPROF_OUTPUT=table,one.json,{pid}.csv " + environment +
                             " " FORK_PROGRAM " " + way);
    EXPECT_EQ(3 * 256, with.status);
    EXPECT_EQ(without.status, with.status);
    EXPECT_EQ(without.output, with.output);
    EXPECT_NE(std::string::npos, with.output.find("the child ended with 4\n"));
    return text("said");
  }

  [[nodiscard]] std::string text(const std::string &name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  /// How often a process has timed its graph's second region; -1: it has no file.
  [[nodiscard]] int replays(const std::string &process) const {
    const std::string file = text(process + ".pid") + ".csv";
    return fs::exists(folder_ / file) ? count(text(file), "\nsecond,") : -1;
  }
  static int count(const std::string &text, const std::string &what) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
      ++found;
    return found;
  }
  [[nodiscard]] int files(const std::string &ending) const {
    int found = 0;
    for (const auto &entry : fs::directory_iterator(folder_))
      found += entry.path().extension() == ending ? 1 : 0;
    return found;
  }

  fs::path folder_;
};

TEST_F(Forks, OnlyChildReplays) {
  // A child that replays where its parent does not.
  const std::string said = run("child");
  EXPECT_EQ(5, replays("child"));
  EXPECT_EQ(1, files(".csv"));
  EXPECT_NE(std::string::npos, text("one.json").find("second"));
  EXPECT_EQ(1, count(said, "graphprof: time of each region")) << said;
}

TEST_F(Forks, ParentReplaysAfterChild) {
  // A parent that replays later has its own outputs.
  const std::string said = run("both");
  EXPECT_EQ(5, replays("child"));
  EXPECT_EQ(5, replays("parent"));
  EXPECT_EQ(2, files(".csv"));
  EXPECT_EQ(2, files(".json")); // the one that is second has another name
  EXPECT_EQ(2, count(said, "graphprof: time of each region")) << said;
}

TEST_F(Forks, GrandchildReplays) {
  run("grandchild");
  EXPECT_EQ(5, replays("child"));
  EXPECT_EQ(1, files(".csv"));
}

// A child that uses nothing writes and says nothing. The parent says it for itself.
TEST_F(Forks, IdleChildIsSilent) {
  const std::string said = run("nobody");
  EXPECT_EQ(0, files(".csv") + files(".json"));
  EXPECT_EQ(1, count(said, "nothing was recorded")) << said;
}

TEST_F(Forks, ChildKeepsSchedule) {
  // What is scheduled is scheduled in the child.
  run("child", "GRAPHPROF_SCHEDULE=wait=1,warmup=1,active=2 GRAPHPROF_STEP=launches");
  EXPECT_EQ(2, replays("child"));
  EXPECT_EQ(1, files(".csv"));
}

TEST_F(Forks, ChildHasItsSteps) {
  run("steps");
  EXPECT_EQ(3, count(text("one.json"), "ProfilerStep#")) << text("one.json");
}

TEST_F(Forks, ChildStaysStopped) {
  run("stopped");
  EXPECT_EQ(5, replays("child"));
}

TEST_F(Forks, ChildOfReplayingParentIsOff) {
  // Graphprof is off in a child of a parent that has replayed.
  run("after");
  EXPECT_EQ(5, replays("parent"));
  EXPECT_EQ(1, files(".csv"));
}

TEST_F(Forks, ChildOfTimingParentIsOff) {
  // Graphprof is off in a child of a parent that has timed a region.
  run("measured");
  EXPECT_EQ(-1, replays("child"));
  EXPECT_EQ(1, files(".csv"));
}

TEST_F(Forks, AnotherThreadIsInGraphprof) {
  // A fork while another thread is in graphprof.
  run("busy");
  EXPECT_EQ(50, files(".csv"));
}

TEST_F(Forks, AnotherThreadMeasures) {
  // The same when the parent has replayed a graph: the child waits for no lock.
  run("busy-after");
  EXPECT_EQ(1, files(".csv"));
}

} // namespace
} // namespace graphprof::test

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Programs that end in every way: with graphprof they say and return what they say and return
// without, soon, and what graphprof writes is whole or not there.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "support/Child.h"

namespace graphprof::test {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, gone at the end.
class Endings : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "graphprof-endings-XXXXXX").string();
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs the program as it is, with graphprof switched off, and with it: all three are alike.
  void endsAsWithoutUs(const std::string &plain, const std::string &instrumented) {
    const Child without = runChild(plain);
    ASSERT_NE("", without.output);
    const Child off = runChild("GRAPHPROF_ENABLED=0 " + instrumented);
    EXPECT_EQ(without.status, off.status);
    EXPECT_EQ(without.output, off.output);

    const auto begin = std::chrono::steady_clock::now();
    const Child with =
        runChild("GRAPHPROF_EXIT_TIMEOUT=1000 GRAPHPROF_OUTPUT=table:" + path("table") + ',' +
                 path("trace.json") + ' ' + instrumented);
    took_ = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(without.status, with.status);
    EXPECT_EQ(without.output, with.output);
    EXPECT_LT(took_, std::chrono::seconds(30));
  }
  void endsAsWithoutUs(const std::string &way) {
    endsAsWithoutUs(ENDING_PROGRAM_PLAIN " " + way, ENDING_PROGRAM " " + way);
  }
  /// As it is, but under the address sanitizer a forked child must not look for leaks: what the
  /// threads held that it does not have seems to be one.
  void forks(const std::string &way) {
    const char *given = std::getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", (std::string(given ? given : "") + ":detect_leaks=0").c_str(), 1);
    endsAsWithoutUs(way);
  }

  [[nodiscard]] std::string path(const std::string &name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string text(const std::string &name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  /// How often the trace names a region; -1: it is no JSON.
  [[nodiscard]] int regions(const std::string &name) const {
    const auto trace = nlohmann::json::parse(text("trace.json"), nullptr, false);
    if (trace.is_discarded())
      return -1;
    int count = 0;
    for (const auto &event : trace["traceEvents"])
      count += event.value("ph", "") == "X" && event.value("name", "") == name ? 1 : 0;
    return count;
  }
  void nothingIsWritten() const { EXPECT_TRUE(fs::is_empty(folder_)); }
  /// Table and trace, and nothing else.
  void allIsWritten(int replays) const {
    EXPECT_NE(std::string::npos, text("table").find("second"));
    EXPECT_EQ(replays, regions("second"));
    EXPECT_EQ(2, std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
  std::chrono::steady_clock::duration took_{};
};

TEST_F(Endings, ReturnFromMain) {
  endsAsWithoutUs("return");
  allIsWritten(4);
}

TEST_F(Endings, Exit) {
  endsAsWithoutUs("exit");
  allIsWritten(4);
}

TEST_F(Endings, ExitOnAnotherThread) {
  endsAsWithoutUs("exit-elsewhere");
  allIsWritten(5);
}

TEST_F(Endings, DeviceResetBeforeTheEnd) {
  endsAsWithoutUs("reset");
  allIsWritten(4);
}

class Abruptly : public Endings, public ::testing::WithParamInterface<const char *> {};

TEST_P(Abruptly, NothingIsWrittenAndNothingIsHalf) {
  endsAsWithoutUs(GetParam());
  nothingIsWritten();
}

INSTANTIATE_TEST_SUITE_P(Endings, Abruptly,
                         ::testing::Values("quick_exit", "quick_exit-elsewhere", "_exit", "abort",
                                           "SIGTERM", "SIGSEGV", "throw"),
                         [](const auto &info) {
                           std::string name = info.param;
                           for (char &c : name)
                             c = c == '-' ? '_' : c;
                           return name;
                         });

TEST_F(Endings, AForkedChildIsLeftAloneAndTheParentGoesOn) {
  forks("fork");
  allIsWritten(7);
  EXPECT_EQ(0, regions("in the child"));
  EXPECT_LT(took_, std::chrono::seconds(10));
}

TEST_F(Endings, ARegionThatIsOpenInAForkedChildToo) {
  forks("fork-in-a-region");
  allIsWritten(4);
  EXPECT_EQ(1, regions("open"));
}

TEST_F(Endings, RegionsAndLaunchesInStaticDestructors) {
  endsAsWithoutUs("statics");
  EXPECT_GE(regions("second"), 4);
}

TEST_F(Endings, RegionsAndLaunchesInThreadLocalDestructors) {
  endsAsWithoutUs("thread_locals");
  EXPECT_GE(regions("second"), 4);
}

TEST_F(Endings, ACallbackThatNeverReturns) {
  endsAsWithoutUs("hang");
  EXPECT_LT(took_, std::chrono::seconds(15)); // a second as asked for, and two; with room
}

TEST_F(Endings, AHarvestThatIsLate) {
  endsAsWithoutUs("starve");
  EXPECT_LT(took_, std::chrono::seconds(15));
}

TEST_F(Endings, ALibraryThatIsLoadedAndClosed) {
  endsAsWithoutUs(ENDING_LOADER " " ENDING_PLUGIN_PLAIN " 3", ENDING_LOADER " " ENDING_PLUGIN " 3");
  allIsWritten(3 * (1 + 2 + 3));
  EXPECT_EQ(3, regions("outside"));
}

} // namespace
} // namespace graphprof::test

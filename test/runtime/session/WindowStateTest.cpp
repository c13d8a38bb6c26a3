// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/windows/WindowState.h"

#include <string>

#include <gtest/gtest.h>

#include "session/ReadWindow.h"

using namespace graphprof;

namespace {

// Reads what must be right.
WindowArguments window(std::string_view text) {
  WindowArguments read;
  EXPECT_EQ("", readWindow(text, read)) << text;
  return read;
}

struct State {
  WindowState state;
  std::int64_t nowNs = 1'000'000'000'000;

  explicit State(std::string_view text) : state(window(text)) {}
  void opened() { state.opened(nowNs); }
  void passes(double seconds) {
    nowNs += static_cast<std::int64_t>(seconds * 1e9);
    state.passed(nowNs);
  }
  // Launches, and writes for each whether it is in the window.
  std::string launches(int count) {
    std::string in;
    for (int i = 0; i < count; ++i) {
      in += state.isOpen() ? 'x' : '.';
      state.launched(nowNs);
    }
    return in;
  }
};

TEST(WindowState, IsOpenUntilClosed) {
  // It is open between what opens it and what closes it.
  State it("cuda-profiler");
  EXPECT_EQ("..", it.launches(2));
  it.opened();
  it.opened(); // CUDA does not count them
  EXPECT_EQ("xx", it.launches(2));
  it.state.closed();
  EXPECT_EQ("..", it.launches(2));
  it.opened();
  EXPECT_EQ("x", it.launches(1));
  EXPECT_EQ(2U, it.state.windows());
  EXPECT_FALSE(it.state.countsLaunches()) << "nothing is asked of launches";
}

TEST(WindowState, SkipsAndCountsLaunches) {
  State it("attach,skip=2,replays=3");
  it.opened();
  EXPECT_EQ("..xxx..", it.launches(7));
  it.opened();
  EXPECT_EQ("..x", it.launches(3));
  it.state.closed();
  EXPECT_EQ("..", it.launches(2));
}

TEST(WindowState, RepeatsOnlyIfTold) {
  // It begins once by itself, unless told otherwise.
  State once("replays=2");
  once.opened();
  EXPECT_EQ("xx....", once.launches(6));
  State thrice("skip=1,replays=2,repeat=3");
  thrice.opened();
  EXPECT_EQ(".xx.xx.xx...", thrice.launches(12));
  State always("skip=3,replays=1,repeat=0");
  always.opened();
  EXPECT_EQ("...x...x...x", always.launches(12));
}

TEST(WindowState, OpensAndClosesByTime) {
  // It opens after a time, and lasts for a time.
  State it("after=2,seconds=0.5");
  it.opened();
  EXPECT_EQ(it.nowNs + 2'000'000'000, it.state.nextNs());
  it.passes(1.9);
  EXPECT_FALSE(it.state.isOpen());
  it.passes(0.1);
  EXPECT_TRUE(it.state.isOpen());
  EXPECT_EQ(it.nowNs + 500'000'000, it.state.nextNs());
  it.passes(0.5);
  EXPECT_FALSE(it.state.isOpen());
  EXPECT_EQ(std::nullopt, it.state.nextNs());
}

TEST(WindowState, SkipsBehindTheTime) {
  State it("signal=USR1,after=1,skip=2");
  it.opened();
  EXPECT_EQ("...", it.launches(3)) << "not counted yet";
  it.passes(1);
  EXPECT_EQ("..xx", it.launches(4));
}

TEST(WindowState, OpensNoMoreThanAsked) {
  State it("nvtx=step,repeat=2");
  for (int i = 0; i < 4; ++i) {
    it.opened();
    EXPECT_EQ(i < 2, it.state.isOpen());
    it.state.closed();
  }
}

TEST(ReadWindow, TakesItemsInAnyOrder) {
  const WindowArguments read = window(" seconds=1.5 , nvtx=decode *,,skip=3, repeat=4");
  EXPECT_EQ(WindowArguments::Opener::NvtxRange, read.opener);
  EXPECT_EQ("decode *", read.range);
  EXPECT_EQ(1'500'000'000, read.lastsNs);
  EXPECT_EQ(3U, read.skip);
  EXPECT_EQ(4U, read.repeat);
  EXPECT_EQ(1U, window("replays=3").repeat);
  EXPECT_EQ(0U, window("attach").repeat);
}

TEST(ReadWindow, SaysWhatIsWrong) {
  for (const auto &[text, wrong] :
       {std::pair("cuda-profiler=1", "'cuda-profiler=1' must be without a value"),
        {"skip=-1", "'skip=-1' must be a whole number from 1"},
        {"after=nan", "'after=nan' must be a number of seconds above 0"},
        {"signal=INT", "'signal=INT' must be USR1 or USR2"},
        {"repeat=0", "'repeat' must come with seconds or replays, which end a window"}}) {
    WindowArguments read;
    EXPECT_EQ(wrong, readWindow(text, read));
  }
}

} // namespace

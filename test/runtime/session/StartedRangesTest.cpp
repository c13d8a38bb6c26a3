// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/StartedRanges.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "clock/HostClock.h"
#include "host/HostSpans.h"
#include "output/data/ReplaySink.h"
#include "session/ReadWindow.h"
#include "session/Session.h"
#include "session/windows/Windows.h"

using namespace graphprof;

namespace {

struct Names final : ReplaySink {
  void consume(const Replay &) noexcept override {}
  void consume(std::span<const HostSpan> spans) noexcept override {
    for (const HostSpan &span : spans)
      names.emplace_back(span.name);
  }
  void consume(std::span<const KernelRun>) noexcept override {}
  void settled(std::int64_t) noexcept override {}
  std::vector<std::string> names;
};

Config withWindow() {
  Config config;
  config.outputs = {};
  WindowArguments window;
  EXPECT_EQ("", readWindow("nvtx=step", window));
  config.window = std::move(window);
  return config;
}

class StartedRangesTest : public testing::Test {
protected:
  // Those that have ended since the last time.
  std::vector<std::string> spans() {
    Names names;
    EXPECT_TRUE(hostSpans.harvest(names));
    return std::move(names.names);
  }
  StartedRanges::Number start(const char *name) {
    const StartedRanges::Number range = ranges.next();
    HostEvent event;
    event.kind = HostKind::Range;
    event.name = name;
    event.beginNs = hostNowNs();
    ranges.add(range, std::move(event));
    return range;
  }

  Session session{withWindow()};
  Windows windows{session, hostNowNs};
  HostSpans hostSpans{session};
  StartedRanges ranges{session, windows, hostSpans};
};

TEST_F(StartedRangesTest, EndOnceOnAnyThread) {
  const StartedRanges::Number outer = start("outer"), inner = start("inner");
  EXPECT_TRUE(spans().empty()) << "they are still open";
  std::thread([&] { ranges.end(outer); }).join();
  EXPECT_EQ(std::vector<std::string>{"outer"}, spans());
  ranges.end(outer);
  ranges.end(inner);
  EXPECT_EQ(std::vector<std::string>{"inner"}, spans());
}

TEST_F(StartedRangesTest, OpenWindowUntilEnd) {
  const StartedRanges::Number first = ranges.next(), second = ranges.next();
  ranges.openWindow(first);
  EXPECT_TRUE(windows.isOpen());
  ranges.openWindow(second);
  ranges.end(first);
  EXPECT_TRUE(windows.isOpen()) << "of the second range";
  ranges.end(second);
  EXPECT_FALSE(windows.isOpen());
}

TEST_F(StartedRangesTest, FurtherOnesAreCounted) {
  for (int i = 0; i < 10'000; ++i)
    start("open");
  EXPECT_EQ(0U, session.losses().host_spans);
  ranges.end(start("one too many"));
  EXPECT_EQ(1U, session.losses().host_spans);
  EXPECT_TRUE(spans().empty());
}

TEST_F(StartedRangesTest, ForkedChildGivesNewNumbers) {
  const StartedRanges::Number parents = ranges.next();
  StartedRanges childs(session, windows, hostSpans);
  childs.continueFrom(ranges);
  EXPECT_NE(parents, childs.next());
  childs.end(parents); // it has none
  EXPECT_TRUE(spans().empty());
}

} // namespace

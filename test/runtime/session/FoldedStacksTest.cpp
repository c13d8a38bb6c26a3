// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/FoldedStacks.h"

#include <vector>

#include <gtest/gtest.h>

#include "../output/Samples.h"

using namespace graphprof;
using graphprof::test::Sample;

namespace {

std::string folded(const std::vector<Replay> &replays,
                   ProfilerActivity activity = ProfilerActivity::CUDA) {
  return foldedStacks(replays, {}, activity);
}

TEST(FoldedStacks, SumSelfTimes) {
  // What each place took by itself is summed up.
  Sample one(0), two(1);
  EXPECT_EQ("layer 1 100000\nlayer 1;add 10000\nlayer 1;mlp 4000\nlayer 1;mlp;gelu 30000\n", [&] {
    std::string text = folded({one.region("layer 1", 0, 0, 80'000)
                                   .region("add", 1, 0, 5'000)
                                   .region("mlp", 1, 5'000, 15'000)
                                   .region("gelu", 2, 5'000, 14'000),
                               two.region("layer 1", 0, 0, 64'000)
                                   .region("add", 1, 0, 5'000)
                                   .region("mlp", 1, 5'000, 19'000)
                                   .region("gelu", 2, 5'000, 16'000)});
    for (char &character : text) // names' spaces are '_', as the next test shows
      character = character == '_' ? ' ' : character;
    return text;
  }());
}

TEST(FoldedStacks, NamesDoNotBreakFormat) {
  Sample sample;
  EXPECT_EQ("a_b_c_d_e 1000\n", folded({sample.region("a b;c\td\ne", 0, 0, 1'000)}));
}

TEST(FoldedStacks, LeaveOutZeroSelfTime) {
  // What took no time by itself is left out.
  Sample sample;
  EXPECT_EQ("outer;inner 600\n",
            folded({sample.region("outer", 0, 0, 600).region("inner", 1, 0, 600)}));
}

// Branches beside each other, the second one longer than the region.
TEST(FoldedStacks, TakeAwayOnceWhatOverlaps) {
  Sample sample;
  EXPECT_EQ("outer 20000\nouter;left 50000\nouter;right 90000\n",
            folded({sample.region("outer", 0, 0, 100'000)
                        .region("left", 1, 20'000, 50'000)
                        .region("right", 1, 30'000, 90'000)}));
}

TEST(FoldedStacks, UnmeasuredHasNoTime) {
  // What was not measured has no line, but stands in the stacks of what is inside.
  Sample sample;
  EXPECT_EQ("outer 10000\nouter;lost;inner 3000\n", folded({sample.region("outer", 0, 0, 10'000)
                                                                .region("lost", 1, 0, -1)
                                                                .region("inner", 2, 0, 3'000)}));
}

TEST(FoldedStacks, LeaveOutColdReplays) {
  // Where there are others.
  Sample cold(0), warm(1);
  EXPECT_EQ("(cold);outer;once 7000\nouter 10000\n",
            folded({cold.cold().region("outer", 0, 0, 90'000).region("once", 1, 0, 7'000),
                    warm.region("outer", 0, 0, 10'000)}));
}

TEST(FoldedStacks, AreOfDeviceOrHost) {
  Sample sample = Sample::outsideGraphs();
  const std::vector<Replay> replays = {sample.region("main", 0, 0, 9'000, Clock::Host)
                                           .region("copy", 1, 0, 2'000, Clock::Event)
                                           .region("wait", 1, 0, 4'000, Clock::Host)};
  EXPECT_EQ("copy 2000\n", folded(replays));
  EXPECT_EQ("main 5000\nmain;wait 4000\n", folded(replays, ProfilerActivity::CPU));
}

TEST(FoldedStacks, OfHostAreThreadsSpans) {
  // Where there are host spans, the host's stacks are what its threads did.
  const auto span = [](HostKind kind, const char *name, std::uint64_t thread, std::int64_t beginNs,
                       std::int64_t endNs) {
    HostSpan made;
    made.kind = kind;
    made.name = name;
    made.thread = thread;
    made.begin_ns = beginNs;
    made.end_ns = endNs;
    return made;
  };
  const std::vector<HostSpan> spans = {span(HostKind::Step, "ProfilerStep#1", 1, 0, 100),
                                       span(HostKind::Launch, "launch", 1, 10, 30),
                                       span(HostKind::Step, "ProfilerStep#2", 1, 100, 150),
                                       span(HostKind::Region, "other thread", 2, 0, 70)};
  Sample sample; // among the spans, where there are any
  const std::vector<Replay> replays = {sample.region("host", 0, 0, 9'000, Clock::Host)};
  EXPECT_EQ("ProfilerStep* 130\nProfilerStep*;launch 20\nother_thread 70\n",
            foldedStacks(replays, spans, ProfilerActivity::CPU));
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/FoldedStacks.h"

#include <vector>

#include <gtest/gtest.h>

#include "../output/Samples.h"

using namespace graphprof;
using graphprof::test::Sample;

namespace {

std::string folded(const std::vector<Replay> &replays,
                   ProfilerActivity activity = ProfilerActivity::CUDA) {
  return foldedStacks(replays, activity);
}

TEST(FoldedStacks, SumWhatEachPlaceTookByItself) {
  Sample one(0), two(1);
  EXPECT_EQ("layer 1 100\nlayer 1;add 10\nlayer 1;mlp 4\nlayer 1;mlp;gelu 30\n", [&] {
    std::string text = folded({one.region("layer 1", 0, 0, 80'000)
                                   .region("add", 1, 0, 5'000)
                                   .region("mlp", 1, 0, 15'000)
                                   .region("gelu", 2, 0, 14'000),
                               two.region("layer 1", 0, 0, 64'000)
                                   .region("add", 1, 0, 5'000)
                                   .region("mlp", 1, 0, 19'000)
                                   .region("gelu", 2, 0, 16'000)});
    for (char &character : text) // names' spaces are '_', as the next test shows
      character = character == '_' ? ' ' : character;
    return text;
  }());
}

TEST(FoldedStacks, KeepNamesFromBreakingTheFormat) {
  Sample sample;
  EXPECT_EQ("a_b_c_d_e 1\n", folded({sample.region("a b;c\td\ne", 0, 0, 1'000)}));
}

TEST(FoldedStacks, AddUpBeforeTheyLeaveOutWhatIsTooShort) {
  Sample one(0), two(1);
  EXPECT_EQ("short 1\n", folded({one.region("short", 0, 0, 600).region("shorter", 0, 600, 400),
                                 two.region("short", 0, 0, 600)}));
}

TEST(FoldedStacks, KnowNothingOfWhatWasNotMeasured) {
  Sample sample;
  EXPECT_EQ("outer 10\nouter;lost;inner 3\n", folded({sample.region("outer", 0, 0, 10'000)
                                                          .region("lost", 1, 0, -1)
                                                          .region("inner", 2, 0, 3'000)}));
}

TEST(FoldedStacks, AreOfTheDeviceOrOfTheHost) {
  Sample sample = Sample::outsideGraphs();
  const std::vector<Replay> replays = {sample.region("main", 0, 0, 9'000, Clock::Host)
                                           .region("copy", 1, 0, 2'000, Clock::Event)
                                           .region("wait", 1, 0, 4'000, Clock::Host)};
  EXPECT_EQ("copy 2\n", folded(replays));
  EXPECT_EQ("main 5\nmain;wait 4\n", folded(replays, ProfilerActivity::CPU));
}

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/replays/Replays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "output/MakeOutput.h"
#include "output/Samples.h"
#include "support/Stderr.h"

using namespace graphprof;
using graphprof::test::contents;
using graphprof::test::Folder;
using graphprof::test::Sample;
using graphprof::test::Written;
using testing::AllOf;
using testing::HasSubstr;

namespace {

TEST(Replays, RegionsAreLinesUnderHeader) {
  // It writes a header, and a line for each region in capture order.
  const Folder folder;
  Written<Replays> replays(folder.file("r.txt"));
  Sample cold(0), warm(1);
  EXPECT_EQ(replays.write(cold.cold()
                              .region("layer 0", 0, 0, 30'125)
                              .region("add", 1, 0, 20'000)
                              .region("relu", 1, 20'000, -1)),
            "");
  EXPECT_EQ(replays.write(warm.exec(2, 3).region("layer 0", 0, 0, 1'234'567)), "");
  EXPECT_EQ(replays.close({}), "");
  EXPECT_EQ(contents(folder.file("r.txt")), "--- graph 1, exec 1, replay 0 (cold) ---\n"
                                            "layer 0: 30.125 us\n"
                                            "  add: 20.000 us\n"
                                            "  relu: not measured\n"
                                            "--- graph 2, exec 3, replay 1 ---\n"
                                            "layer 0: 1234.567 us\n");
}

TEST(Replays, EagerRegionIsLine) {
  // A region outside graphs is a line that says so.
  const Folder folder;
  Written<Replays> replays(folder.file("r.txt"));
  Sample eager = Sample::outsideGraphs(), host = Sample::outsideGraphs();
  EXPECT_EQ(
      replays.write(
          eager.region("upload", 0, 0, 3'000, Clock::Event).region("half", 1, 0, -1, Clock::Event)),
      "");
  EXPECT_EQ(replays.write(host.region("tokenise", 0, 0, 5'000, Clock::Host)), "");
  EXPECT_EQ(contents(folder.file("r.txt")), "upload: 3.000 us (outside graphs)\n"
                                            "  half: not measured (outside graphs)\n"
                                            "tokenise: 5.000 us (host time)\n");
}

TEST(Replays, SayStepOfLaunch) {
  const Folder folder;
  Written<Replays> replays(folder.file("r.txt"));
  Sample sample, eager = Sample::outsideGraphs(), host = Sample::outsideGraphs();
  EXPECT_EQ(replays.write(sample.cold().step(0).region("add", 0, 0, 1'000)), "");
  EXPECT_EQ(replays.write(eager.step(1).region("upload", 0, 0, 3'000, Clock::Event)), "");
  EXPECT_EQ(replays.write(host.step(2).region("tokenise", 0, 0, 5'000, Clock::Host)), "");
  EXPECT_EQ(contents(folder.file("r.txt")), "--- graph 1, exec 1, replay 0, step 0 (cold) ---\n"
                                            "add: 1.000 us\n"
                                            "upload: 3.000 us (outside graphs, step 1)\n"
                                            "tokenise: 5.000 us (host time, step 2)\n");
}

TEST(Replays, SayIterationOfBody) {
  // The lines say which iteration of a body it was.
  const Folder folder;
  Written<Replays> replays(folder.file("r.txt"));
  Sample sample;
  EXPECT_EQ(replays.write(sample.region("loop", 0, 0, 3'000)
                              .region("step", 1, 0, 1'000)
                              .iteration(0)
                              .region("step", 1, 1'000, -1)
                              .iteration(1)),
            "");
  EXPECT_EQ(contents(folder.file("r.txt")), "--- graph 1, exec 1, replay 0 ---\n"
                                            "loop: 3.000 us\n"
                                            "  step: 1.000 us (iteration 0)\n"
                                            "  step: not measured (iteration 1)\n");
}

TEST(Replays, WritesAreVisibleAtOnce) {
  // What was written is in the file at once.
  const Folder folder;
  Written<Replays> replays(folder.file("r.txt"));
  Sample sample;
  EXPECT_EQ(replays.write(sample.region("add", 0, 0, 1)), "");
  EXPECT_THAT(contents(folder.file("r.txt")), HasSubstr("add"));
}

TEST(Replays, EndsWithWhatWasLost) {
  const Folder folder;
  Written<Replays> replays(folder.file("r.txt"));
  Losses losses{};
  losses.unfinished = 2;
  EXPECT_EQ(replays.close(losses), "");
  EXPECT_THAT(contents(folder.file("r.txt")), testing::StartsWith("graphprof: 2 replays lost: "));
}

TEST(Replays, NoPathMeansStandardError) {
  // Without a path, replays go to standard error.
  graphprof::test::captureStderr();
  Written<Replays> replays("");
  Sample sample;
  EXPECT_EQ(replays.write(sample.region("add", 0, 0, 1'000)), "");
  EXPECT_EQ(replays.close({}), "");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("add: 1.000 us\n"));
  EXPECT_EQ(makeOutput("replays", 1)->name(), "replays");
}

TEST(Replays, FailureNamesPathAndReason) {
  Sample sample;
  Written<Replays> full("/dev/full");
  EXPECT_EQ(full.write(sample.region("add", 0, 0, 1)),
            "cannot write /dev/full: No space left on device");
  const Folder folder;
  Written<Replays> nowhere(folder.file("no/such/r.txt"));
  EXPECT_THAT(nowhere.write(sample),
              AllOf(HasSubstr("no/such/r.txt"), HasSubstr("No such file or directory")));
}

} // namespace

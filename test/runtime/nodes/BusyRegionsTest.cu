// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Busy times of regions where nodes are not timed: only replays that stamp ends time them.

#include <map>
#include <string>

#include "nodes/BusyFixture.h"

namespace graphprof::test {
namespace {

TEST_F(Busy, RegionHasItsNodesSum) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  const cudaGraph_t graph = capture(stream_, [this] {
    {
      GRAPHPROF_SCOPE(1, "outer", on_stream(stream_));
      {
        GRAPHPROF_SCOPE(2, "first", on_stream(stream_));
        busyShort<<<1, 32, 0, stream_>>>();
        busyLong<<<1, 32, 0, stream_>>>();
      }
      {
        GRAPHPROF_SCOPE(3, "second", on_stream(stream_));
        busyMiddle<<<1, 32, 0, stream_>>>();
      }
      busyShort<<<1, 32, 0, stream_>>>();
    }
    {
      GRAPHPROF_SCOPE(4, "last", on_stream(stream_));
      busyLong<<<1, 32, 0, stream_>>>();
    }
  });
  const auto figures = launched(graph, 200);
  ASSERT_EQ(4U, figures.size()) << "no records of nodes";
  const auto expect = [&](const std::string &name, std::int64_t busyNs, std::int64_t gapsNs) {
    const Figures &figure = figures.at(name);
    EXPECT_EQ(busyNs, figure.busyNs) << name;
    EXPECT_EQ(gapsNs, figure.gapNs) << name;
    EXPECT_GE(figure.replays, 5U) << name;
  };
  expect("outer 0", 2 * shortNs + longNs + middleNs, 4 * gapNs);
  expect("first 1", shortNs + longNs, 2 * gapNs);
  expect("second 2", middleNs, gapNs);
  expect("last 3", longNs, -1); // nothing begins behind it
}

// Of regions side by side the sum is known, and no gap.
TEST_F(Busy, RegionsInBranchesHaveNoGap) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(stream_, [&] {
    busyShort<<<1, 32, 0, stream_>>>();
    busyShort<<<1, 32, 0, stream_>>>();
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side_, fork, 0));
    busyMiddle<<<1, 32, 0, side_>>>();
    busyMiddle<<<1, 32, 0, stream_>>>();
    {
      GRAPHPROF_SCOPE(1, "lane", on_stream(stream_));
      busyLong<<<1, 32, 0, stream_>>>();
      busyMiddle<<<1, 32, 0, stream_>>>();
    }
    busyShort<<<1, 32, 0, stream_>>>();
    CUDA_OK(cudaEventRecord(join, side_));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
    busyMiddle<<<1, 32, 0, stream_>>>();
  });
  const auto figures = launched(graph, 200);
  ASSERT_EQ(1U, figures.size());
  EXPECT_EQ(longNs + middleNs, figures.at("lane 0").busyNs);
  EXPECT_EQ(-1, figures.at("lane 0").gapNs);
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

// Of a copy no busy time is known, so that of a region with one is not.
TEST_F(Busy, RegionWithCopyHasNone) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  void *memory = nullptr;
  CUDA_OK(cudaMalloc(&memory, 64));
  const cudaGraph_t graph = capture(stream_, [&] {
    {
      GRAPHPROF_SCOPE(1, "plain", on_stream(stream_));
      busyShort<<<1, 32, 0, stream_>>>();
    }
    GRAPHPROF_SCOPE(2, "copying", on_stream(stream_));
    busyShort<<<1, 32, 0, stream_>>>();
    CUDA_OK(cudaMemsetAsync(memory, 0, 64, stream_));
    busyShort<<<1, 32, 0, stream_>>>();
  });
  const auto figures = launched(graph, 200);
  EXPECT_EQ(shortNs, figures.at("plain 0").busyNs);
  EXPECT_EQ(-1, figures.at("copying 1").busyNs);
  CUDA_OK(cudaFree(memory));
}

// A budget counts what such replays cost, so that there are some in parts that were asked for.
TEST_F(Busy, BudgetHasSuchReplays) {
  ASSERT_TRUE(set_recording_terms({.budget = 0.5, .parts = 2}));
  const auto figures = launched(chain(), 2'000);
  ASSERT_EQ(1U, figures.size());
  EXPECT_EQ(2 * shortNs + longNs + middleNs, figures.at("all 0").busyNs);
  EXPECT_EQ(4 * gapNs, figures.at("all 0").gapNs);
}

// Those that a budget chooses by itself stamp what is timed as ever, which here are regions.
TEST_F(Busy, BudgetAloneTimesNoNodesForIt) {
  ASSERT_TRUE(set_recording_terms({.budget = 0.5}));
  for (const auto &[name, figure] : launched(chain(), 400))
    EXPECT_EQ(-1, figure.busyNs) << name;
}

} // namespace
} // namespace graphprof::test

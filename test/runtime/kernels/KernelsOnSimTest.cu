// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What only the simulation says to the nanosecond: the figures of a schedule (PhasesOnSim.cpp).

#include "kernels/KernelGraphs.h"

namespace graphprof::test {
namespace {

TEST_F(Kernels, FiguresAreTheSchedules) {
  if (!timesInside())
    GTEST_SKIP() << "no twins";
  const cudaGraph_t graph = captured(1, 3);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  const auto runs = newRuns();
  ASSERT_EQ(4U, runs.size());
  EXPECT_TRUE(runs[0].isCold && runs[1].isCold) << "the first of each exec";
  std::int64_t kernelNs = 0, twinNs = 0;
  for (const KernelLine &run : runs) {
    (run.isTwin ? twinNs : kernelNs) = run.durationNs;
    if (!run.isTwin)
      continue;
    // Three rounds of 10 us and 30 us, of which half is inside the other, and 5 us more.
    EXPECT_NEAR(30'000, static_cast<double>(run.inside[0].medianNs), 5);
    EXPECT_NEAR(90'000, static_cast<double>(run.inside[1].medianNs), 5);
    EXPECT_NEAR(45'000, static_cast<double>(run.inside[2].p95Ns), 5);
    EXPECT_NEAR(24, run.inside[0].percent, 0.01);
    EXPECT_NEAR(72, run.inside[1].percent, 0.01);
    EXPECT_NEAR(36, run.inside[2].percent, 0.01);
    for (const KernelLine::Warp &warp : run.warps) {
      EXPECT_EQ(warp.block % 4, warp.multiprocessor);
      EXPECT_NEAR(125'000, static_cast<double>(warp.durationNs), 5);
      EXPECT_EQ(100 * std::int64_t{warp.block}, warp.beginNs - run.warps.front().beginNs);
      ASSERT_EQ(3U, warp.times.size());
      EXPECT_EQ(3U, warp.times[0].iterations);
      EXPECT_NEAR(30'000, static_cast<double>(warp.times[0].ns), 5);
    }
  }
  EXPECT_NEAR(1.1, static_cast<double>(twinNs) / static_cast<double>(kernelNs), 0.01);
  destroy({exec}, {graph});
}

} // namespace
} // namespace graphprof::test

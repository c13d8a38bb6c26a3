// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What only the simulation does: figures of a schedule (PhasesOnSim.cpp) to the nanosecond, handles
// that the driver may give, and kernels' resources.

#include "cudasim/cudasim.h"
#include "kernels/KernelGraphs.h"

namespace graphprof::test {
namespace {

using cudasim::KernelHandle;

class KernelsOnSim : public Kernels {
protected:
  void TearDown() override {
    Kernels::TearDown();
    cudasim::setKernelHandles(KernelHandle::Function);
    cudasim::setKernelResources("graphprofTestPhasesTwin", {});
  }
  // Replays of a graph in which the kernel runs beside another.
  void launchBranches() {
    TestStream other;
    cudaEvent_t forked = nullptr, joined = nullptr;
    CUDA_OK(cudaEventCreate(&forked));
    CUDA_OK(cudaEventCreate(&joined));
    const cudaGraph_t graph = capture(stream_, [&] {
      EXPECT_EQ(cudaSuccess, cudaEventRecord(forked, stream_));
      EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(other, forked, 0));
      phases(stream_, written_, 1, 1);
      CUDA_OK(cudaLaunchKernel(shortKernel(), dim3(1), dim3(1), nullptr, 0, other));
      EXPECT_EQ(cudaSuccess, cudaEventRecord(joined, other));
      EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(stream_, joined, 0));
    });
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec, 4);
    destroy({exec}, {graph});
    CUDA_OK(cudaEventDestroy(forked));
    CUDA_OK(cudaEventDestroy(joined));
  }
};

class KernelHandles : public KernelsOnSim, public ::testing::WithParamInterface<KernelHandle> {};

// CUDA does not promise how the parameters of a node name its kernel.
TEST_P(KernelHandles, TwinIsFound) {
  cudasim::setKernelHandles(GetParam());
  const cudaGraph_t graph = captured(3, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(3, written_->value);
  EXPECT_EQ(timesInside() ? 2U : 4U, written_->kernels);
  EXPECT_EQ(timesInside() ? 2U : 0U, written_->twins);
  EXPECT_EQ(timesInside() ? 0U : 1U, lostKernels());
  for (const KernelLine &run : newRuns())
    EXPECT_EQ(run.isTwin ? 3U : 0U, run.inside.size());
  destroy({exec}, {graph});
}

INSTANTIATE_TEST_SUITE_P(All, KernelHandles,
                         ::testing::Values(KernelHandle::Function, KernelHandle::Kernel,
                                           KernelHandle::OtherFunction));

// It may be another kernel. It is counted, so that nobody waits for its times in vain.
TEST_F(KernelsOnSim, KernelOfTheNameInAnotherModuleRunsAsItIs) {
  cudasim::setKernelHandles(KernelHandle::OtherModule);
  const cudaGraph_t graph = captured(4, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(4, written_->value);
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(0U, written_->twins);
  EXPECT_EQ(1U, lostKernels());
  destroy({exec}, {graph});
}

TEST_F(KernelsOnSim, KernelsOfOtherNamesAreNotCounted) {
  cudasim::setKernelHandles(KernelHandle::OtherModule);
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "step", on_stream(stream_));
    CUDA_OK(cudaLaunchKernel(shortKernel(), dim3(1), dim3(1), nullptr, 0, stream_));
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(0U, lostKernels());
  EXPECT_TRUE(newRuns().empty());
  destroy({exec}, {graph});
}

// Kernels in two branches may wait for each other, and fit on the device together.
TEST_F(KernelsOnSim, TwinBesideOtherBranchesNeedsNoMoreThanItsKernel) {
  launchBranches();
  EXPECT_EQ(timesInside() ? 2U : 0U, written_->twins);
  EXPECT_EQ(timesInside() ? 0U : 1U, lostKernels());
  for (const cudasim::Resources more : {cudasim::Resources{64, 0}, cudasim::Resources{32, 128}}) {
    cudasim::setKernelResources("graphprofTestPhasesTwin", more);
    *written_ = {};
    const std::uint64_t lost = lostKernels();
    launchBranches();
    EXPECT_EQ(4U, written_->kernels);
    EXPECT_EQ(lost + 1, lostKernels());
  }
}

// In a graph of one branch it may, as long as its grid fits on the device.
TEST_F(KernelsOnSim, TwinMayNeedMoreRegisters) {
  cudasim::setKernelResources("graphprofTestPhasesTwin", {64, 0});
  const cudaGraph_t graph = captured(1, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(timesInside() ? 2U : 0U, written_->twins);
  destroy({exec}, {graph});
}

// A cooperative grid must fit on the device at once, with its twin, too.
TEST_F(KernelsOnSim, CooperativeTwinFitsOnTheDevice) {
  int device = 0, multiprocessors = 0, blocks = 0;
  CUDA_OK(cudaGetDevice(&device));
  CUDA_OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, phasesKernel(), phaseThreads, 0));
  const auto most = static_cast<unsigned>(blocks * multiprocessors);
  for (const unsigned registers : {32U, 250U}) {
    cudasim::setKernelResources("graphprofTestPhasesTwin", {registers, 0});
    *written_ = {};
    const std::uint64_t lost = lostKernels();
    const cudaGraph_t graph = capture(stream_, [&] {
      int value = 8, rounds = 1;
      Written *to = written_;
      void *arguments[] = {&to, &value, &rounds};
      CUDA_OK(cudaLaunchCooperativeKernel(phasesKernel(), dim3(most), dim3(phaseThreads), arguments,
                                          0, stream_));
    });
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec, 4);
    EXPECT_EQ(8, written_->value);
    const bool runs = timesInside() && registers == 32U;
    EXPECT_EQ(runs ? 2U : 0U, written_->twins) << registers;
    EXPECT_EQ(lost + (runs ? 0 : 1), lostKernels()) << registers;
    destroy({exec}, {graph});
  }
}

TEST_F(KernelsOnSim, FiguresAreTheSchedules) {
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

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions inside kernels: in every other replay the timed twins of kernels run in their places, and
// what they wrote comes out. The program's own exec runs its own kernels.

#include "kernels/KernelGraphs.h"

#include <cstdlib>

namespace graphprof::test {
namespace {

TEST_F(Kernels, TwinsAreRecordedInEveryOtherReplay) {
  const cudaGraph_t graph = captured(1, 3);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 8);
  EXPECT_EQ(1, written_->value);
  if (!timesInside()) {
    EXPECT_EQ(8U, written_->kernels);
    EXPECT_EQ(1U, lostKernels());
    destroy({exec}, {graph});
    return;
  }
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(4U, written_->twins);
  const auto runs = newRuns();
  ASSERT_EQ(8U, runs.size());
  std::size_t twins = 0;
  for (const KernelLine &run : runs) {
    EXPECT_EQ("graphprofTestPhases", run.name);
    EXPECT_EQ("step", run.path);
    EXPECT_EQ(0, run.node);
    EXPECT_GT(run.durationNs, 0);
    if (!run.isTwin) {
      EXPECT_TRUE(run.inside.empty() && run.warps.empty());
      continue;
    }
    ++twins;
    ASSERT_EQ(3U, run.inside.size());
    EXPECT_EQ("load", run.inside[0].name);
    EXPECT_EQ("phases.cu:10", run.inside[0].source);
    EXPECT_EQ(-1, run.inside[0].around);
    EXPECT_EQ("product", run.inside[1].name);
    EXPECT_EQ(-1, run.inside[1].around);
    EXPECT_EQ("inner 1 of -3", run.inside[2].name) << "a parameter and a constant";
    EXPECT_EQ(1, run.inside[2].around);
    // One warp in each of four of the eight blocks.
    ASSERT_EQ(4U, run.warps.size());
    for (std::size_t i = 0; i < run.warps.size(); ++i) {
      EXPECT_EQ(2 * i, run.warps[i].block);
      EXPECT_EQ(0U, run.warps[i].warp);
      EXPECT_GT(run.warps[i].durationNs, 0);
    }
    for (const KernelLine::Inside &inside : run.inside) {
      EXPECT_EQ(4U, inside.warps);
      EXPECT_EQ(12U, inside.iterations) << "three rounds of each";
    }
    const auto load = static_cast<double>(run.inside[0].medianNs);
    EXPECT_NEAR(3, static_cast<double>(run.inside[1].medianNs) / load, 0.6);
    EXPECT_NEAR(1.5, static_cast<double>(run.inside[2].medianNs) / load, 0.3);
    EXPECT_NEAR(3, run.inside[1].percent / run.inside[0].percent, 0.6);
    EXPECT_GT(run.inside[0].percent + run.inside[1].percent, 80);
    EXPECT_LE(run.inside[0].percent + run.inside[1].percent, 100);
  }
  EXPECT_EQ(4U, twins);
  EXPECT_EQ(0U, lostKernels());
  EXPECT_EQ(before_.inside_kernels, losses().inside_kernels);
  destroy({exec}, {graph});
}

// Run by itself without GRAPHPROF_KERNELS: a twin may round otherwise, so it runs only if asked
// for.
using UnaskedKernels = Kernels;
TEST_F(UnaskedKernels, RunAsTheyAreAndAreCounted) {
  if (const char *const asked = std::getenv("GRAPHPROF_KERNELS"); !asked || *asked)
    GTEST_SKIP() << "this process asks for twins";
  const cudaGraph_t graph = captured(1, 3);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 8);
  EXPECT_EQ(8U, written_->kernels);
  EXPECT_EQ(0U, written_->twins);
  EXPECT_EQ(1U, lostKernels());
  destroy({exec}, {graph});
}

// The times of regions on the host's side are those of replays with the kernels themselves.
TEST_F(Kernels, RecordsAreOfKernelsAlone) {
  if (!timesInside())
    GTEST_SKIP() << "no twins";
  Recorder recorder;
  const cudaGraph_t graph = captured(1, 3);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 6);
  EXPECT_EQ(3U, recorder.all().size());
  EXPECT_EQ(3U, written_->twins);
  destroy({exec}, {graph});
}

// A graph is timed for what is inside its kernels alone.
TEST_F(Kernels, GraphsNeedNoOtherRegions) {
  if (!timesInside())
    GTEST_SKIP() << "no twins";
  const cudaGraph_t graph = capture(stream_, [&] {
    phases(stream_, written_, 1, 2);
    phases(stream_, written_, 2, 1);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  const auto runs = newRuns();
  ASSERT_EQ(8U, runs.size());
  EXPECT_EQ("", runs[0].path);
  EXPECT_EQ(0, runs[0].node);
  EXPECT_EQ(1, runs[1].node);
  for (std::size_t i = 0; i < runs.size(); i += 2)
    if (runs[i].isTwin) {
      EXPECT_EQ(8U, runs[i].inside[0].iterations);
      EXPECT_EQ(4U, runs[i + 1].inside[0].iterations);
      EXPECT_EQ("inner 1 of -3", runs[i].inside[2].name);
      EXPECT_EQ("inner 2 of -3", runs[i + 1].inside[2].name) << "each node has its own parameters";
    }
  EXPECT_EQ(2, written_->value);
  destroy({exec}, {graph});
}

TEST_F(Kernels, PlainExecsHoldTheKernel) {
  const cudaGraph_t graph = captured(1, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  stop();
  launch(exec, 5);
  EXPECT_EQ(5U, written_->kernels);
  EXPECT_EQ(0U, written_->twins);
  EXPECT_TRUE(newRuns().empty());
  start();
  phases(stream_, written_, 3, 1); // outside graphs
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(6U, written_->kernels);
  EXPECT_EQ(3, written_->value);
  destroy({exec}, {graph});
}

// What the program updates its exec with is what both run from then on.
TEST_F(Kernels, UpdatesAreFollowed) {
  const cudaGraph_t graph = captured(1, 1), other = captured(2, 2);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  newRuns();
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, other, &info));
  for (int i = 0; i < 4; ++i) {
    written_->value = 0;
    launch(exec, 1);
    EXPECT_EQ(2, written_->value) << i;
  }
  if (timesInside()) {
    EXPECT_EQ(4U, written_->twins) << "two before and two after";
    for (const KernelLine &run : newRuns())
      if (run.isTwin) {
        EXPECT_EQ(8U, run.inside[0].iterations);
        EXPECT_EQ("inner 2 of -3", run.inside[2].name);
      }
  }
  destroy({exec}, {graph, other});
}

// After a change of a node the kernel runs as the program says, until the next update.
TEST_F(Kernels, ChangedNodesRunTheKernel) {
  const cudaGraph_t graph = captured(1, 1), other = captured(3, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  const unsigned twins = written_->twins;
  int value = 2, rounds = 1;
  Written *to = written_;
  void *arguments[] = {&to, &value, &rounds};
  cudaKernelNodeParams params{};
  params.func = phasesKernel();
  params.gridDim = dim3(phaseBlocks);
  params.blockDim = dim3(phaseThreads);
  params.kernelParams = arguments;
  CUDA_OK(cuda::cudaGraphExecKernelNodeSetParams(exec, kernelNode(graph), &params));
  for (int i = 0; i < 4; ++i) {
    written_->value = 0;
    launch(exec, 1);
    EXPECT_EQ(2, written_->value) << i;
  }
  EXPECT_EQ(twins, written_->twins);
  EXPECT_EQ(1U, lostKernels()); // with events, when the exec was made
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, other, &info));
  for (int i = 0; i < 4; ++i) {
    written_->value = 0;
    launch(exec, 1);
    EXPECT_EQ(3, written_->value) << i;
  }
  if (timesInside())
    EXPECT_EQ(twins + 2, written_->twins);
  destroy({exec}, {graph, other});
}

TEST_F(Kernels, ChangedGraphsRunTheKernel) {
  const cudaGraph_t graph = captured(1, 1);
  int value = 2, rounds = 1;
  Written *to = written_;
  void *arguments[] = {&to, &value, &rounds};
  cudaKernelNodeParams params{};
  params.func = phasesKernel();
  params.gridDim = dim3(phaseBlocks);
  params.blockDim = dim3(phaseThreads);
  params.kernelParams = arguments;
  CUDA_OK(cuda::cudaGraphKernelNodeSetParams(kernelNode(graph), &params));
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 4; ++i) {
    written_->value = 0;
    launch(exec, 1);
    EXPECT_EQ(2, written_->value) << i;
  }
  destroy({exec}, {graph});
}

TEST_F(Kernels, TwinsThatDoNotFitDoNotRun) {
  int device = 0, multiprocessors = 0;
  CUDA_OK(cudaGetDevice(&device));
  CUDA_OK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto blocks = 10 * static_cast<unsigned>(multiprocessors);
  const cudaGraph_t graph = capture(stream_, [&] { tight(stream_, written_, 7, blocks); });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(7, written_->value);
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(0U, written_->twins);
  EXPECT_EQ(1U, lostKernels());
  destroy({exec}, {graph});
}

TEST_F(Kernels, ChildGraphsRunTheKernel) {
  const cudaGraph_t child = captured(5, 1, false);
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(5, written_->value);
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(1U, lostKernels());
  destroy({exec}, {graph, child});
}

TEST_F(Kernels, GraphsTimedInPlaceRunTheKernel) {
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "step", on_stream(stream_));
    void *memory = nullptr;
    EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 16, stream_));
    phases(stream_, written_, 6, 1);
    EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(6, written_->value);
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(1U, lostKernels());
  destroy({exec}, {graph});
}

TEST_F(Kernels, PartsRunTheKernel) {
  ASSERT_TRUE(set_recording_terms({.parts = 2}));
  const cudaGraph_t graph = captured(1, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(1U, lostKernels());
  EXPECT_TRUE(set_recording_terms({}));
  destroy({exec}, {graph});
}

TEST_F(Kernels, ProgrammaticEdgesKeepTheKernel) {
  const cudaGraph_t graph = capture(stream_, [&] {
    phases(stream_, written_, 1, 1);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = stream_;
    config.attrs = &attribute;
    config.numAttrs = 1;
    EXPECT_EQ(cudaSuccess, cudaLaunchKernelExC(&config, shortKernel(), nullptr));
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(4U, written_->kernels);
  EXPECT_EQ(1U, lostKernels());
  destroy({exec}, {graph});
}

// The twin has the kernel's clusters.
TEST_F(Kernels, ClustersStayTogether) {
  const cudaGraph_t graph = capture(stream_, [&] {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(phaseBlocks);
    config.blockDim = dim3(phaseThreads);
    config.stream = stream_;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int value = 9, rounds = 1;
    Written *to = written_;
    void *arguments[] = {&to, &value, &rounds};
    EXPECT_EQ(cudaSuccess, cudaLaunchKernelExC(&config, phasesKernel(), arguments));
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 4);
  EXPECT_EQ(9, written_->value);
  EXPECT_EQ(timesInside() ? 2U : 0U, written_->twins);
  destroy({exec}, {graph});
}

// A grid of several waves: blocks all over it write.
TEST_F(Kernels, LargeGridsAreSampled) {
  constexpr unsigned blocks = 1'000'000;
  const cudaGraph_t graph = capture(stream_, [&] { phases(stream_, written_, 1, 1, blocks); });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  if (timesInside()) {
    const auto runs = newRuns();
    ASSERT_EQ(2U, runs.size());
    ASSERT_EQ(4U, runs[1].warps.size());
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(i * blocks / 4, runs[1].warps[i].block);
  }
  destroy({exec}, {graph});
}

// More replays than the rings hold: each warp of each replay is read, or is counted.
TEST_F(Kernels, WarpsAreReadOrCounted) {
  if (!timesInside())
    GTEST_SKIP() << "no twins";
  constexpr std::size_t launches = 4'000;
  const cudaGraph_t graph = captured(1, 1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, launches);
  std::size_t twins = 0, warps = 0, entered = 0;
  const auto runs = newRuns();
  for (const KernelLine &run : runs) {
    twins += run.isTwin ? 1 : 0;
    warps += run.warps.size();
    for (const KernelLine::Warp &warp : run.warps)
      entered += warp.times.size();
  }
  const Losses now = losses();
  EXPECT_EQ(launches,
            runs.size() + (now.overrun - before_.overrun) + (now.not_queued - before_.not_queued));
  EXPECT_EQ(4 * twins, warps + (now.inside_kernels - before_.inside_kernels));
  EXPECT_EQ(3 * warps, entered) << "a warp that is read is read whole";
  EXPECT_GT(warps, 0U);
  destroy({exec}, {graph});
}

// A warp without room for all that it wrote has no times; each is counted.
TEST_F(Kernels, WarpsBeyondTheirRoomAreCounted) {
  if (!timesInside())
    GTEST_SKIP() << "no twins";
  const cudaGraph_t graph = captured(1, 20); // 120 entries of 64
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const auto runs = newRuns();
  ASSERT_EQ(2U, runs.size());
  EXPECT_TRUE(runs[1].isTwin);
  EXPECT_TRUE(runs[1].warps.empty() && runs[1].inside.empty());
  EXPECT_GT(runs[1].durationNs, 0);
  EXPECT_EQ(4U * (120 - 64) / 2, losses().inside_kernels - before_.inside_kernels);
  destroy({exec}, {graph});
}

} // namespace
} // namespace graphprof::test

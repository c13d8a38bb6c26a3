// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What regions read whose stamps hang on the begins of kernels, on ends, and on both.

#include <algorithm>
#include <string>
#include <vector>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class StampEdges : public testing::Test {
protected:
  void TearDown() override {
    EXPECT_TRUE(flush());
    for (const cudaGraphExec_t exec : execs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    for (const cudaGraph_t graph : graphs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }
  template <class Issue> cudaGraph_t captured(Issue issue) {
    return graphs_.emplace_back(capture(stream_, issue));
  }
  cudaGraphExec_t exec(cudaGraph_t graph) { return execs_.emplace_back(instantiate(graph)); }
  // Of one replay; the first one is cold.
  std::vector<Seen> replay(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    EXPECT_TRUE(flush());
    Recorder recorder;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return recorder.all();
  }
  void region(int number) {
    GRAPHPROF_SCOPE(1, "region {}", on_stream(stream_), number);
    shortWork(stream_);
  }
  // Of a kernel as long as that of region().
  void region(int number, unsigned blocks, unsigned threads) {
    GRAPHPROF_SCOPE(1, "region {}", on_stream(stream_), number);
    CUDA_OK(cudaLaunchKernel(shortKernel(), dim3(blocks), dim3(threads), nullptr, 0, stream_));
  }
  static unsigned multiprocessors() {
    int count = 0;
    EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return static_cast<unsigned>(count);
  }
  // One kernel takes as long as the other.
  static void expectAlike(const std::vector<Seen> &seen) {
    ASSERT_FALSE(seen.empty());
    std::vector<std::int64_t> ns;
    for (const Seen &record : seen)
      ns.push_back(record.durationNs);
    std::ranges::sort(ns);
    const std::int64_t middle = ns[ns.size() / 2];
    for (const Seen &record : seen) {
      EXPECT_GT(record.durationNs, middle / 2) << record.name;
      EXPECT_LT(record.durationNs, middle * 2) << record.name;
    }
  }

  // Six regions, and an event node behind every so many.
  template <class Issue> void expectAlikeWithEventNodes(int regionsForEach, Issue issue) {
    cudaEvent_t external = nullptr;
    CUDA_OK(cudaEventCreateWithFlags(&external, cudaEventDisableTiming));
    const cudaGraphExec_t runs = exec(captured([&] {
      for (int i = 0; i < 6; ++i) {
        issue(i);
        if ((i + 1) % regionsForEach == 0)
          CUDA_OK(cudaEventRecordWithFlags(external, stream_, cudaEventRecordExternal));
      }
    }));
    std::vector<Seen> seen = replay(runs);
    ASSERT_EQ(6U, seen.size());
    seen.erase(seen.begin()); // the host launches such a graph piece by piece
    expectAlike(seen);
    CUDA_OK(cudaEventSynchronize(external));
    CUDA_OK(cudaEventDestroy(external));
  }

  TestStream stream_;
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> execs_;
};

TEST_F(StampEdges, EqualKernelsReadAlike) {
  // Regions of equal kernels read alike, the first and the last too.
  const cudaGraphExec_t runs = exec(captured([&] {
    for (int i = 0; i < 8; ++i)
      region(i);
  }));
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ(8U, seen.size());
  expectAlike(seen);
  for (const Seen &record : seen)
    EXPECT_EQ(stampsAtBegins() ? Ends::NextBegin : Ends::Completion, record.ends) << record.name;
}

// In a long graph the stamps write to device memory, and the end of each replay copies them.
TEST_F(StampEdges, LongGraphsReadAlike) {
  constexpr std::size_t regions = 100;
  const cudaGraphExec_t runs = exec(captured([&] {
    for (std::size_t i = 0; i < regions; ++i)
      region(static_cast<int>(i));
  }));
  ASSERT_EQ(regions, replay(runs).size());
  Recorder recorder;
  constexpr std::size_t launches = 8;
  for (std::size_t i = 0; i < launches; ++i)
    CUDA_OK(cuda::cudaGraphLaunch(runs, stream_));
  CUDA_OK(cudaStreamSynchronize(stream_));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(launches * regions, seen.size());
  expectAlike(seen);
}

// Regions read alike beside kernels of large blocks on every multiprocessor. A stamp that found no
// place beside such a kernel would read its end instead of its begin.
TEST_F(StampEdges, LargeBlocksReadAlike) {
  for (const unsigned threads : {128U, 512U, 1024U}) {
    const cudaGraphExec_t runs = exec(captured([&] {
      for (int i = 0; i < 4; ++i) {
        region(2 * i);
        region(2 * i + 1, multiprocessors(), threads);
      }
    }));
    SCOPED_TRACE(threads);
    const std::vector<Seen> seen = replay(runs);
    ASSERT_EQ(8U, seen.size());
    expectAlike(seen);
  }
}

// A region that is the whole graph reads like one of a chain. One timing node does all: it opens
// the replay, reads both ends, and publishes.
TEST_F(StampEdges, SoleRegionReadsAlike) {
  const cudaGraphExec_t chain = exec(captured([&] {
    for (int i = 0; i < 8; ++i)
      region(i);
  }));
  const cudaGraphExec_t alone = exec(captured([&] { region(8); }));
  std::vector<Seen> seen = replay(chain);
  for (int i = 0; i < 3; ++i) {
    const std::vector<Seen> one = replay(alone);
    ASSERT_EQ(1U, one.size());
    seen.push_back(one.front());
  }
  ASSERT_EQ(11U, seen.size());
  expectAlike(seen);
}

TEST_F(StampEdges, RegionBeforeForkReadsAlike) {
  // A region that begins at a kernel's begin and ends where the graph forks reads alike.
  const TestStream side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraphExec_t runs = exec(captured([&] {
    region(0);
    region(1);
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side, fork, 0));
    shortWork(side);
    region(2);
    CUDA_OK(cudaEventRecord(join, side));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
    region(3);
  }));
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ(4U, seen.size());
  expectAlike(seen);
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

TEST_F(StampEdges, EventNodesReadAlike) {
  // Regions in a graph with event nodes read alike.
  expectAlikeWithEventNodes(1, [this](int number) { region(number); });
}

// With event nodes and several branches, a graph is not timed, and is counted. No stamp is true
// there, and none may be waited for (graph/timing/Joins.h).
TEST_F(StampEdges, BranchesBesideEventsAreCounted) {
  const char *const clock = std::getenv("GRAPHPROF_CLOCK");
  if (!stampsAtBegins() || !clock || !*clock) // by itself it takes the event clock
    GTEST_SKIP() << "stamps at the begins of kernels, and no other clock";
  const TestStream side;
  cudaEvent_t fork = nullptr, join = nullptr, external = nullptr;
  for (cudaEvent_t *event : {&fork, &join, &external})
    CUDA_OK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  const auto before = losses().not_instantiated;
  const cudaGraphExec_t runs = exec(captured([&] {
    region(0);
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side, fork, 0));
    shortWork(side);
    CUDA_OK(cudaEventRecordWithFlags(external, side, cudaEventRecordExternal));
    region(1);
    CUDA_OK(cudaEventRecord(join, side));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
  }));
  EXPECT_TRUE(replay(runs).empty());
  EXPECT_EQ(before + 1, losses().not_instantiated);
  for (const cudaEvent_t event : {fork, join, external})
    CUDA_OK(cudaEventDestroy(event));
}

// In a graph with event nodes, regions read alike where its kernels fill the device. Then the
// timing nodes are in the chain.
TEST_F(StampEdges, FullKernelsBesideEventsReadAlike) {
  if (!stampsAtBegins() && !withEvents())
    GTEST_SKIP() << "at completion, stamps beside event nodes are not true";
  expectAlikeWithEventNodes(3, [this](int number) { region(number, 2 * multiprocessors(), 1024); });
}

// Regions read alike where each collective waits for the event node of the one before. As NCCL
// captures its collectives: each records an event beside what follows it, and waits for the record
// of the one before.
TEST_F(StampEdges, ChainedCollectivesReadAlike) {
  cudaEvent_t external = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&external, cudaEventDisableTiming));
  const auto dependencies = [this] {
    cudaStreamCaptureStatus status{};
    const cudaGraphNode_t *nodes = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(stream_, &status, nullptr, nullptr, &nodes,
                                                    nullptr, &count));
    return std::vector<cudaGraphNode_t>(nodes, nodes + count);
  };
  const auto depend = [this](std::vector<cudaGraphNode_t> on, unsigned how) {
    CUDA_OK(cudaStreamUpdateCaptureDependencies(stream_, on.data(), nullptr, on.size(), how));
  };
  std::vector<cudaGraphNode_t> recorded;
  const cudaGraphExec_t runs = exec(captured([&] {
    for (int layer = 0; layer < 4; ++layer) {
      region(2 * layer);
      depend(recorded, cudaStreamAddCaptureDependencies);
      region(2 * layer + 1);
      const std::vector<cudaGraphNode_t> collective = dependencies();
      CUDA_OK(cudaEventRecordWithFlags(external, stream_, cudaEventRecordExternal));
      recorded = dependencies();
      depend(collective, cudaStreamSetCaptureDependencies);
    }
  }));
  std::vector<Seen> seen = replay(runs);
  ASSERT_EQ(8U, seen.size());
  for (std::size_t i = 0; i + 1 < seen.size(); ++i)
    EXPECT_EQ(stampsAtBegins() ? Ends::NextBegin : Ends::Completion, seen[i].ends) << seen[i].name;
  seen.erase(seen.begin()); // the host launches such a graph piece by piece
  expectAlike(seen);
  CUDA_OK(cudaEventSynchronize(external));
  CUDA_OK(cudaEventDestroy(external));
}

// A chain of kernels of 128 threads with an event node; the third, behind a memset, waits for the
// stamp at the end of the second, which has as many.
class WaitingKernel : public StampEdges {
protected:
  void SetUp() override {
    if (!stampsAtBegins())
      GTEST_SKIP() << "stamps at the begins of kernels";
    CUDA_OK(cudaEventCreateWithFlags(&external_, cudaEventDisableTiming));
    CUDA_OK(cudaMalloc(&memory_, 64));
    const cudaGraph_t graph = captured([&] {
      for (int i = 0; i < 4; ++i) {
        if (i == 2)
          CUDA_OK(cudaMemsetAsync(memory_, 0, 64, stream_));
        region(i, 8, 128);
      }
      CUDA_OK(cudaEventRecordWithFlags(external_, stream_, cudaEventRecordExternal));
    });
    runs_ = exec(graph);
    std::vector<cudaGraphNode_t> nodes(nodeCount(graph));
    std::size_t count = nodes.size();
    CUDA_OK(cudaGraphGetNodes(graph, nodes.data(), &count));
    third_ = nodes[3];
    EXPECT_EQ(4U, replay(runs_).size());
  }
  void TearDown() override {
    StampEdges::TearDown();
    if (external_)
      CUDA_OK(cudaEventDestroy(external_));
    CUDA_OK(cudaFree(memory_));
  }
  void set(unsigned threads) {
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = dim3(8);
    params.blockDim = dim3(threads);
    CUDA_OK(cuda::cudaGraphExecKernelNodeSetParams(runs_, third_, &params));
  }

  cudaEvent_t external_ = nullptr;
  void *memory_ = nullptr;
  cudaGraphExec_t runs_ = nullptr;
  cudaGraphNode_t third_ = nullptr;
  const std::uint64_t before_ = losses().not_launched;
};

TEST_F(WaitingKernel, MayGetLargerBlocks) {
  set(256);
  EXPECT_EQ(4U, replay(runs_).size());
  EXPECT_EQ(before_, losses().not_launched);
}

TEST_F(WaitingKernel, SmallBlocksStopTiming) {
  // With smaller blocks than the stamp's, it ends the timing until they are large enough.
  set(64);
  EXPECT_TRUE(replay(runs_).empty());
  EXPECT_EQ(before_ + 2, losses().not_launched) << "both launches are counted";
  set(128);
  EXPECT_EQ(4U, replay(runs_).size());
}

TEST_F(WaitingKernel, DisabledKernelStopsTiming) {
  // While the waiting kernel is disabled, nothing is timed.
  const auto enable = [this](unsigned isOn) {
    CUDA_OK(cuda::cudaGraphNodeSetEnabled(runs_, third_, isOn));
  };
  enable(0);
  set(64);
  enable(1);
  EXPECT_TRUE(replay(runs_).empty()) << "it is also too small";
  set(128);
  enable(0);
  EXPECT_TRUE(replay(runs_).empty());
  EXPECT_EQ(before_ + 4, losses().not_launched);
  enable(1);
  EXPECT_EQ(4U, replay(runs_).size());
}

// A chain of 30 kernels of 128 threads, of which one is a region. No stamp follows the one at its
// end for long, so a kernel a little behind it waits for it.
class FarStamps : public StampEdges {
protected:
  static constexpr std::size_t kernels = 30, timed = 6;

  void SetUp() override {
    if (!stampsAtBegins())
      GTEST_SKIP() << "stamps at the begins of kernels";
    const cudaGraph_t graph = captured([&] {
      for (std::size_t i = 0; i < kernels; ++i)
        if (i == timed)
          region(0, 8, 128);
        else
          CUDA_OK(cudaLaunchKernel(shortKernel(), dim3(8), dim3(128), nullptr, 0, stream_));
    });
    nodes_.resize(nodeCount(graph));
    std::size_t count = nodes_.size();
    CUDA_OK(cudaGraphGetNodes(graph, nodes_.data(), &count));
    ASSERT_EQ(kernels, count);
    runs_ = exec(graph);
    EXPECT_EQ(1U, replay(runs_).size());
  }
  // Whether replays are timed with so few threads in that kernel.
  bool isTimedWithFewThreadsIn(std::size_t kernel) {
    set(kernel, 32);
    const bool isTimed = !replay(runs_).empty();
    set(kernel, 128);
    return isTimed;
  }
  void set(std::size_t kernel, unsigned threads) {
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = dim3(8);
    params.blockDim = dim3(threads);
    CUDA_OK(cuda::cudaGraphExecKernelNodeSetParams(runs_, nodes_.at(kernel), &params));
  }

  std::vector<cudaGraphNode_t> nodes_;
  cudaGraphExec_t runs_ = nullptr;
};

TEST_F(FarStamps, OneKernelBehindWaits) {
  std::vector<std::size_t> waiting;
  for (std::size_t kernel = 0; kernel < kernels; ++kernel)
    if (!isTimedWithFewThreadsIn(kernel))
      waiting.push_back(kernel);
  ASSERT_EQ(1U, waiting.size());
  EXPECT_GT(waiting.front(), timed + 2);
  EXPECT_LT(waiting.front(), timed + 12);
}

class Programmatic : public StampEdges {
protected:
  void SetUp() override {
    int major = 0;
    CUDA_OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 9)
      GTEST_SKIP() << "no programmatic edges on this device";
  }
  void launchEarly(bool early) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = early;
    cudaLaunchConfig_t config{};
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream_;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA_OK(cudaLaunchKernelExC(&config, shortKernel(), nullptr));
  }
};

TEST_F(Programmatic, ProgrammaticKernelsAreTimed) {
  // Kernels with such edges are timed.
  const cudaGraphExec_t runs = exec(captured([&] {
    for (int i = 0; i < 6; ++i) {
      GRAPHPROF_SCOPE(1, "region {}", on_stream(stream_), i);
      launchEarly(i > 0);
    }
  }));
  const std::vector<Seen> seen = replay(runs);
  ASSERT_EQ(6U, seen.size());
  for (const Seen &record : seen) {
    EXPECT_GT(record.durationNs, 0) << record.name;
    EXPECT_EQ(Ends::Completion, record.ends) << record.name;
  }
}

TEST_F(Programmatic, EventNodesForbidTiming) {
  // With event nodes in the same graph, programmatic edges are not timed.
  if (!stampsAtBegins())
    GTEST_SKIP() << "stamps on other edges than completion";
  cudaEvent_t external = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&external, cudaEventDisableTiming));
  const cudaGraphExec_t runs = exec(captured([&] {
    GRAPHPROF_SCOPE(1, "region", on_stream(stream_));
    launchEarly(false);
    launchEarly(true);
    CUDA_OK(cudaEventRecordWithFlags(external, stream_, cudaEventRecordExternal));
  }));
  EXPECT_TRUE(replay(runs).empty());
  CUDA_OK(cudaEventDestroy(external));
}

// A chain of four regions of a kernel each; of the third one another kernel, or another grid, is
// set. Where that leaves no room for a stamp, its begin would be read near its end.
class ThirdOfFour : public StampEdges {
protected:
  void SetUp() override {
    if (!stampsAtBegins())
      GTEST_SKIP() << "stamps at the begins of kernels";
    const cudaGraph_t graph = captured([&] {
      for (int i = 0; i < 4; ++i)
        region(i);
    });
    runs_ = exec(graph);
    std::vector<cudaGraphNode_t> nodes(nodeCount(graph));
    std::size_t count = nodes.size();
    CUDA_OK(cudaGraphGetNodes(graph, nodes.data(), &count));
    third_ = nodes[2];
  }
  void set(void *kernel, dim3 blocks, dim3 threads) {
    cudaKernelNodeParams params{};
    params.func = kernel;
    params.gridDim = blocks;
    params.blockDim = threads;
    CUDA_OK(cuda::cudaGraphExecKernelNodeSetParams(runs_, third_, &params));
  }
  void expectNoBegin() {
    const std::vector<Seen> seen = replay(runs_);
    ASSERT_EQ(4U, seen.size());
    EXPECT_GT(seen[0].durationNs, 0);
    EXPECT_LT(seen[1].durationNs, 0) << "it ends where that kernel begins";
    EXPECT_LT(seen[2].durationNs, 0);
    EXPECT_GT(seen[3].durationNs, 0);
  }
  void expectAll() {
    const std::vector<Seen> seen = replay(runs_);
    ASSERT_EQ(4U, seen.size());
    expectAlike(seen);
  }

  cudaGraphExec_t runs_ = nullptr;
  cudaGraphNode_t third_ = nullptr;
};

TEST_F(ThirdOfFour, RoomlessGridLosesItsBegin) {
  // The third kernel loses its begin with a grid without room, until it has room again.
  set(shortKernel(), 4'000, 1'024);
  expectNoBegin();
  set(shortKernel(), 1, 1);
  expectAll();
}

// The third kernel is judged by the function that it is given. So many blocks of the one are on
// the device at once, of the other not.
TEST_F(ThirdOfFour, NewFunctionDecides) {
  set(shortKernel(), 1'000, 1);
  expectAll();
  set(roomyKernel(), 1'000, 1);
  expectNoBegin();
  set(roomyKernel(), 1, 1);
  expectAll();

  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = roomyKernel();
  params.kernel.gridDim = dim3(1'000);
  params.kernel.blockDim = dim3(1);
  CUDA_OK(cuda::cudaGraphExecNodeSetParams(runs_, third_, &params));
  expectNoBegin();
}

} // namespace
} // namespace graphprof::test

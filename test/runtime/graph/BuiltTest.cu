// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs that the program builds node by node: a region is the nodes that its thread added while it
// was open, and the program's graph stays as it was built.

#include <algorithm>
#include <map>
#include <thread>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;
using Nodes = std::vector<cudaGraphNode_t>;

cudaKernelNodeParams running(void *kernel) {
  cudaKernelNodeParams params{};
  params.func = kernel;
  params.gridDim = dim3(1);
  params.blockDim = dim3(1);
  return params;
}

cudaGraph_t created() {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaSuccess, cuda::cudaGraphCreate(&graph, 0));
  return graph;
}

cudaGraphNode_t add(cudaGraph_t graph, void *kernel, const Nodes &behind = {}) {
  const cudaKernelNodeParams params = running(kernel);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaSuccess,
            cuda::cudaGraphAddKernelNode(&node, graph, behind.data(), behind.size(), &params));
  return node;
}

// A short region and a long one, `layers` times, each behind the one before; the last node.
cudaGraphNode_t addChain(cudaGraph_t graph, int layers, void *first = shortKernel()) {
  Nodes last;
  for (int layer = 0; layer < layers; ++layer) {
    {
      GRAPHPROF_SCOPE(1, "prepare {}", on_capture(), layer);
      last = {add(graph, first, last)};
    }
    {
      GRAPHPROF_SCOPE(2, "work {}", on_capture(), layer);
      last = {add(graph, longKernel(), last)};
    }
  }
  return last.front();
}

void launch(cudaGraphExec_t exec, cudaStream_t stream, int times = 1) {
  for (int i = 0; i < times; ++i)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
}

// The records that are not of a first replay, by name.
std::map<std::string, Seen> warm(Recorder &recorder) {
  std::map<std::string, Seen> found;
  for (const Seen &seen : recorder.all())
    if (!seen.cold)
      found.insert_or_assign(seen.name, seen);
  return found;
}

class ExplicitGraph : public testing::Test {
protected:
  ~ExplicitGraph() override {
    for (const cudaGraphExec_t exec : execs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    for (const cudaGraph_t graph : graphs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
  }
  cudaGraph_t graph() { return graphs_.emplace_back(created()); }
  cudaGraphExec_t exec(cudaGraph_t graph) { return execs_.emplace_back(instantiate(graph)); }

  TestStream stream_;
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> execs_;
};

TEST_F(ExplicitGraph, RegionIsItsNodes) {
  // A region is the nodes that were added in it.
  Recorder recorder;
  const cudaGraph_t built = graph();
  addChain(built, 3);
  const cudaGraphExec_t runs = exec(built);
  EXPECT_EQ(6u, nodeCount(built));
  launch(runs, stream_, 3);

  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(18u, seen.size()) << "regions that build are no regions outside graphs";
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ((i % 2 == 0 ? "prepare " : "work ") + std::to_string(i % 6 / 2), seen[i].name);
    EXPECT_EQ(i / 6, seen[i].replay);
    EXPECT_EQ(0, seen[i].depth);
    if (i % 6 > 0) {
      EXPECT_EQ(seen[i - 1].beginNs + seen[i - 1].durationNs, seen[i].beginNs);
    }
    if (i % 2 == 1 && !seen[i].cold) {
      EXPECT_GT(seen[i].durationNs, 3 * seen[i - 1].durationNs);
    }
  }
}

// fork -> (long, short, short) -> join: a region must not wait for another branch's.
TEST_F(ExplicitGraph, BranchesAreTimedSeparately) {
  Recorder recorder;
  const cudaGraph_t built = graph();
  const cudaGraphNode_t fork = add(built, shortKernel());
  cudaGraphNode_t slow = nullptr, quick = nullptr;
  {
    GRAPHPROF_SCOPE(1, "both", on_capture());
    {
      GRAPHPROF_SCOPE(2, "slow", on_capture());
      slow = add(built, longKernel(), {fork});
    }
    {
      GRAPHPROF_SCOPE(3, "quick", on_capture());
      quick = add(built, shortKernel(), {fork});
    }
    {
      GRAPHPROF_SCOPE(4, "quick too", on_capture());
      quick = add(built, shortKernel(), {quick});
    }
  }
  {
    GRAPHPROF_SCOPE(5, "join", on_capture());
    add(built, shortKernel(), {slow, quick});
  }
  launch(exec(built), stream_, 4);

  const auto seen = warm(recorder);
  ASSERT_EQ(5u, seen.size());
  const auto end = [&](const char *name) {
    return seen.at(name).beginNs + seen.at(name).durationNs;
  };
  EXPECT_GT(seen.at("slow").durationNs, 3 * seen.at("quick").durationNs);
  EXPECT_GT(seen.at("slow").durationNs, 3 * seen.at("quick too").durationNs);
  EXPECT_LT(end("quick too"), end("slow"));
  // Two boundaries behind one node come in either order.
  EXPECT_GT(end("both") + 5'000, end("slow"));
  EXPECT_GT(seen.at("join").beginNs + 5'000, end("slow"));
  EXPECT_EQ(0, seen.at("both").depth);
  EXPECT_EQ(1, seen.at("quick").depth);
}

TEST_F(ExplicitGraph, OlderScopeIsNotGraphs) {
  // A scope that is older than the graph is not the graph's.
  Recorder recorder;
  {
    GRAPHPROF_SCOPE(1, "build and run", on_stream(stream_));
    const cudaGraph_t built = graph();
    addChain(built, 1);
    launch(exec(built), stream_);
  }
  Names names = recorder.names();
  std::sort(names.begin(), names.end());
  EXPECT_EQ((Names{"build and run", "prepare 0", "work 0"}), names);
}

TEST_F(ExplicitGraph, IdleBuiltGraphIsTimedLater) {
  // Graphs that are built while nothing is recorded are timed later.
  Recorder recorder;
  stop();
  const cudaGraph_t built = graph();
  addChain(built, 1);
  const cudaGraphExec_t runs = exec(built);
  launch(runs, stream_);
  start();
  launch(runs, stream_);
  EXPECT_EQ((Names{"prepare 0", "work 0"}), recorder.names());
}

TEST_F(ExplicitGraph, ChangedNodesAreFollowed) {
  Recorder recorder;
  const cudaGraph_t built = graph();
  cudaGraphNode_t node = nullptr;
  {
    GRAPHPROF_SCOPE(1, "changing", on_capture());
    node = add(built, shortKernel());
  }
  const cudaGraphExec_t runs = exec(built);
  launch(runs, stream_, 2);
  const std::int64_t before = warm(recorder).at("changing").durationNs;
  const cudaKernelNodeParams params = running(longKernel());
  CUDA_OK(cuda::cudaGraphExecKernelNodeSetParams(runs, node, &params));
  launch(runs, stream_);
  EXPECT_GT(warm(recorder).at("changing").durationNs, 3 * before);
}

TEST_F(ExplicitGraph, ExecUpdatesFromAnother) {
  Recorder recorder;
  const cudaGraph_t first = graph(), second = graph();
  addChain(first, 2);
  addChain(second, 2, longKernel());
  const cudaGraphExec_t runs = exec(first);
  launch(runs, stream_, 2);
  const std::int64_t before = warm(recorder).at("prepare 1").durationNs;
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(runs, second, &info));
  launch(runs, stream_);
  const auto seen = warm(recorder);
  EXPECT_EQ(4u, seen.size());
  EXPECT_GT(seen.at("prepare 1").durationNs, 3 * before);
}

TEST_F(ExplicitGraph, NextExecSeesChangedNodes) {
  // What is added or taken out later is in the next exec.
  Recorder recorder;
  const cudaGraph_t built = graph();
  const cudaGraphNode_t last = addChain(built, 1);
  launch(exec(built), stream_);
  EXPECT_EQ((Names{"prepare 0", "work 0"}), recorder.names());

  CUDA_OK(cuda::cudaGraphDestroyNode(last));
  {
    GRAPHPROF_SCOPE(1, "more", on_capture());
    add(built, shortKernel());
  }
  launch(exec(built), stream_);
  EXPECT_EQ((Names{"prepare 0", "work 0", "prepare 0", "more"}), recorder.names());
}

TEST_F(ExplicitGraph, UnseenRemovedNodesLeaveRegion) {
  // Nodes that are taken out unseen are no part of a region any more.
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t built = graph();
  cudaGraphNode_t kept = nullptr, one = nullptr, two = nullptr;
  {
    GRAPHPROF_SCOPE(1, "kept", on_capture());
    kept = add(built, shortKernel());
    one = add(built, shortKernel(), {kept});
    two = add(built, shortKernel(), {kept});
  }
  {
    GRAPHPROF_SCOPE(2, "gone", on_capture());
    add(built, shortKernel(), {one, two});
  }
  for (const cudaGraphNode_t node : {one, two})
    CUDA_OK(::cudaGraphDestroyNode(node)); // by code that was not instrumented
  launch(exec(built), stream_);
  EXPECT_EQ((Names{"kept", "gone"}), recorder.names());
  for (const Seen &seen : recorder.all())
    EXPECT_GE(seen.durationNs, 0) << seen.name;
  EXPECT_EQ(before.not_instantiated, losses().not_instantiated);
}

TEST_F(ExplicitGraph, CloneHasGraphsRegions) {
  Recorder recorder;
  const cudaGraph_t built = graph();
  addChain(built, 1);
  cudaGraph_t clone = nullptr;
  CUDA_OK(cuda::cudaGraphClone(&clone, built));
  graphs_.push_back(clone);
  launch(exec(built), stream_);
  launch(exec(clone), stream_);
  EXPECT_EQ((Names{"prepare 0", "work 0", "prepare 0", "work 0"}), recorder.names());
}

TEST_F(ExplicitGraph, UnusedRegionsAreCounted) {
  // Regions that ran in no exec are counted.
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t unused = created();
  addChain(unused, 2);
  CUDA_OK(cuda::cudaGraphDestroy(unused));
  EXPECT_TRUE(recorder.all().empty());
  EXPECT_EQ(before.incomplete + 4, losses().incomplete);
}

TEST_F(ExplicitGraph, UnclonableGraphRunsUntimed) {
  // A graph that cannot be cloned runs untimed and is counted.
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t built = graph();
  cudaGraphNode_t allocation = nullptr, node = nullptr;
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = 1024;
  {
    GRAPHPROF_SCOPE(1, "allocate", on_capture());
    CUDA_OK(cuda::cudaGraphAddMemAllocNode(&allocation, built, nullptr, 0, &params));
  }
  CUDA_OK(cuda::cudaGraphAddMemFreeNode(&node, built, &allocation, 1, params.dptr));
  launch(exec(built), stream_, 2);
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(Names{}, recorder.names());
  EXPECT_EQ(before.not_instantiated + 1, losses().not_instantiated);
  EXPECT_EQ(2u, nodeCount(built));
}

TEST_F(ExplicitGraph, NodeBelongsToThreadsRegions) {
  Recorder recorder;
  const cudaGraph_t built = graph();
  GRAPHPROF_SCOPE(1, "mine", on_capture());
  std::thread([&] {
    GRAPHPROF_SCOPE(2, "theirs", on_capture());
    add(built, longKernel());
  }).join();
  add(built, shortKernel());
  launch(exec(built), stream_, 2);
  const auto seen = warm(recorder);
  EXPECT_EQ((Names{"theirs", "mine", "theirs", "mine"}), recorder.names());
  EXPECT_GT(seen.at("theirs").durationNs, 3 * seen.at("mine").durationNs);
}

} // namespace
} // namespace graphprof::test

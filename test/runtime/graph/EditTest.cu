// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that changes a graph after its capture: a node that does something else does so in the
// profiled graph too; where nodes or dependencies come and go, that is made anew for the next exec.
// The regions stay.

#include <map>
#include <utility>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;

class Edit : public testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMalloc(&byte_, 2));
    CUDA_OK(cudaMallocHost(&seen_, 2));
    seen_[0] = seen_[1] = 0;
  }
  void TearDown() override {
    EXPECT_TRUE(flush()); // the replays of one test are no other's
    for (const cudaGraphExec_t exec : execs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
    for (const cudaGraph_t graph : graphs_)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
    cudaFree(byte_);
    cudaFreeHost(seen_);
  }

  /// A graph that sets the byte to `value` and shows it in *seen_, with a region named after it and
  /// one around a kernel.
  cudaGraph_t setting(int value) {
    return graphs_.emplace_back(capture(stream_, [&] {
      {
        GRAPHPROF_SCOPE(1, "set {}", on_stream(stream_), value);
        cudaMemsetAsync(byte_, value, 1, stream_);
        cudaMemcpyAsync(seen_, byte_, 1, cudaMemcpyDeviceToHost, stream_);
      }
      GRAPHPROF_SCOPE(2, "work", on_stream(stream_));
      shortWork(stream_);
    }));
  }
  cudaGraphExec_t exec(cudaGraph_t graph) { return execs_.emplace_back(instantiate(graph)); }
  int launchAndRead(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
  /// What both execs of the pair show.
  int launchBothAndRead(cudaGraphExec_t exec) {
    const int profiled = launchAndRead(exec);
    *seen_ = 0;
    stop();
    EXPECT_EQ(profiled, launchAndRead(exec)) << "the program's own exec";
    start();
    return profiled;
  }
  static cudaGraphNode_t nodeOf(cudaGraph_t graph, cudaGraphNodeType wanted) {
    std::vector<cudaGraphNode_t> nodes(nodeCount(graph));
    std::size_t count = nodes.size();
    EXPECT_EQ(cudaSuccess, cudaGraphGetNodes(graph, nodes.data(), &count));
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      EXPECT_EQ(cudaSuccess, cudaGraphNodeGetType(node, &type));
      if (type == wanted)
        return node;
    }
    ADD_FAILURE() << "no node of type " << wanted;
    return nullptr;
  }
  cudaMemsetParams setTo(unsigned value) const {
    cudaMemsetParams params{};
    params.dst = byte_;
    params.value = value;
    params.elementSize = params.width = params.height = 1;
    return params;
  }

  TestStream stream_;
  unsigned char *byte_ = nullptr;
  unsigned char *seen_ = nullptr;
  std::vector<cudaGraph_t> graphs_;
  std::vector<cudaGraphExec_t> execs_;
};

TEST_F(Edit, MemsetIsChangedInBothGraphs) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaMemsetParams five = setTo(5);
  CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &five));
  EXPECT_EQ(5, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work"}), recorder.names()) << "one of the two replays was recorded";
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
}

TEST_F(Edit, GeneralParametersReachBothGraphs) {
  // A node is changed in both graphs by its general parameters.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = byte_;
  params.memset.value = 6;
  params.memset.elementSize = params.memset.width = params.memset.height = 1;
  CUDA_OK(cuda::cudaGraphNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &params));
  EXPECT_EQ(6, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work"}), recorder.names());
}

TEST_F(Edit, CopyIsChangedInBothGraphs) {
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  CUDA_OK(cudaMemset(byte_ + 1, 7, 1));
  CUDA_OK(cuda::cudaGraphMemcpyNodeSetParams1D(nodeOf(graph, cudaGraphNodeTypeMemcpy), seen_,
                                               byte_ + 1, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(7, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work"}), recorder.names());
}

TEST_F(Edit, KernelIsChangedInBothGraphs) {
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t unedited = exec(graph);
  launchAndRead(unedited);
  cudaKernelNodeParams params{};
  params.func = longKernel();
  params.gridDim = params.blockDim = dim3(1);
  CUDA_OK(cuda::cudaGraphKernelNodeSetParams(nodeOf(graph, cudaGraphNodeTypeKernel), &params));
  const cudaGraphExec_t edited = exec(graph);
  for (const cudaGraphExec_t each : {edited, edited, unedited})
    launchAndRead(each);
  std::map<std::uint64_t, std::int64_t> durationsNs; // of the kernel, by exec
  for (const Seen &seen : recorder.all())
    if (seen.name == "work" && !seen.cold)
      durationsNs[seen.exec] = seen.durationNs;
  ASSERT_EQ(2u, durationsNs.size());
  EXPECT_GT(durationsNs.rbegin()->second, 3 * durationsNs.begin()->second)
      << "an exec is as its graph was";
}

TEST_F(Edit, HostFunctionIsChangedInBothGraphs) {
  Recorder recorder;
  int first = 0, second = 0;
  const auto count = [](void *counter) { ++*static_cast<int *>(counter); };
  const cudaGraph_t graph = graphs_.emplace_back(capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "host", on_stream(stream_));
    cudaLaunchHostFunc(stream_, count, &first);
  }));
  const cudaHostNodeParams params{count, &second};
  CUDA_OK(cuda::cudaGraphHostNodeSetParams(nodeOf(graph, cudaGraphNodeTypeHost), &params));
  launchBothAndRead(exec(graph));
  EXPECT_EQ(0, first);
  EXPECT_EQ(2, second);
  EXPECT_EQ((Names{"host"}), recorder.names());
}

TEST_F(Edit, KernelAttributeCostsNoProfile) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  cudaKernelNodeAttrValue value{};
  value.cooperative = 0;
  CUDA_OK(cuda::cudaGraphKernelNodeSetAttribute(nodeOf(graph, cudaGraphNodeTypeKernel),
                                                cudaLaunchAttributeCooperative, &value));
  EXPECT_EQ(1, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work"}), recorder.names());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
}

TEST_F(Edit, LaterEditNeedsUpdate) {
  // An edit after an instantiation reaches its exec by update.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t runs = exec(graph);
  const cudaMemsetParams two = setTo(2);
  CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &two));
  EXPECT_EQ(1, launchBothAndRead(runs));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(runs, graph, &info));
  EXPECT_EQ(2, launchBothAndRead(runs));
  EXPECT_EQ((Names{"set 1", "work", "set 1", "work"}), recorder.names());
}

TEST_F(Edit, CloneHasOwnTwin) {
  // A clone's nodes are changed in its own twin.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  cudaGraph_t clone = nullptr;
  CUDA_OK(cuda::cudaGraphClone(&clone, graph));
  graphs_.push_back(clone);
  const cudaMemsetParams two = setTo(2);
  CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(nodeOf(clone, cudaGraphNodeTypeMemset), &two));
  EXPECT_EQ(1, launchBothAndRead(exec(graph)));
  EXPECT_EQ(2, launchBothAndRead(exec(clone)));
  EXPECT_EQ((Names{"set 1", "work", "set 1", "work"}), recorder.names());
}

TEST_F(Edit, RefusedEditChangesNothing) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  cudaMemsetParams wrong = setTo(5);
  wrong.elementSize = 3;
  EXPECT_NE(cudaSuccess,
            cuda::cudaGraphMemsetNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &wrong));
  EXPECT_NE(cudaSuccess, cudaGetLastError());
  EXPECT_EQ(1, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work"}), recorder.names());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
}

TEST_F(Edit, PendingErrorStaysAfterEdit) {
  // While an error is pending, an edit is not repeated: the error stays, and so do the regions.
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  EXPECT_NE(cudaSuccess, cudaSetDevice(1000000));
  const cudaError_t pending = cudaPeekAtLastError();
  EXPECT_NE(cudaSuccess, pending);
  const cudaMemsetParams five = setTo(5);
  CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &five));
  EXPECT_EQ(pending, cudaGetLastError());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  EXPECT_EQ(5, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work"}), recorder.names());
}

TEST_F(Edit, NextExecHasAddedNode) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  EXPECT_EQ(1, launchBothAndRead(exec(graph)));
  cudaGraphNode_t node = nullptr;
  const cudaGraphNode_t copy = nodeOf(graph, cudaGraphNodeTypeMemcpy);
  const cudaMemsetParams five = setTo(5);
  CUDA_OK(cuda::cudaGraphAddMemsetNode(&node, graph, &copy, 1, &five));
  CUDA_OK(cuda::cudaGraphAddMemcpyNode1D(&node, graph, &node, 1, seen_, byte_, 1,
                                         cudaMemcpyDeviceToHost));
  EXPECT_EQ(5, launchBothAndRead(exec(graph)));
  EXPECT_EQ((Names{"set 1", "work", "set 1", "work"}), recorder.names());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
}

TEST_F(Edit, RemovedNodesRegionHasNoTime) {
  // What is taken out is not in the next exec, and its region has no time.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  CUDA_OK(cuda::cudaGraphDestroyNode(nodeOf(graph, cudaGraphNodeTypeKernel)));
  const cudaMemsetParams five = setTo(5);
  CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(nodeOf(graph, cudaGraphNodeTypeMemset), &five));
  EXPECT_EQ(5, launchBothAndRead(exec(graph)));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_EQ("work", seen[1].name);
  EXPECT_LT(seen[1].durationNs, 0);
}

TEST_F(Edit, ChangedDependencyIsFollowed) {
  // A dependency that comes or goes is followed.
  Recorder recorder;
  cudaStream_t side = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CUDA_OK(cudaEventCreate(&fork));
  CUDA_OK(cudaEventCreate(&join));
  const cudaGraph_t graph = graphs_.emplace_back(capture(stream_, [&] {
    shortWork(stream_);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(fork, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(side, fork, 0));
    {
      GRAPHPROF_SCOPE(1, "slow", on_stream(stream_));
      longWork(stream_);
    }
    {
      GRAPHPROF_SCOPE(2, "quick", on_stream(side));
      shortWork(side);
    }
    EXPECT_EQ(cudaSuccess, cudaEventRecord(join, side));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(stream_, join, 0));
  }));
  std::size_t count = 3;
  cudaGraphNode_t nodes[3] = {}; // the fork, slow, quick
  CUDA_OK(cudaGraphGetNodes(graph, nodes, &count));
  const auto ends = [&](cudaGraphExec_t exec) { // of slow and quick, in the second replay
    launchAndRead(exec);
    launchAndRead(exec);
    const std::vector<Seen> seen = recorder.all();
    const auto end = [](const Seen &it) { return it.beginNs + it.durationNs; };
    return std::make_pair(end(seen.at(seen.size() - 2)), end(seen.back()));
  };
  const auto [slow, quick] = ends(exec(graph));
  EXPECT_LT(quick, slow);
#if CUDART_VERSION >= 13000
  CUDA_OK(cuda::cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], nullptr, 1));
#else
  CUDA_OK(cuda::cudaGraphAddDependencies(graph, &nodes[1], &nodes[2], 1));
#endif
  const auto [slowThen, quickThen] = ends(exec(graph));
  EXPECT_GT(quickThen, slowThen) << "quick waits for slow now";
#if CUDART_VERSION >= 13000
  CUDA_OK(cuda::cudaGraphRemoveDependencies(graph, &nodes[1], &nodes[2], nullptr, 1));
#else
  CUDA_OK(cuda::cudaGraphRemoveDependencies(graph, &nodes[1], &nodes[2], 1));
#endif
  const auto [slowAgain, quickAgain] = ends(exec(graph));
  EXPECT_LT(quickAgain, slowAgain);
  EXPECT_EQ(12u, recorder.all().size());
  CUDA_OK(cudaStreamDestroy(side));
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

} // namespace
} // namespace graphprof::test

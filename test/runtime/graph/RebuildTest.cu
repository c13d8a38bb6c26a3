// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs that are made anew with timing nodes in them: every kind of node does what it did, in the
// same order, and the program's own graph is never touched.

#include <array>
#include <string>
#include <vector>

#include <cuda.h>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using Nodes = std::vector<cudaGraphNode_t>;
using Names = std::vector<std::string>;

// What a host function notes when it runs: its number.
struct Notes {
  std::vector<int> numbers;
};
struct Note {
  Notes *notes;
  int number;
};
void note(void *data) {
  const Note &it = *static_cast<Note *>(data);
  it.notes->numbers.push_back(it.number);
}

std::size_t capturedNodes(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaSuccess,
            cudaStreamGetCaptureInfo(stream, &status, &id, &graph, nullptr, nullptr, nullptr));
  return nodeCount(graph);
}

class Rebuild : public testing::Test {
protected:
  static constexpr std::size_t bytes = 4096;

  void SetUp() override {
    CUDA_OK(cudaMalloc(&device_, bytes));
    CUDA_OK(cudaMallocHost(&pinned_, bytes));
    CUDA_OK(cuda::cudaGraphCreate(&graph_, 0));
    for (int i = 0; i < static_cast<int>(parts_.size()); ++i)
      parts_[static_cast<std::size_t>(i)] = {&notes_, i};
  }
  void TearDown() override {
    CUDA_OK(cuda::cudaGraphDestroy(graph_));
    CUDA_OK(cudaFree(device_));
    CUDA_OK(cudaFreeHost(pinned_));
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  }

  cudaGraphNode_t addNote(std::size_t part, const Nodes &behind) {
    cudaHostNodeParams params{note, &parts_.at(part)};
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cuda::cudaGraphAddHostNode(&node, graph_, behind.data(), behind.size(), &params));
    return node;
  }
  cudaGraphNode_t addKernel(const Nodes &behind) {
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = params.blockDim = dim3(1);
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess,
              cuda::cudaGraphAddKernelNode(&node, graph_, behind.data(), behind.size(), &params));
    return node;
  }
  void launch(cudaGraphExec_t exec, int times) {
    for (int i = 0; i < times; ++i) {
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
      CUDA_OK(cudaStreamSynchronize(stream_));
    }
  }

  TestStream stream_;
  unsigned char *device_ = nullptr, *pinned_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  Notes notes_;
  std::array<Note, 8> parts_{};
};

TEST_F(Rebuild, CaptureHoldsOnlyProgramsNodes) {
  // While it is captured, a graph holds only the program's nodes.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    {
      GRAPHPROF_SCOPE(1, "first", on_stream(stream_));
      shortWork(stream_);
      EXPECT_EQ(1u, capturedNodes(stream_));
    }
    GRAPHPROF_SCOPE(2, "second", on_stream(stream_));
    longWork(stream_);
    EXPECT_EQ(2u, capturedNodes(stream_));
  });
  EXPECT_EQ(2u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  EXPECT_EQ((Names{"first", "second", "first", "second"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// Every kind of node does what it did. A memset in two dimensions, copies in one and in three,
// host functions, a child graph, an event that is recorded and one that is waited for, an empty
// node, a kernel: one behind the other.
TEST_F(Rebuild, KindsOfNodesKeepWorking) {
  Recorder recorder;
  cudaEvent_t event = nullptr;
  CUDA_OK(cudaEventCreate(&event));
  cudaGraph_t child = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&child, 0));
  cudaHostNodeParams inChild{note, &parts_[1]};
  cudaGraphNode_t last = nullptr;
  CUDA_OK(cuda::cudaGraphAddHostNode(&last, child, nullptr, 0, &inChild));

  last = addNote(0, {});
  {
    GRAPHPROF_SCOPE(1, "fill", on_capture());
    cudaMemsetParams fill{};
    fill.dst = device_;
    fill.pitch = 64;
    fill.value = 7;
    fill.elementSize = 1;
    fill.width = 32;
    fill.height = 4;
    CUDA_OK(cuda::cudaGraphAddMemsetNode(&last, graph_, &last, 1, &fill));
  }
  {
    GRAPHPROF_SCOPE(2, "copies", on_capture());
    CUDA_OK(cuda::cudaGraphAddMemcpyNode1D(&last, graph_, &last, 1, pinned_, device_, 256,
                                           cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(device_, 64, 64, 4);
    copy.dstPtr = make_cudaPitchedPtr(pinned_ + 1024, 32, 32, 4);
    copy.extent = make_cudaExtent(32, 4, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA_OK(cuda::cudaGraphAddMemcpyNode(&last, graph_, &last, 1, &copy));
  }
  {
    GRAPHPROF_SCOPE(3, "rest", on_capture());
    CUDA_OK(cuda::cudaGraphAddChildGraphNode(&last, graph_, &last, 1, child));
    CUDA_OK(cuda::cudaGraphAddEventRecordNode(&last, graph_, &last, 1, event));
    CUDA_OK(cuda::cudaGraphAddEventWaitNode(&last, graph_, &last, 1, event));
    CUDA_OK(cuda::cudaGraphAddEmptyNode(&last, graph_, &last, 1));
    last = addKernel({last});
    last = addNote(2, {last});
  }

  const std::size_t nodes = nodeCount(graph_);
  const cudaGraphExec_t exec = instantiate(graph_);
  EXPECT_EQ(nodes, nodeCount(graph_));
  CUDA_OK(cudaMemset(device_, 0, bytes));
  CUDA_OK(cudaDeviceSynchronize());
  launch(exec, 2);
  EXPECT_EQ((std::vector<int>{0, 1, 2, 0, 1, 2}), notes_.numbers);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t i = 0; i < 32; ++i) {
      EXPECT_EQ(7, pinned_[row * 64 + i]) << row << ' ' << i;
      EXPECT_EQ(7, pinned_[1024 + row * 32 + i]) << row << ' ' << i;
    }
  EXPECT_EQ(0, pinned_[32]) << "what the memset leaves out";
  EXPECT_EQ(cudaSuccess, cudaEventQuery(event));
  EXPECT_EQ((Names{"fill", "copies", "rest", "fill", "copies", "rest"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(child));
  CUDA_OK(cudaEventDestroy(event));
}

TEST_F(Rebuild, NodeMayPrecedeItsDependencies) {
  // A node may be created before those that it waits for.
  Recorder recorder;
  cudaGraphNode_t second = nullptr, first = nullptr;
  {
    GRAPHPROF_SCOPE(1, "second", on_capture());
    second = addNote(2, {});
  }
  {
    GRAPHPROF_SCOPE(2, "first", on_capture());
    const cudaGraphNode_t kernel = addKernel({addNote(0, {})});
    first = addNote(1, {kernel});
  }
#if CUDART_VERSION >= 13000
  CUDA_OK(cuda::cudaGraphAddDependencies(graph_, &first, &second, nullptr, 1));
#else
  CUDA_OK(cuda::cudaGraphAddDependencies(graph_, &first, &second, 1));
#endif
  const cudaGraphExec_t exec = instantiate(graph_);
  launch(exec, 3);
  EXPECT_EQ((std::vector<int>{0, 1, 2, 0, 1, 2, 0, 1, 2}), notes_.numbers);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(6u, seen.size());
  EXPECT_EQ("second", seen[4].name);
  EXPECT_EQ("first", seen[5].name);
  EXPECT_GE(seen[4].beginNs, seen[5].beginNs + seen[5].durationNs);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
}

// cuStreamWriteValue32(), captured: a node that the runtime API has no name for.
TEST_F(Rebuild, StreamWrittenWordsAreWritten) {
  Recorder recorder;
  auto *const word = reinterpret_cast<unsigned *>(pinned_);
  *word = 0;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "write", on_stream(stream_));
    shortWork(stream_);
    EXPECT_EQ(CUDA_SUCCESS,
              cuStreamWriteValue32(stream_, reinterpret_cast<CUdeviceptr>(word), 7, 0));
    shortWork(stream_);
  });
  EXPECT_EQ(3u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  EXPECT_EQ(7u, *word);
  EXPECT_EQ((Names{"write", "write"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// Nothing waits for what it did not wait for.
// fork -> two branches -> join, and a kernel that waits for one branch only.
TEST_F(Rebuild, NoWaitIsAdded) {
  Recorder recorder;
  const cudaGraphNode_t fork = addKernel({});
  cudaGraphNode_t slow = nullptr, quick = nullptr;
  {
    GRAPHPROF_SCOPE(1, "slow", on_capture());
    cudaKernelNodeParams params{};
    params.func = longKernel();
    params.gridDim = params.blockDim = dim3(1);
    CUDA_OK(cuda::cudaGraphAddKernelNode(&slow, graph_, &fork, 1, &params));
  }
  {
    GRAPHPROF_SCOPE(2, "quick", on_capture());
    quick = addKernel({addKernel({fork})});
  }
  addKernel({slow, quick});
  const cudaGraphExec_t exec = instantiate(graph_);
  launch(exec, 3);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(6u, seen.size());
  EXPECT_LT(seen[5].beginNs + seen[5].durationNs, seen[4].beginNs + seen[4].durationNs)
      << "the quick branch ends before the slow one";
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
}

// A region that waits for a timed stream ends behind its begin. The region begins in one stream
// and waits inside for another that was forked before and has a region of its own: its end is
// behind both, and never read before its begin.
TEST_F(Rebuild, RegionEndsBehindItsBegin) {
  Recorder recorder;
  const TestStream side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(stream_, [&] {
    CUDA_OK(cudaEventRecord(fork, stream_));
    CUDA_OK(cudaStreamWaitEvent(side, fork, 0));
    shortWork(stream_);
    {
      GRAPHPROF_SCOPE(1, "inner", on_stream(side));
      shortWork(side);
    }
    CUDA_OK(cudaEventRecord(join, side));
    GRAPHPROF_SCOPE(2, "outer", on_stream(stream_));
    CUDA_OK(cudaStreamWaitEvent(stream_, join, 0));
    shortWork(stream_);
  });
  constexpr int replays = 200;
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, replays);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2U * replays, seen.size());
  for (const Seen &it : seen)
    EXPECT_GE(it.durationNs, 0) << it.name << " in replay " << it.replay;
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

} // namespace
} // namespace graphprof::test

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Handles that CUDA gives out again. Graphs and execs of a program go in code that is not
// instrumented, above all in the destructors of classes in headers: here that code calls CUDA
// itself. What has the handle next does its own work, and is timed only where graphprof saw it
// made. A GPU's driver may give out other handles than the simulation: the tests hold there, too.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <thread>

#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

using Names = std::vector<std::string>;

// As a header has them that is compiled without the tool.
class OwnedGraph {
public:
  explicit OwnedGraph(cudaGraph_t graph) : graph_(graph) {}
  ~OwnedGraph() { EXPECT_EQ(cudaSuccess, ::cudaGraphDestroy(graph_)); }
  OwnedGraph(const OwnedGraph &) = delete;
  OwnedGraph &operator=(const OwnedGraph &) = delete;
  operator cudaGraph_t() const { return graph_; } // NOLINT(google-explicit-constructor)

private:
  cudaGraph_t graph_;
};
class OwnedExec {
public:
  /// Made here, where the tool does not see it.
  explicit OwnedExec(const OwnedGraph &graph) {
    EXPECT_EQ(cudaSuccess, ::cudaGraphInstantiate(&exec_, graph, 0ULL));
  }
  explicit OwnedExec(cudaGraphExec_t exec) : exec_(exec) {}
  ~OwnedExec() { EXPECT_EQ(cudaSuccess, ::cudaGraphExecDestroy(exec_)); }
  OwnedExec(const OwnedExec &) = delete;
  OwnedExec &operator=(const OwnedExec &) = delete;
  operator cudaGraphExec_t() const { return exec_; } // NOLINT(google-explicit-constructor)

private:
  cudaGraphExec_t exec_ = nullptr;
};

constexpr int rounds = 50;    // so that some handle comes again
constexpr int fewRounds = 10; // with a wait in each

// That an exec is gone CUDA says on a thread of its own, of one after the other. So when it says so
// of one that goes now, it has said so of all before.
void untilCudaHasTold() {
  static std::atomic<int> told{0};
  const int before = told;
  cudaUserObject_t object = nullptr;
  EXPECT_EQ(cudaSuccess, ::cudaUserObjectCreate(
                             &object, nullptr,
                             [](void *) {
                               ++told;
                               told.notify_all();
                             },
                             1, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaSuccess, ::cudaGraphCreate(&graph, 0));
  EXPECT_EQ(cudaSuccess, ::cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  EXPECT_EQ(cudaSuccess, ::cudaGraphDestroy(graph));
  told.wait(before);
}

class Handles : public ByteGraphs {
protected:
  /// As setting(), where the tool does not see the capture.
  cudaGraph_t captureUnseen(int value) {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaSuccess, ::cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    set(value);
    EXPECT_EQ(cudaSuccess, ::cudaStreamEndCapture(stream_, &graph));
    return graph;
  }
  /// The same, node by node.
  cudaGraph_t buildUnseen(int value) {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t first = nullptr, second = nullptr;
    const cudaMemsetParams params = setTo(static_cast<unsigned>(value));
    EXPECT_EQ(cudaSuccess, ::cudaGraphCreate(&graph, 0));
    EXPECT_EQ(cudaSuccess, ::cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &params));
    EXPECT_EQ(cudaSuccess, ::cudaGraphAddMemcpyNode1D(&second, graph, &first, 1, seen_, byte_, 1,
                                                      cudaMemcpyDeviceToHost));
    return graph;
  }
  int launchAndRead(cudaGraphExec_t exec) {
    *seen_ = 0;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
  /// A graph with a region that sets the byte to 1, and an exec of it that ran, come and go.
  void leaveOne() {
    const OwnedGraph graph(setting(1));
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(1, launchAndRead(exec));
  }
  static std::size_t count(const Names &names, const std::string &name) {
    return static_cast<std::size_t>(std::count(names.begin(), names.end(), name));
  }
};

TEST_F(Handles, ReusedHandleIsTimedAnew) {
  // Of what was seen made, each is timed for itself.
  Recorder recorder;
  Names expected;
  std::set<const void *> handles;
  for (int value = 1; value <= rounds; ++value) {
    const OwnedGraph graph(setting(value));
    const OwnedExec exec(instantiate(graph));
    handles.insert(static_cast<cudaGraph_t>(graph));
    EXPECT_EQ(value, launchAndRead(exec));
    expected.push_back("set " + std::to_string(value));
  }
  RecordProperty("graphs", rounds);
  RecordProperty("handlesOfGraphs", static_cast<int>(handles.size()));
  EXPECT_EQ(expected, recorder.names());
}

TEST_F(Handles, UnseenCaptureIsNotTimed) {
  // A capture that was not seen is its own, and not timed.
  Recorder recorder;
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    const OwnedGraph graph(captureUnseen(2));
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(2, launchAndRead(exec)) << "of a graph that was used";
  }
  for (int round = 0; round < rounds; ++round) {
    {
      const OwnedGraph unused(setting(1));
    }
    const OwnedGraph graph(captureUnseen(3));
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(3, launchAndRead(exec)) << "of a graph that was not used";
  }
  EXPECT_GE(recorder.names().size(), static_cast<std::size_t>(rounds));
}

TEST_F(Handles, HalfSeenCaptureIsNotTimed) {
  // A capture of which only the end was seen is its own, and not timed.
  Recorder recorder;
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    cudaGraph_t captured = nullptr;
    CUDA_OK(::cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    set(2);
    CUDA_OK(cuda::cudaStreamEndCapture(stream_, &captured));
    const OwnedGraph graph(captured);
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(2, launchAndRead(exec));
  }
  EXPECT_EQ(Names(rounds, "set 1"), recorder.names());
}

TEST_F(Handles, UnseenBuiltGraphIsUntouched) {
  // A graph that was built unseen is its own.
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    const OwnedGraph graph(buildUnseen(2));
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(2, launchAndRead(exec));
  }
}

TEST_F(Handles, PlainClonesHandleIsNotTimed) {
  // A clone of a graph without regions is its own, and not timed.
  Recorder recorder;
  const OwnedGraph original(setting(2, false));
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    cudaGraph_t clone = nullptr;
    CUDA_OK(cuda::cudaGraphClone(&clone, original));
    const OwnedGraph graph(clone);
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(2, launchAndRead(exec));
  }
  EXPECT_EQ(Names(rounds, "set 1"), recorder.names());
}

TEST_F(Handles, UpdateFromUnseenGraphHolds) {
  // An update from a graph that was not seen is from that graph.
  const OwnedGraph first(setting(1));
  const OwnedExec exec(instantiate(first));
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    const OwnedGraph graph(captureUnseen(2));
    cudaGraphExecUpdateResultInfo info{};
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, graph, &info));
    EXPECT_EQ(2, launchAndRead(exec));
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, first, &info));
    EXPECT_EQ(1, launchAndRead(exec));
  }
}

TEST_F(Handles, UnseenExecIsNotTimed) {
  // An exec that was not seen made is its own, and not timed.
  Recorder recorder;
  const OwnedGraph other(captureUnseen(2));
  for (int round = 0; round < fewRounds; ++round) {
    leaveOne();
    untilCudaHasTold();
    const OwnedExec exec(other);
    EXPECT_EQ(2, launchAndRead(exec));
    EXPECT_EQ(2, launchAndRead(exec));
  }
  EXPECT_EQ(Names(fewRounds, "set 1"), recorder.names());
}

// An unseen exec is not timed either right behind the end of the one that had its handle. Nobody
// promises that CUDA has told by then: this shows how it is.
TEST_F(Handles, PromptReuseIsNotTimed) {
  Recorder recorder;
  const OwnedGraph other(captureUnseen(2));
  std::set<const void *> handles;
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    const OwnedExec exec(other);
    handles.insert(static_cast<cudaGraphExec_t>(exec));
    EXPECT_EQ(2, launchAndRead(exec));
    EXPECT_EQ(2, launchAndRead(exec));
  }
  RecordProperty("execs", rounds);
  RecordProperty("handlesOfExecs", static_cast<int>(handles.size()));
  EXPECT_EQ(Names(rounds, "set 1"), recorder.names());
}

TEST_F(Handles, SeenUpdateTimesUnseenExec) {
  // An exec that was not seen made is timed from an update on that was seen.
  Recorder recorder;
  const OwnedGraph other(captureUnseen(2)), third(setting(3));
  for (int round = 0; round < rounds; ++round) {
    leaveOne();
    const OwnedExec exec(other);
    cudaGraphExecUpdateResultInfo info{};
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, third, &info));
    EXPECT_EQ(3, launchAndRead(exec)); // not recorded: what ran before is not known
    EXPECT_EQ(3, launchAndRead(exec));
  }
  EXPECT_GE(count(recorder.names(), "set 3"), static_cast<std::size_t>(rounds));
}

TEST_F(Handles, UnseenUpdateRunsAsIs) {
  // An exec that was updated unseen runs as it is.
  const OwnedGraph first(setting(1)), second(captureUnseen(2));
  for (int round = 0; round < fewRounds; ++round) {
    const OwnedExec exec(instantiate(first));
    EXPECT_EQ(1, launchAndRead(exec));
    cudaGraphExecUpdateResultInfo info{};
    CUDA_OK(::cudaGraphExecUpdate(exec, second, &info));
    untilCudaHasTold();
    EXPECT_EQ(2, launchAndRead(exec));
  }
}

TEST_F(Handles, UnseenEditIsInExec) {
  // An exec is of the graph as it is, whoever changed it.
  Recorder recorder;
  const OwnedGraph graph(setting(1));
  for (int value = 2; value < 8; ++value) {
    const cudaMemsetParams params = setTo(static_cast<unsigned>(value));
    CUDA_OK(::cudaGraphMemsetNodeSetParams(memsetNode(graph), &params));
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(value, launchAndRead(exec));
  }
  EXPECT_EQ(Names(6, "set 1"), recorder.names());
  std::set<std::uint64_t> numbers;
  for (const Seen &seen : recorder.all())
    numbers.insert(seen.graph);
  EXPECT_EQ(1u, numbers.size()) << "it is one graph";
}

TEST_F(Handles, InPlaceGraphLeavesNothing) {
  // A graph that is timed in place leaves nothing to the next one of its handle.
  for (int round = 0; round < rounds; ++round) {
    {
      const OwnedGraph graph(capture(stream_, [&] {
        GRAPHPROF_SCOPE(1, "with memory", on_stream(stream_));
        void *memory = nullptr;
        EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 64, stream_));
        set(1);
        EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
      }));
      const OwnedExec exec(instantiate(graph));
      EXPECT_EQ(1, launchAndRead(exec));
    }
    const OwnedGraph graph(buildUnseen(2));
    const OwnedExec exec(instantiate(graph));
    EXPECT_EQ(2, launchAndRead(exec));
    EXPECT_TRUE(flush()) << "for times that nobody writes";
  }
}

TEST_F(Handles, TimedChildLeavesNothing) {
  // A child that was timed leaves nothing to the next one of its handle.
  const OwnedGraph one(setting(1)), two(setting(2, false));
  // Behind a kernel, because a memset with which a replay begins holds no timed child.
  const auto holding = [](cudaGraph_t child) {
    cudaGraph_t graph = nullptr;
    cudaGraphNode_t first = nullptr, node = nullptr;
    cudaKernelNodeParams params{};
    params.func = shortKernel();
    params.gridDim = params.blockDim = dim3(1);
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphCreate(&graph, 0));
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphAddChildGraphNode(&node, graph, &first, 1, child));
    return graph;
  };
  Recorder recorder;
  for (int round = 0; round < rounds; ++round) {
    {
      const OwnedGraph graph(holding(one));
      const OwnedExec exec(instantiate(graph));
      EXPECT_EQ(1, launchAndRead(exec));
    }
    {
      const OwnedGraph graph(holding(two));
      const OwnedExec exec(instantiate(graph));
      EXPECT_EQ(2, launchAndRead(exec));
    }
  }
  EXPECT_EQ(Names(rounds, "set 1"), recorder.names());
}

// As without graphprof: what the exec does not run any more keeps nothing alive. With events it
// does: a launch sets those of the graph's nodes.
// As a program does that captures anew for each step. With each clock, and where a graph without
// kernels is timed with events.
TEST_F(Handles, GraphsMayGoBehindEachUpdate) {
  for (const bool hasKernels : {true, false}) {
    SCOPED_TRACE(hasKernels);
    Recorder recorder;
    cudaGraphExec_t exec = nullptr;
    for (int round = 0; round < 4; ++round) {
      const cudaGraph_t graph = capture(stream_, [&] {
        GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
        if (hasKernels)
          shortWork(stream_);
        else
          CUDA_OK(::cudaLaunchHostFunc(stream_, [](void *) {}, nullptr));
      });
      if (!exec)
        exec = instantiate(graph);
      cudaGraphExecUpdateResultInfo info{};
      CUDA_OK(cuda::cudaGraphExecUpdate(exec, graph, &info));
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
      CUDA_OK(cudaStreamSynchronize(stream_));
      CUDA_OK(cuda::cudaGraphDestroy(graph));
    }
    EXPECT_EQ(Names(4, "work"), recorder.names());
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  }
}

TEST_F(Handles, UserObjectsGoWithTheUpdate) {
  if (withEvents())
    GTEST_SKIP() << "as the page of limits says";
  const auto holding = [&](std::atomic<bool> &isReleased) {
    const cudaGraph_t graph = capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
      shortWork(stream_);
    });
    cudaUserObject_t object = nullptr;
    EXPECT_EQ(cudaSuccess,
              ::cudaUserObjectCreate(
                  &object, &isReleased,
                  [](void *released) { *static_cast<std::atomic<bool> *>(released) = true; }, 1,
                  cudaUserObjectNoDestructorSync));
    EXPECT_EQ(cudaSuccess, ::cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    return graph;
  };
  for (const bool launchedBefore : {true, false})
    for (const bool destroyedBefore : {true, false}) {
      SCOPED_TRACE(testing::Message() << launchedBefore << destroyedBefore);
      Recorder recorder;
      std::atomic<bool> first{false}, second{false};
      const cudaGraph_t one = holding(first), two = holding(second);
      const cudaGraphExec_t exec = instantiate(one);
      if (launchedBefore)
        CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
      CUDA_OK(cudaStreamSynchronize(stream_));
      if (destroyedBefore)
        CUDA_OK(cuda::cudaGraphDestroy(one));
      untilCudaHasTold();
      EXPECT_FALSE(first) << "the exec may run it";
      cudaGraphExecUpdateResultInfo info{};
      CUDA_OK(cuda::cudaGraphExecUpdate(exec, two, &info));
      if (!destroyedBefore) {
        untilCudaHasTold();
        EXPECT_FALSE(first) << "the graph holds it";
        CUDA_OK(cuda::cudaGraphDestroy(one));
      }
      for (int i = 0; i < 2000 && !first; ++i) // the driver tells when it has time
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_TRUE(first);
      EXPECT_FALSE(second);
      CUDA_OK(cuda::cudaGraphDestroy(two));
      for (int i = 0; i < 2; ++i)
        CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
      CUDA_OK(cudaStreamSynchronize(stream_));
      untilCudaHasTold();
      EXPECT_FALSE(second);
      EXPECT_EQ(Names(launchedBefore ? 3 : 2, "work"), recorder.names());
      CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    }
}

} // namespace
} // namespace graphprof::test

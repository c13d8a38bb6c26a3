// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The profiled exec is made when its first launch is recorded. It does what the program's exec does
// by then, whatever became of the graph since that was made.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/ByteGraphs.h"

namespace graphprof::test {
namespace {

class LateExec : public ByteGraphs {
protected:
  int launchAndRead(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
  // An exec that is not launched while anything is recorded.
  static cudaGraphExec_t idle(cudaGraph_t graph) {
    stop();
    const cudaGraphExec_t exec = instantiate(graph);
    start();
    return exec;
  }
};

TEST_F(LateExec, EarlierExecIgnoresEdit) {
  // An edit of the graph before the first launch is none of the exec.
  Recorder recorder;
  const Losses before = losses();
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t early = instantiate(graph), idling = idle(graph);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphMemsetNodeSetParams(memsetNode(graph), &three));
  EXPECT_EQ(1, launchAndRead(early));
  EXPECT_EQ(1, launchAndRead(idling));
  const cudaGraphExec_t late = instantiate(graph);
  EXPECT_EQ(3, launchAndRead(late));
  EXPECT_EQ(3u, recorder.names().size());
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  destroy({early, idling, late}, {graph});
}

TEST_F(LateExec, EarlierExecIgnoresAddedNode) {
  // A node that is added before the first launch is none of the exec's.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = idle(graph);
  cudaGraphNode_t added = nullptr;
  const cudaGraphNode_t behind = memsetNode(graph);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphAddMemsetNode(&added, graph, &behind, 1, &three));
  EXPECT_EQ(1, launchAndRead(exec));
  CUDA_OK(cudaMemcpy(seen_, byte_, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(1, *seen_);
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  destroy({exec}, {graph});
}

TEST_F(LateExec, DestroyedGraphIsTimed) {
  // A graph that is gone by the first launch is timed all the same.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  cudaGraph_t clone = nullptr;
  CUDA_OK(cuda::cudaGraphClone(&clone, graph));
  const cudaGraphExec_t exec = idle(graph), cloned = idle(clone);
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cuda::cudaGraphDestroy(clone));
  const cudaGraph_t other = setting(2); // may get the handle
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1, launchAndRead(cloned));
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 1"}), recorder.names());
  destroy({exec, cloned}, {other});
}

TEST_F(LateExec, EarlyExecEditReachesBoth) {
  // An edit of the exec before the first launch is in both execs.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = idle(graph);
  const cudaMemsetParams three = setTo(3);
  stop();
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(graph), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  start();
  CUDA_OK(cudaMemset(byte_, 9, 1));
  EXPECT_EQ(3, launchAndRead(exec));
  EXPECT_EQ(1u, recorder.names().size());
  destroy({exec}, {graph});
}

TEST_F(LateExec, EarlyDisablingReachesBoth) {
  // A node that is disabled before the first launch is disabled in both execs.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = idle(graph);
  CUDA_OK(cuda::cudaGraphNodeSetEnabled(exec, memsetNode(graph), 0));
  CUDA_OK(cudaMemset(byte_, 9, 1));
  EXPECT_EQ(9, launchAndRead(exec));
  EXPECT_EQ(1u, recorder.names().size());
  destroy({exec}, {graph});
}

TEST_F(LateExec, EarlyUpdateReachesBoth) {
  // An update before is in both, and its nodes are still those of its own graph.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t exec = idle(one);
  cudaGraphExecUpdateResultInfo info{};
  stop();
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, two, &info));
  CUDA_OK(cuda::cudaGraphDestroy(two));
  start();
  EXPECT_EQ(2, launchAndRead(exec));
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(one), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  EXPECT_EQ(2u, recorder.names().size());
  EXPECT_EQ("set 2", recorder.names().front());
  destroy({exec}, {one});
}

TEST_F(LateExec, ParametersBehindUpdateReachBoth) {
  // A node's new parameters behind an update before the first launch are in both execs.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t exec = idle(one);
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, two, &info));
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, memsetNode(one), &three));
  EXPECT_EQ(3, launchAndRead(exec));
  EXPECT_EQ(1u, recorder.names().size());
  destroy({exec}, {one, two});
}

TEST_F(LateExec, LastEarlyUpdateCounts) {
  // Of several updates before the first launch, the last one counts.
  Recorder recorder;
  const cudaGraph_t plain = setting(9, false);
  const cudaGraph_t first = setting(1);
  const cudaGraphExec_t exec = idle(first);
  cudaGraphExecUpdateResultInfo info{};
  for (const int value : {2, 3, 4}) {
    const cudaGraph_t graph = setting(value);
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, graph, &info));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
  EXPECT_EQ(4, launchAndRead(exec));
  EXPECT_EQ((std::vector<std::string>{"set 4"}), recorder.names());
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, plain, &info));
  EXPECT_EQ(9, launchAndRead(exec)) << "which has no regions";
  EXPECT_EQ(1u, recorder.names().size());
  destroy({exec}, {first, plain});
}

TEST_F(LateExec, FirstRecordedReplayIsCold) {
  // An exec's first recorded replay is a cold one.
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = idle(graph);
  stop();
  EXPECT_EQ(1, launchAndRead(exec));
  start();
  EXPECT_EQ(1, launchAndRead(exec));
  EXPECT_EQ(1, launchAndRead(exec));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_TRUE(seen[0].cold);
  EXPECT_FALSE(seen[1].cold);
  EXPECT_EQ(1u, seen[0].replay) << "the one before was not recorded";
  destroy({exec}, {graph});
}

// What is unsafe in another thread's capture would end it.
TEST_F(LateExec, ForeignCaptureGoesOn) {
  Recorder recorder;
  const cudaGraph_t graph = setting(1);
  const cudaGraphExec_t exec = idle(graph), edited = idle(graph);
  TestStream other;
  CUDA_OK(cuda::cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
  std::thread([&] {
    const cudaMemsetParams three = setTo(3);
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess,
              cuda::cudaGraphExecMemsetNodeSetParams(edited, memsetNode(graph), &three));
  }).join();
  shortWork(other);
  cudaGraph_t captured = nullptr;
  CUDA_OK(cuda::cudaStreamEndCapture(other, &captured));
  CUDA_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(1, *seen_);
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  destroy({exec, edited}, {graph, captured});
}

TEST_F(LateExec, ThreadsMakeExecsAtOnce) {
  // Several threads make the profiled execs of one graph at once.
  constexpr int threads = 4, rounds = 20;
  Recorder recorder;
  const Losses before = losses();
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
    shortWork(stream_);
  });
  std::vector<cudaGraphExec_t> execs;
  for (int i = 0; i < threads * rounds; ++i)
    execs.push_back(idle(graph));
  std::atomic<int> ready{0};
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      TestStream stream;
      for (++ready; ready < threads;)
        std::this_thread::yield();
      for (int round = 0; round < rounds; ++round)
        EXPECT_EQ(cudaSuccess,
                  cuda::cudaGraphLaunch(execs[static_cast<std::size_t>(round * threads + thread)],
                                        stream));
      EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    });
  for (std::thread &one : running)
    one.join();
  EXPECT_EQ(static_cast<std::size_t>(threads * rounds), recorder.names().size());
  EXPECT_EQ(before.not_instantiated, losses().not_instantiated);
  destroy(execs, {graph});
}

// Several threads launch one exec for the first time. One exec, too, which CUDA orders.
TEST_F(LateExec, ThreadsShareFirstLaunch) {
  constexpr int threads = 4;
  Recorder recorder;
  for (int round = 0; round < 10; ++round) {
    const cudaGraph_t graph = setting(round);
    const cudaGraphExec_t exec = idle(graph);
    std::atomic<int> ready{0};
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
      running.emplace_back([&] {
        for (++ready; ready < threads;)
          std::this_thread::yield();
        EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
      });
    for (std::thread &one : running)
      one.join();
    CUDA_OK(cudaStreamSynchronize(stream_));
    EXPECT_EQ(round, *seen_);
    destroy({exec}, {graph});
  }
  EXPECT_EQ(static_cast<std::size_t>(10 * threads), recorder.names().size());
}

} // namespace
} // namespace graphprof::test

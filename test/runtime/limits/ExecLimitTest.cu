// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// GRAPHPROF_MAX_EXECS=1, in the environment: one exec is timed at a time. Which one that is changes
// once it was not launched for a second.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/ByteGraphs.h"
#include "support/HeldHarvest.h"

namespace graphprof::test {
namespace {

class ExecLimits : public ByteGraphs {
protected:
  int launchAndRead(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
    return *seen_;
  }
  // Time itself: who was launched in the last second keeps its place.
  static void idle() { std::this_thread::sleep_for(std::chrono::milliseconds(1150)); }
  [[nodiscard]] std::uint64_t crowdedOut() const { return losses().evicted - before_.evicted; }
  const Losses before_ = losses();
};

TEST_F(ExecLimits, CountsUntimedLaunches) {
  // Of two execs launched in turn, the first is timed, and the other's launches are counted.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(1, launchAndRead(first));
    EXPECT_EQ(2, launchAndRead(second));
  }
  EXPECT_EQ(5u, crowdedOut());
  EXPECT_EQ(std::vector<std::string>(5, "set 1"), recorder.names());
  CUDA_OK(cuda::cudaGraphExecDestroy(first)); // with it its place
  idle();                                     // where to look for one costs time
  EXPECT_EQ(2, launchAndRead(second));
  EXPECT_EQ(5u, crowdedOut());
  EXPECT_EQ(6u, recorder.names().size());
  EXPECT_EQ(before_.not_launched, losses().not_launched);
  EXPECT_EQ(before_.not_instantiated, losses().not_instantiated);
  destroy({second}, {one, two});
}

TEST_F(ExecLimits, IdleExecMakesRoom) {
  // An exec that is idle makes room, and is made again.
  Recorder recorder;
  const cudaGraph_t one = setting(1), three = setting(3), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  EXPECT_EQ(1, launchAndRead(first));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(first, three, &info));
  idle();
  EXPECT_EQ(2, launchAndRead(second));
  EXPECT_EQ(3, launchAndRead(first)) << "on the program's own exec";
  EXPECT_EQ(1u, crowdedOut());
  idle();
  EXPECT_EQ(3, launchAndRead(first));
  EXPECT_EQ(1u, crowdedOut());
  EXPECT_EQ((std::vector<std::string>{"set 1", "set 2", "set 3"}), recorder.names());
  destroy({first, second}, {one, two, three});
}

TEST_F(ExecLimits, EditedExecKeepsItsPlace) {
  // An exec that was edited keeps its place until it is updated.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(first, memsetNode(one), &three));
  EXPECT_EQ(3, launchAndRead(first));
  idle();
  EXPECT_EQ(2, launchAndRead(second));
  EXPECT_EQ(1u, crowdedOut());
  EXPECT_EQ(3, launchAndRead(first));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(first, one, &info));
  idle();
  EXPECT_EQ(2, launchAndRead(second));
  EXPECT_EQ(1u, crowdedOut());
  EXPECT_EQ(3u, recorder.names().size());
  destroy({first, second}, {one, two});
}

// A node that is switched while there is no room costs the exec its times for good. CUDA has no
// call that would tell how, and an update leaves it as it is.
TEST_F(ExecLimits, SwitchedNodeCostsExecForGood) {
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  EXPECT_EQ(1, launchAndRead(first));
  CUDA_OK(cuda::cudaGraphNodeSetEnabled(second, memsetNode(two), 0));
  CUDA_OK(cuda::cudaGraphExecDestroy(first));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(second, one, &info));
  CUDA_OK(cudaMemset(byte_, 9, 1));
  EXPECT_EQ(9, launchAndRead(second));
  EXPECT_EQ(1u, crowdedOut());
  EXPECT_EQ(1u, recorder.names().size());
  destroy({second}, {one, two});
}

TEST_F(ExecLimits, UpdateAllowsRemaking) {
  // An update behind an edit brings back what can be made again.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2), four = setting(4);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(first, memsetNode(one), &three));
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(first, four, &info));
  EXPECT_EQ(4, launchAndRead(first));
  idle();
  EXPECT_EQ(2, launchAndRead(second));
  CUDA_OK(cuda::cudaGraphExecDestroy(second));
  EXPECT_EQ(4, launchAndRead(first));
  EXPECT_EQ(0u, crowdedOut());
  EXPECT_EQ(3u, recorder.names().size());
  destroy({first}, {one, two, four});
}

TEST_F(ExecLimits, RoomlessEditCostsTimes) {
  // An edit for which there is no room costs the exec its times until it is updated.
  Recorder recorder;
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  EXPECT_EQ(1, launchAndRead(first));
  const cudaMemsetParams three = setTo(3);
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(second, memsetNode(two), &three));
  EXPECT_EQ(3, launchAndRead(second));
  CUDA_OK(cuda::cudaGraphExecDestroy(first));
  EXPECT_EQ(3, launchAndRead(second));
  EXPECT_EQ(2u, crowdedOut());
  EXPECT_EQ((std::vector<std::string>{"set 1"}), recorder.names());
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(second, one, &info));
  EXPECT_EQ(1, launchAndRead(second));
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(second, memsetNode(two), &three));
  EXPECT_EQ(3, launchAndRead(second));
  EXPECT_EQ(2u, crowdedOut());
  EXPECT_EQ(before_.not_mirrored, losses().not_mirrored);
  EXPECT_EQ(3u, recorder.names().size());
  destroy({second}, {one, two});
}

TEST_F(ExecLimits, EarlierLaunchesAreKept) {
  // What was launched before an exec made room is not lost.
  std::atomic<bool> open{false};
  std::atomic<int> seen{0};
  HeldHarvest held([&](const Record &) {
    while (!open)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++seen;
  });
  const cudaGraph_t one = setting(1), two = setting(2);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(1, launchAndRead(first));
  idle();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(2, launchAndRead(second));
  open = true;
  EXPECT_TRUE(held.flush());
  EXPECT_EQ(16, seen);
  EXPECT_EQ(0u, crowdedOut());
  destroy({first, second}, {one, two});
}

TEST_F(ExecLimits, ManyThreadsShareOnePlace) {
  constexpr int threads = 4, launches = 50;
  Recorder recorder;
  std::vector<cudaGraph_t> graphs;
  std::vector<cudaGraphExec_t> execs;
  for (int i = 0; i < threads; ++i) {
    graphs.push_back(capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "work", on_stream(stream_));
      shortWork(stream_);
    }));
    execs.push_back(instantiate(graphs.back()));
  }
  std::vector<std::thread> running;
  for (const cudaGraphExec_t exec : execs)
    running.emplace_back([exec] {
      TestStream stream;
      for (int i = 0; i < launches; ++i)
        EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
      EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    });
  for (std::thread &one : running)
    one.join();
  const std::size_t recorded = recorder.names().size();
  EXPECT_GE(recorded, static_cast<std::size_t>(launches));
  EXPECT_EQ(static_cast<std::size_t>(threads * launches), recorded + crowdedOut());
  destroy(execs, graphs);
}

} // namespace
} // namespace graphprof::test

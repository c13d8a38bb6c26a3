// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/timer.h and graphprof/timer_registry.h: the seed's timers.

#include <functional>
#include <thread>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

TEST(Timer, TimesEagerWork) {
  TestStream stream;
  Timer timer;
  {
    auto running = timer.time(stream);
    longWork(stream);
  }
  ASSERT_TRUE(timer.elapsedNs());
  EXPECT_GT(*timer.elapsedNs(), 50'000);
}

TEST(Timer, InsideACaptureItReadsTheLastReplay) {
  TestStream stream;
  Timer timer;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    auto running = timer.time(stream);
    longWork(stream);
  }
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0ULL));
  for (int replay = 0; replay < 3; ++replay) {
    CUDA_OK(cudaGraphLaunch(exec, stream));
    ASSERT_TRUE(timer.elapsedNs());
    EXPECT_GT(*timer.elapsedNs(), 50'000);
  }
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
}

TEST(Timer, AfterACaptureItHasNoTimeFromBefore) {
  TestStream stream;
  Timer timer;
  const auto run = [&] {
    auto running = timer.time(stream);
    longWork(stream);
  };
  run();
  ASSERT_TRUE(timer.elapsedNs());
  cudaGraph_t graphs[2] = {};
  for (cudaGraph_t &graph : graphs) {
    run(); // outside again
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run();
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    EXPECT_FALSE(timer.elapsedNs()) << "of no launch yet";
  }
  cudaGraphExec_t exec = nullptr;
  CUDA_OK(cudaGraphInstantiate(&exec, graphs[0], 0ULL));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  ASSERT_TRUE(timer.elapsedNs());
  EXPECT_GT(*timer.elapsedNs(), 50'000);
  CUDA_OK(cudaGraphExecDestroy(exec));
  for (const cudaGraph_t graph : graphs)
    CUDA_OK(cudaGraphDestroy(graph));
}

TEST(Timer, ReadingItLeavesACaptureAloneOnWhicheverThread) {
  TestStream stream, captured;
  Timer timer;
  {
    auto running = timer.time(stream);
    longWork(stream);
  }
  const auto read = [&timer] { EXPECT_TRUE(timer.elapsedNs()); };
  const std::function<void()> ways[] = {read, [&read] { std::thread(read).join(); },
                                        [] { const Timer comesAndGoes; },
                                        [&stream] {
                                          Timer another;
                                          EXPECT_TRUE(another.start(stream));
                                          EXPECT_TRUE(another.stop(stream));
                                        }};
  for (const auto &way : ways) {
    cudaGraph_t graph = nullptr;
    CUDA_OK(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
    shortWork(captured);
    way();
    CUDA_OK(cudaStreamEndCapture(captured, &graph));
    EXPECT_EQ(1u, nodeCount(graph));
    CUDA_OK(cudaGraphDestroy(graph));
  }
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST(Timer, WithNothingRecordedThereIsNothingToRead) {
  const Timer timer;
  EXPECT_FALSE(timer.elapsedNs());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST(TimerRegistry, YieldsContextsInCaptureOrderAfterEachReplay) {
  struct Context {
    int layer;
    const char *op;
  };
  TestStream stream;
  TimerRegistry<Context> registry;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int layer = 0; layer < 4; ++layer) {
    {
      auto running = registry.time({layer, "add"}, stream);
      shortWork(stream);
    }
    auto running = registry.time({layer, "relu"}, stream);
    longWork(stream);
  }
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0ULL));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  const auto times = registry.elapsedTimes();
  ASSERT_EQ(8u, times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(static_cast<int>(i / 2), times[i].first.layer);
    EXPECT_STREQ(i % 2 == 0 ? "add" : "relu", times[i].first.op);
    ASSERT_TRUE(times[i].second);
  }
  EXPECT_LT(*times[0].second, *times[1].second);
  registry.clear();
  EXPECT_EQ(0u, registry.size());
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test

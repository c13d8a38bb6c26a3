// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/timer.h and graphprof/timer_registry.h: the seed's timers.

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

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
  ASSERT_TRUE(timer.elapsed_ns());
  EXPECT_GT(*timer.elapsed_ns(), halfLongWorkNs());
}

TEST(Timer, CapturedTimerReadsLastReplay) {
  // Inside a capture, a timer reads the last replay.
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
    ASSERT_TRUE(timer.elapsed_ns());
    EXPECT_GT(*timer.elapsed_ns(), halfLongWorkNs());
  }
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
}

TEST(Timer, CaptureForgetsEarlierTime) {
  // After a capture, a timer has no time from before.
  TestStream stream;
  Timer timer;
  const auto run = [&] {
    auto running = timer.time(stream);
    longWork(stream);
  };
  run();
  ASSERT_TRUE(timer.elapsed_ns());
  cudaGraph_t graphs[2] = {};
  for (cudaGraph_t &graph : graphs) {
    run(); // outside again
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    run();
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    EXPECT_FALSE(timer.elapsed_ns()) << "of no launch yet";
  }
  cudaGraphExec_t exec = nullptr;
  CUDA_OK(cudaGraphInstantiate(&exec, graphs[0], 0ULL));
  CUDA_OK(cudaGraphLaunch(exec, stream));
  ASSERT_TRUE(timer.elapsed_ns());
  EXPECT_GT(*timer.elapsed_ns(), halfLongWorkNs());
  CUDA_OK(cudaGraphExecDestroy(exec));
  for (const cudaGraph_t graph : graphs)
    CUDA_OK(cudaGraphDestroy(graph));
}

// One timer, captured in two graphs and used outside them.
class TimerOrder : public testing::Test {
protected:
  ~TimerOrder() override {
    for (Graph &one : graphs_)
      forget(one);
  }
  void capture(std::size_t which) {
    forget(graphs_[which]);
    CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    run(which);
    CUDA_OK(cudaStreamEndCapture(stream_, &graphs_[which].graph));
    CUDA_OK(cudaGraphInstantiate(&graphs_[which].exec, graphs_[which].graph, 0ULL));
  }
  void launch(std::size_t which) { CUDA_OK(cudaGraphLaunch(graphs_[which].exec, stream_)); }
  void eager() { run(eagerKernels); }
  void destroy(std::size_t which) { forget(graphs_[which]); }

  // What the timer shows: how many kernels' time, to the nearest. 0: nothing.
  [[nodiscard]] std::size_t shown() {
    const std::optional<std::int64_t> ns = timer_.elapsed_ns();
    if (!ns)
      return 0;
    Timer one; // the measure: the same kernels, on the same machine
    std::size_t nearest = 0;
    std::int64_t least = INT64_MAX;
    for (const std::size_t kernels : {kernelsOf(0), kernelsOf(1), kernelsOf(eagerKernels)}) {
      {
        auto running = one.time(stream_);
        for (std::size_t i = 0; i < kernels; ++i)
          longWork(stream_);
      }
      const std::int64_t apart = std::abs(one.elapsed_ns().value_or(INT64_MAX) - *ns);
      if (apart < least) {
        least = apart;
        nearest = kernels;
      }
    }
    return nearest;
  }

  static constexpr std::size_t eagerKernels = 2;
  // Of the first graph, of the second, and outside graphs: far enough apart to be told.
  [[nodiscard]] static std::size_t kernelsOf(std::size_t which) {
    constexpr std::size_t kernels[] = {2, 4, 8};
    return kernels[which];
  }

  Timer timer_;

private:
  struct Graph {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
  };
  void run(std::size_t which) {
    auto running = timer_.time(stream_);
    for (std::size_t i = 0; i < kernelsOf(which); ++i)
      longWork(stream_);
  }
  static void forget(Graph &one) {
    if (one.exec)
      CUDA_OK(cudaGraphExecDestroy(one.exec));
    if (one.graph)
      CUDA_OK(cudaGraphDestroy(one.graph));
    one = {};
  }

  TestStream stream_;
  Graph graphs_[2];
};

TEST_F(TimerOrder, ShowsWhatRanLast) {
  const std::size_t first = kernelsOf(0), second = kernelsOf(1), outside = kernelsOf(eagerKernels);
  capture(0);
  launch(0);
  EXPECT_EQ(first, shown());
  eager();
  EXPECT_EQ(outside, shown()) << "later than the replay";
  launch(0);
  EXPECT_EQ(first, shown()) << "a replay after it";
  launch(0);
  eager();
  launch(0);
  EXPECT_EQ(first, shown()) << "without a reading between them";
  capture(1);
  launch(1);
  EXPECT_EQ(second, shown());
  launch(0);
  EXPECT_EQ(first, shown()) << "of whichever graph";
  eager();
  launch(1);
  EXPECT_EQ(second, shown());
  eager();
  EXPECT_EQ(outside, shown());
}

TEST_F(TimerOrder, CaptureIsNoReplay) {
  eager();
  capture(0);
  EXPECT_EQ(0U, shown()) << "of no launch yet, and what was before the capture is over";
  eager();
  EXPECT_EQ(kernelsOf(eagerKernels), shown()) << "behind the capture";
  launch(0);
  capture(1);
  EXPECT_EQ(kernelsOf(0), shown()) << "still the last replay";
}

TEST_F(TimerOrder, KeepsLastReplayOfDestroyedGraph) {
  capture(0);
  capture(1);
  launch(1);
  launch(0);
  CUDA_OK(cudaDeviceSynchronize());
  destroy(0);
  EXPECT_EQ(kernelsOf(0), shown());
  launch(1);
  EXPECT_EQ(kernelsOf(1), shown());
  destroy(1);
  eager();
  EXPECT_EQ(kernelsOf(eagerKernels), shown());
}

TEST_F(TimerOrder, GoesWithTheTimer) {
  capture(0);
  eager();
  Timer other(std::move(timer_));
  EXPECT_FALSE(timer_.elapsed_ns()); // NOLINT(bugprone-use-after-move): it is as new
  timer_ = std::move(other);
  EXPECT_EQ(kernelsOf(eagerKernels), shown());
  launch(0);
  EXPECT_EQ(kernelsOf(0), shown());
}

TEST(Timer, HalfCapturedTimerHasNoTime) {
  // A timer that began in a capture and ended outside has no time.
  TestStream stream;
  Timer timer;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_TRUE(timer.start(stream));
  shortWork(stream);
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_TRUE(timer.stop(stream));
  EXPECT_FALSE(timer.elapsed_ns());
  CUDA_OK(cudaGraphDestroy(graph));
}

TEST(Timer, ReadingSparesCapture) {
  // Reading a timer leaves a capture alone, on whichever thread.
  TestStream stream, captured;
  Timer timer;
  {
    auto running = timer.time(stream);
    longWork(stream);
  }
  const auto read = [&timer] { EXPECT_TRUE(timer.elapsed_ns()); };
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

TEST(Timer, UnusedTimerHasNoTime) {
  // With nothing recorded, there is nothing to read.
  const Timer timer;
  EXPECT_FALSE(timer.elapsed_ns());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST(TimerRegistry, ShowsEachTimersLastRun) {
  TestStream stream;
  TimerRegistry<int> registry;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    auto running = registry.time(0, stream);
    for (int i = 0; i < 4; ++i)
      longWork(stream);
  }
  CUDA_OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  CUDA_OK(cudaGraphInstantiate(&exec, graph, 0ULL));
  {
    auto running = registry.time(1, stream); // outside the graph: a timer of its own
    longWork(stream);
  }
  CUDA_OK(cudaGraphLaunch(exec, stream));
  const auto times = registry.elapsed_times();
  ASSERT_EQ(2u, times.size());
  ASSERT_TRUE(times[0].second && times[1].second);
  EXPECT_GT(*times[0].second, *times[1].second);
  CUDA_OK(cudaGraphExecDestroy(exec));
  CUDA_OK(cudaGraphDestroy(graph));
}

TEST(TimerRegistry, ReplayYieldsContextsInOrder) {
  // It yields contexts in capture order after each replay.
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
  const auto times = registry.elapsed_times();
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

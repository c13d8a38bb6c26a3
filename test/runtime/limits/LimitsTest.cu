// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is beyond a bound is counted, and nothing else changes. The bounds are in the environment:
// GRAPHPROF_MAX_QUEUE=4, GRAPHPROF_MAX_REGIONS=3, GRAPHPROF_MAX_NAME=16.

#include <condition_variable>
#include <vector>

#include <gmock/gmock.h>

#include "support/HeldHarvest.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

using testing::ElementsAre;

// Keeps the harvest in its first callback until it is opened.
class Gate {
public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  std::vector<std::uint64_t> passed() {
    const std::lock_guard lock(mutex_);
    return passed_;
  }
  /// Waits for the first callback.
  void await() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return reached_; });
  }
  void pass(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    reached_ = true;
    opened_.notify_all();
    opened_.wait(lock, [this] { return open_; });
    passed_.push_back(number);
  }

private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false, reached_ = false;
  std::vector<std::uint64_t> passed_;
};

TEST(Limits, FullQueueKeepsNewestReplay) {
  // Behind a full queue, the newest replay is kept, and the others are counted.
  const Losses before = losses();
  Gate gate;
  HeldHarvest held([&](const Record &record) { gate.pass(record.replay); });
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "work", on_stream(stream));
    shortWork(stream);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  gate.await(); // otherwise the harvest may take some of the others with the first
  for (int replay = 1; replay < 10; ++replay)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  gate.open();
  EXPECT_TRUE(held.flush());
  EXPECT_THAT(gate.passed(), ElementsAre(0, 1, 2, 9));
  EXPECT_EQ(before.not_queued + 6, losses().not_queued);
  EXPECT_EQ(before.overrun, losses().overrun);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Limits, FullQueueCountsEagerRegions) {
  // Regions outside graphs that find the queue full are counted.
  const Losses before = losses();
  Gate gate;
  HeldHarvest held([&](const Record &record) { gate.pass(record.context[0].as_unsigned()); });
  TestStream stream;
  for (unsigned i = 0; i < 10; ++i) {
    GRAPHPROF_SCOPE(1, "eager", on_stream(stream), i);
    shortWork(stream);
  }
  CUDA_OK(cudaStreamSynchronize(stream));
  gate.open();
  EXPECT_TRUE(held.flush());
  EXPECT_THAT(gate.passed(), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(before.not_queued + 6, losses().not_queued);
  EXPECT_EQ(before.regions_outside_graphs_failed, losses().regions_outside_graphs_failed);
}

TEST(Limits, FullQueueCountsHostSpans) {
  // Host spans that find the queue of their thread full are counted.
  const Losses before = losses();
  Gate gate;
  const HeldHarvest held([&](const Record &) { gate.pass(0); });
  profile profile({}, defer_start);
  TestStream stream;
  {
    GRAPHPROF_SCOPE(1, "what holds up the harvest", on_stream(stream));
  }
  CUDA_OK(cudaStreamSynchronize(stream));
  gate.await();
  profile.start();
  for (int i = 0; i < 10; ++i) {
    GRAPHPROF_SCOPE(2, "on the host", on_capture());
  }
  gate.open();
  EXPECT_TRUE(profile.stop());
  EXPECT_EQ(4u, profile.host_events().size());
  EXPECT_EQ(before.host_spans + 6, losses().host_spans);
}

TEST(Limits, ExcessRegionsRunUntimed) {
  // Regions beyond the bound of their graph run untimed.
  const Losses before = losses();
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    for (int layer = 0; layer < 5; ++layer) {
      GRAPHPROF_SCOPE(1, "layer {}", on_stream(stream), layer);
      shortWork(stream);
    }
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_THAT(recorder.names(), ElementsAre("layer 0", "layer 1", "layer 2"));
  EXPECT_EQ(before.beyond_limit + 2, losses().beyond_limit);
  EXPECT_EQ(before.incomplete, losses().incomplete);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Limits, ExcessBuiltRegionsRunUntimed) {
  // Regions beyond the bound of a graph that is built run untimed.
  const Losses before = losses();
  Recorder recorder;
  TestStream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  for (int layer = 0; layer < 5; ++layer) {
    GRAPHPROF_SCOPE(1, "layer {}", on_capture(), layer);
    for (int i = 0; i < 2; ++i)
      CUDA_OK(cuda::cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  }
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_THAT(recorder.names(), ElementsAre("layer 0", "layer 1", "layer 2"));
  EXPECT_EQ(before.beyond_limit + 2, losses().beyond_limit);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Limits, LongNamesAreShortened) {
  // Long names are shortened and counted.
  const Losses before = losses();
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "a name of {} bytes and more", on_stream(stream), 16);
    shortWork(stream);
  });
  {
    GRAPHPROF_SCOPE(2, "sixteen bytes {}", on_stream(stream), 12);
  }
  {
    GRAPHPROF_SCOPE(3, "sixteen bytes and {}", on_stream(stream), "more");
  }
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_THAT(recorder.names(), testing::UnorderedElementsAre(
                                    "a name of 16 ...", "sixteen bytes 12", "sixteen bytes..."));
  EXPECT_EQ(before.names_truncated + 2, losses().names_truncated);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a replay's records are: every region, of every launch, in capture order. Runs on the
// simulation and on a GPU, with either clock.

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

void layers(cudaStream_t stream, int count) {
  for (int layer = 0; layer < count; ++layer) {
    {
      GRAPHPROF_SCOPE(1, "add {}", on_stream(stream), layer);
      shortWork(stream);
    }
    {
      GRAPHPROF_SCOPE(2, "relu {}", on_stream(stream), layer, key("kind", "cheap"));
      longWork(stream);
    }
  }
}

TEST(Replay, RegionsArriveInCaptureOrder) {
  // Every region of every replay arrives in capture order, without synchronising.
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 5); });
  const cudaGraphExec_t exec = instantiate(graph);
  for (int replay = 0; replay < 3; ++replay)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));

  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(30u, seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string expected = (i % 2 == 0 ? "add " : "relu ") + std::to_string(i % 10 / 2);
    EXPECT_EQ(expected, seen[i].name);
    EXPECT_EQ(i / 10, seen[i].replay);
    EXPECT_EQ(i < 10, seen[i].cold) << "only the first replay is cold";
    EXPECT_EQ(static_cast<std::int64_t>(i % 10 / 2), seen[i].context[0].as_signed());
    EXPECT_TRUE(seen[i].durationNs >= 0);
  }
  EXPECT_EQ("kind", seen[1].context[1].key());
  EXPECT_EQ("cheap", seen[1].context[1].as_text());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, DurationsFollowTheWork) {
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 3); });
  const cudaGraphExec_t exec = instantiate(graph);
  for (int replay = 0; replay < 5; ++replay)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  for (const Seen &seen : recorder.all()) {
    if (seen.cold)
      continue;
    // Ten to one, with a wide margin for a shared machine.
    if (seen.name.starts_with("add"))
      EXPECT_LT(seen.durationNs, halfLongWorkNs()) << seen.name;
    else
      EXPECT_GT(seen.durationNs, halfLongWorkNs()) << seen.name;
  }
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, NeighboursShareABoundary) {
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 2); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u, seen.size());
  for (std::size_t i = 1; i < seen.size(); ++i)
    EXPECT_EQ(seen[i - 1].beginNs + seen[i - 1].durationNs, seen[i].beginNs);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, NestedRegionsLieInParents) {
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "outer", on_stream(stream));
    shortWork(stream);
    {
      GRAPHPROF_SCOPE(2, "inner", on_stream(stream));
      longWork(stream);
    }
    shortWork(stream);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(2u, seen.size());
  EXPECT_EQ("outer", seen[0].name);
  EXPECT_EQ(0, seen[0].depth);
  EXPECT_EQ("inner", seen[1].name);
  EXPECT_EQ(1, seen[1].depth);
  EXPECT_LE(seen[0].beginNs, seen[1].beginNs);
  EXPECT_GT(seen[0].durationNs, seen[1].durationNs);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, RegionsOnForkedStreamsOverlap) {
  Recorder recorder;
  TestStream main, side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t graph = capture(main, [&] {
    shortWork(main);
    cudaEventRecord(fork, main);
    cudaStreamWaitEvent(side, fork, 0);
    {
      GRAPHPROF_SCOPE(1, "main", on_stream(main));
      longWork(main);
    }
    {
      GRAPHPROF_SCOPE(2, "side", on_stream(side));
      longWork(side);
    }
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(main, join, 0);
    shortWork(main);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, main));
  CUDA_OK(cuda::cudaGraphLaunch(exec, main));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u, seen.size());
  EXPECT_EQ("main", seen[2].name);
  EXPECT_EQ("side", seen[3].name);
  EXPECT_LT(seen[3].beginNs, seen[2].beginNs + seen[2].durationNs) << "they run side by side";
  EXPECT_GT(seen[3].durationNs, halfLongWorkNs());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
}

TEST(Replay, StreamlessRegionTakesThreadsCapture) {
  // A region without a stream takes the one that its thread captures.
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    GRAPHPROF_SCOPE(1, "somewhere", on_capture());
    longWork(stream);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(1u, seen.size());
  EXPECT_NE(Clock::Host, seen[0].clock);
  EXPECT_GT(seen[0].durationNs, halfLongWorkNs());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, DestroyedExecsReplaysArrive) {
  // Replays arrive though exec and graph are destroyed at once.
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 4); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  for (int replay = 0; replay < 20; ++replay)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  EXPECT_EQ(160u, recorder.all().size());
}

TEST(Replay, QueuedLaunchesAreRecordedOrCounted) {
  // Thousands of queued launches are recorded or counted lost.
  const Losses before = losses();
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 1); });
  const cudaGraphExec_t exec = instantiate(graph);
  constexpr std::uint64_t launches = 3000;
  for (std::uint64_t replay = 0; replay < launches; ++replay)
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::size_t recorded = recorder.all().size();
  EXPECT_EQ(2 * launches, recorded + 2 * (losses().overrun - before.overrun));
  EXPECT_GT(recorded, 0u);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, ExecsHaveOwnReplays) {
  // One graph instantiated twice has two series of replays.
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 1); });
  const cudaGraphExec_t first = instantiate(graph), second = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(first, stream));
  CUDA_OK(cuda::cudaGraphLaunch(second, stream));
  CUDA_OK(cuda::cudaGraphLaunch(first, stream));
  int ofFirst = 0, ofSecond = 0;
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(6u, seen.size());
  const std::uint64_t lower = std::min(seen.front().exec, seen.back().exec);
  for (const Seen &one : seen)
    ++(one.exec == lower ? ofFirst : ofSecond);
  EXPECT_EQ(4, ofFirst);
  EXPECT_EQ(2, ofSecond);
  CUDA_OK(cuda::cudaGraphExecDestroy(first));
  CUDA_OK(cuda::cudaGraphExecDestroy(second));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Replay, IdleLaunchRunsPlainExec) {
  // While idle, the program's own exec runs, and nothing is recorded.
  Recorder recorder;
  TestStream stream, other;
  const cudaGraph_t graph = capture(stream, [&] { layers(stream, 1); });
  const cudaGraphExec_t exec = instantiate(graph);
  stop();
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_TRUE(recorder.names().empty());
  start();
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ(2u, recorder.names().size())
      << "the switch is immediate in the stream of the last launch";
  EXPECT_EQ(2u, recorder.all().front().replay) << "unrecorded launches count";

  stop();
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  start();
  CUDA_OK(cuda::cudaGraphLaunch(exec, other));
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ(4u, recorder.names().size()) << "in another stream it is one launch late";
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with memory nodes: they can be neither cloned nor cut down, so their timing nodes stay,
// and the program's own exec writes the times.

#include <algorithm>

#include "graphprof/cuda_driver.h"
#include "support/Newer.h"
#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class InPlace : public ::testing::Test {
protected:
  void TearDown() override { EXPECT_TRUE(flush()); } // the replays of one test are no other's

  /// Two regions between an allocation and its end.
  cudaGraph_t withMemory(int number) {
    return capture(stream_, [&] {
      void *memory = nullptr;
      EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream_));
      {
        GRAPHPROF_SCOPE(1, "short {}", on_stream(stream_), number);
        shortWork(stream_);
      }
      {
        GRAPHPROF_SCOPE(2, "long {}", on_stream(stream_), number);
        longWork(stream_);
      }
      EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
    });
  }
  void launch(cudaGraphExec_t exec, int times = 1) {
    for (int i = 0; i < times; ++i)
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
  }

  TestStream stream_;
};

TEST_F(InPlace, EveryReplayIsTimed) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = withMemory(7);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 5);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(10u, seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(i % 2 ? "long 7" : "short 7", seen[i].name);
    EXPECT_EQ(i / 2, seen[i].replay);
    EXPECT_EQ(i < 2, seen[i].cold);
  }
  EXPECT_GT(seen[9].durationNs, 3 * seen[8].durationNs);
  EXPECT_GE(seen[9].beginNs, seen[8].beginNs + seen[8].durationNs);
  EXPECT_GE(seen[8].beginNs, seen[7].beginNs + seen[7].durationNs) << "replays do not overlap";
  EXPECT_EQ(before.not_instantiated, losses().not_instantiated);
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(InPlace, IdleLaunchesDisturbNothing) {
  // Idle launches leave no records, and disturb none.
  Recorder recorder;
  const cudaGraph_t graph = withMemory(1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  stop();
  launch(exec, 3);
  start();
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(8u, seen.size());
  EXPECT_EQ(1u, seen[3].replay);
  EXPECT_EQ(5u, seen[4].replay) << "launches are counted on while nothing is recorded";
  EXPECT_EQ(6u, seen[7].replay);
  EXPECT_GT(seen[5].durationNs, 3 * seen[4].durationNs);
  EXPECT_GE(seen[6].beginNs, seen[5].beginNs + seen[5].durationNs);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(InPlace, NextExecIsTimed) {
  // Another exec of the graph is timed once the first is gone.
  Recorder recorder;
  const cudaGraph_t graph = withMemory(1);
  const cudaGraphExec_t first = instantiate(graph);
  launch(first);
  CUDA_OK(cuda::cudaGraphExecDestroy(first)); // its replay may still be running
  const cudaGraphExec_t second = instantiate(graph);
  launch(second);
  CUDA_OK(cuda::cudaGraphExecDestroy(second));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u, seen.size());
  EXPECT_EQ(seen[0].graph, seen[2].graph);
  EXPECT_NE(seen[0].exec, seen[2].exec);
  EXPECT_GT(seen[3].durationNs, 3 * seen[2].durationNs);
}

// What a graph that nobody has any more still writes must not land in another's times.
TEST_F(InPlace, BuffersOutliveUnreadReplays) {
  Recorder recorder;
  stop();
  for (int i = 0; i < 20; ++i) {
    const cudaGraph_t graph = withMemory(i);
    const cudaGraphExec_t exec = instantiate(graph);
    if (i % 2 == 1)
      start();
    launch(exec, 3);
    stop();
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(60u, seen.size());
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    const std::string number = std::to_string(2 * (i / 6) + 1);
    EXPECT_EQ("short " + number, seen[i].name);
    EXPECT_GT(seen[i].durationNs, 0);
    EXPECT_GT(seen[i + 1].durationNs, 2 * seen[i].durationNs) << seen[i].name;
  }
  start();
}

// An update is the driver's to accept, and is followed. The timing nodes have to be those of the
// exec: a capture of the same shape has them.
TEST_F(InPlace, AcceptedUpdateIsFollowed) {
  Recorder recorder;
  const cudaGraph_t first = withMemory(1), second = withMemory(2);
  const cudaGraphExec_t exec = instantiate(first);
  launch(exec);
  cudaGraphExecUpdateResultInfo info{};
  const bool updated = cuda::cudaGraphExecUpdate(exec, second, &info) == cudaSuccess;
  cudaGetLastError();
  CUDA_OK(cuda::cudaGraphDestroy(second));
  launch(exec);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u, seen.size());
  EXPECT_EQ(updated ? "short 2" : "short 1", seen[2].name);
  EXPECT_GT(seen[3].durationNs, 3 * seen[2].durationNs);
  RecordProperty("updated", updated);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(first));
}

// Captures of the same fork update each other's execs. Two execs that were updated from one graph
// write to one place: neither's times can be told. CUDA lets no second exec have the nodes: what
// the first was updated from stays its own. The driver pairs nodes by the order of their edges,
// which is the same in each of these captures wherever their nodes lie.
TEST_F(InPlace, ForksUpdateEachOthersExecs) {
  const TestStream side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const auto forked = [&](int number) {
    return capture(stream_, [&] {
      void *memory = nullptr;
      EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream_));
      for (int i = 0; i < 4; ++i) {
        GRAPHPROF_SCOPE(1, "fork {}", on_stream(stream_), number);
        EXPECT_EQ(cudaSuccess, cudaEventRecord(fork, stream_));
        EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(side, fork, 0));
        shortWork(stream_);
        shortWork(side);
        EXPECT_EQ(cudaSuccess, cudaEventRecord(join, side));
        EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(stream_, join, 0));
      }
      EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
    });
  };
  Recorder recorder;
  const cudaGraph_t graph = forked(0);
  const cudaGraphExec_t exec = instantiate(graph);
  constexpr int captures = 20;
  for (int number = 1; number <= captures; ++number) {
    const cudaGraph_t other = forked(number);
    cudaGraphExecUpdateResultInfo info{};
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, other, &info));
    launch(exec);
    CUDA_OK(cuda::cudaGraphDestroy(other));
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(4u * captures, seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ("fork " + std::to_string(1 + i / 4), seen[i].name);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

TEST_F(InPlace, RefusedUpdateChangesNeitherExec) {
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t one = withMemory(1), two = withMemory(2), both = withMemory(3);
  const cudaGraphExec_t first = instantiate(one), second = instantiate(two);
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(first, both, &info));
  EXPECT_EQ(cudaErrorNotSupported, cuda::cudaGraphExecUpdate(second, both, &info));
  EXPECT_EQ(cudaErrorNotSupported, cudaGetLastError());
  launch(first, 2);
  CUDA_OK(cudaStreamSynchronize(stream_));
  launch(second, 2);
  CUDA_OK(cuda::cudaGraphDestroy(both));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(8u, seen.size());
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    EXPECT_EQ(i < 4 ? "short 3" : "short 2", seen[i].name);
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
  }
  EXPECT_EQ(before.not_mirrored, losses().not_mirrored);
  for (const cudaGraphExec_t exec : {first, second})
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  for (const cudaGraph_t graph : {one, two})
    CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// One behind the first region and in front of the second, and one that no region comes behind.
TEST_F(InPlace, AllocationMayBeSeenLate) {
  for (const bool atTheEnd : {false, true}) {
    Recorder recorder;
    void *memory = nullptr;
    const cudaGraph_t graph = capture(stream_, [&] {
      {
        GRAPHPROF_SCOPE(1, "short", on_stream(stream_));
        shortWork(stream_);
      }
      if (!atTheEnd) {
        EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream_));
        shortWork(stream_);
      }
      {
        GRAPHPROF_SCOPE(2, "long", on_stream(stream_));
        longWork(stream_);
      }
      if (atTheEnd) {
        EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream_));
      }
      EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
    });
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec, 3);
    const std::vector<Seen> seen = recorder.all();
    ASSERT_EQ(6u, seen.size());
    for (std::size_t i = 0; i < seen.size(); ++i)
      EXPECT_EQ(i % 2 ? "long" : "short", seen[i].name);
    EXPECT_GT(seen[5].durationNs, 3 * seen[4].durationNs);
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
}

TEST_F(InPlace, CaptureOfOtherCodeStaysUntouched) {
  // Code that is not instrumented began the capture, and may capture the graph once more (CUDA
  // 13.3) where nobody sees it.
  Recorder recorder;
  const Losses before = losses();
  CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  {
    GRAPHPROF_SCOPE(1, "memory", on_stream(stream_));
    void *memory = nullptr;
    CUDA_OK(cudaMallocAsync(&memory, 64, stream_));
    CUDA_OK(cudaFreeAsync(memory, stream_));
  }
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaStreamEndCapture(stream_, &graph));
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
  CUDA_OK(cudaStreamSynchronize(stream_));
  const bool untouched = newer<void()>("cuStreamBeginRecaptureToGraph");
  EXPECT_EQ(untouched, nodeCount(graph) == 2);
  EXPECT_EQ(untouched ? 0u : 1u, recorder.all().size());
  EXPECT_EQ(before.not_instantiated + (untouched ? 1 : 0), losses().not_instantiated);
  destroy({exec}, {graph});
}

// As many entries as the program has room for, and nothing in the others.
template <class Ask> std::vector<CUgraphNode_st *> listed(Ask ask, std::size_t room = 16) {
  std::size_t number = 0, count = room;
  EXPECT_EQ(0, static_cast<int>(ask(nullptr, &number)));
  std::vector<CUgraphNode_st *> nodes(room, reinterpret_cast<CUgraphNode_st *>(1));
  EXPECT_EQ(0, static_cast<int>(ask(nodes.data(), &count)));
  EXPECT_EQ(std::min(number, room), count);
  for (std::size_t i = count; i < room; ++i)
    EXPECT_EQ(nullptr, nodes[i]);
  nodes.resize(std::min(count, room));
  return nodes;
}

TEST_F(InPlace, ProgramSeesOnlyItsOwnNodes) {
  // Both APIs list the graph as the program made it: allocation, short kernel, long kernel, free.
  using Nodes = std::vector<CUgraphNode_st *>;
  const cudaGraph_t graph = withMemory(1);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  const Nodes all = listed([&](CUgraphNode_st **nodes, std::size_t *count) {
    return cudaGraphGetNodes(graph, nodes, count);
  });
  EXPECT_LT(4U, all.size()) << "nothing is hidden";
  const Nodes own = listed([&](CUgraphNode_st **nodes, std::size_t *count) {
    return cuda::cudaGraphGetNodes(graph, nodes, count);
  });
  ASSERT_EQ(4U, own.size());
  EXPECT_EQ((Nodes{own[0], own[1]}),
            listed([&](CUgraphNode_st **nodes,
                       std::size_t *count) { return cuda::cudaGraphGetNodes(graph, nodes, count); },
                   2));
  EXPECT_EQ(own, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
              return cuda::cuGraphGetNodes(graph, nodes, count);
            }));
  EXPECT_EQ(Nodes{own[0]}, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
              return cuda::cudaGraphGetRootNodes(graph, nodes, count);
            }));
  EXPECT_EQ(Nodes{own[0]}, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
              return cuda::cuGraphGetRootNodes(graph, nodes, count);
            }));
  Nodes to(16);
  const Nodes from = listed([&](CUgraphNode_st **nodes, std::size_t *count) {
    return cuda::cudaGraphGetEdges(graph, nodes, nodes ? to.data() : nullptr, nullptr, count);
  });
  to.resize(from.size());
  EXPECT_EQ((Nodes{own[0], own[1], own[2]}), from);
  EXPECT_EQ((Nodes{own[1], own[2], own[3]}), to);
  CUgraphEdgeData data[16];
  EXPECT_EQ(from, listed(
                      [&](CUgraphNode_st **nodes, std::size_t *count) {
                        return cuda::cuGraphGetEdges(graph, nodes, nodes ? to.data() : nullptr,
                                                     nodes ? data : nullptr, count);
                      },
                      3));
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Nodes before = i > 0 ? Nodes{own[i - 1]} : Nodes{};
    const Nodes behind = i + 1 < own.size() ? Nodes{own[i + 1]} : Nodes{};
    EXPECT_EQ(before, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
                return cuda::cudaGraphNodeGetDependencies(own[i], nodes, nullptr, count);
              }));
    EXPECT_EQ(before, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
                return cuda::cuGraphNodeGetDependencies(own[i], nodes, nodes ? data : nullptr,
                                                        count);
              }));
    EXPECT_EQ(behind, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
                return cuda::cudaGraphNodeGetDependentNodes(own[i], nodes, nullptr, count);
              }));
    EXPECT_EQ(behind, listed([&](CUgraphNode_st **nodes, std::size_t *count) {
                return cuda::cuGraphNodeGetDependentNodes(own[i], nodes, nodes ? data : nullptr,
                                                          count);
              }));
  }
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST_F(InPlace, PlainGraphStaysUntouched) {
  // Without regions, nothing of ours is in the graph.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    void *memory = nullptr;
    EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream_));
    EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
  });
  EXPECT_EQ(2u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  EXPECT_TRUE(recorder.all().empty());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

} // namespace
} // namespace graphprof::test

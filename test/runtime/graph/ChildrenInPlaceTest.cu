// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs that have regions, in graphs that are timed in place: what the child node holds gets
// timing nodes as well, and what the program gives that node of its exec later gets them too, so
// that CUDA takes it as it would have. In bodies of conditional nodes: ChildrenInBodiesTest.cu.

#include <gtest/gtest.h>

#include "support/ChildGraphs.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

class Held : public ::testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMallocHost(&bytes_, 4));
    clear();
  }
  void TearDown() override {
    EXPECT_TRUE(flush()); // the replays of one test are no other's
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
    EXPECT_EQ(before_.not_instantiated, losses().not_instantiated);
    EXPECT_EQ(before_.not_mirrored + notMirrored_, losses().not_mirrored);
    EXPECT_EQ(before_.incomplete + incomplete_, losses().incomplete);
    EXPECT_EQ(before_.beyond_limit, losses().beyond_limit);
    CUDA_OK(cudaFreeHost(bytes_));
  }

  void clear() {
    for (int i = 0; i < 4; ++i)
      bytes_[i] = 0;
  }
  /// Writes `value` to a byte.
  void write(cudaStream_t stream, int byte, int value) {
    EXPECT_EQ(cudaSuccess, cudaMemsetAsync(bytes_ + byte, value, 1, stream));
  }
  /// Regions "short" and "long", or so, and a byte that is set to `value`.
  cudaGraph_t child(int value, const char *first = "short", const char *second = "long") {
    return capture(stream_, [&] {
      {
        GRAPHPROF_SCOPE(1, "{}", on_stream(stream_), first);
        shortWork(stream_);
      }
      write(stream_, 0, value);
      GRAPHPROF_SCOPE(2, "{}", on_stream(stream_), second);
      longWork(stream_);
    });
  }
  /// ExplicitGraph like child(), with other regions or none.
  cudaGraph_t childWith(int value, const char *only) {
    return capture(stream_, [&] {
      const auto work = [&] {
        shortWork(stream_);
        write(stream_, 0, value);
        longWork(stream_);
      };
      if (!only)
        return work();
      GRAPHPROF_SCOPE(3, "{}", on_stream(stream_), only);
      work();
    });
  }
  /// A graph with memory nodes around `work`.
  cudaGraph_t withMemory(const std::function<void()> &work) {
    return capture(stream_, [&] {
      void *memory = nullptr;
      EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream_));
      work();
      EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream_));
    });
  }
  /// "before", the child in "around", "after".
  cudaGraph_t around(cudaGraph_t child, cudaGraphNode_t *node = nullptr) {
    return withMemory([&] {
      region("before");
      {
        GRAPHPROF_SCOPE(4, "around", on_stream(stream_));
        const cudaGraphNode_t added = addChild(stream_, child);
        if (node)
          *node = added;
      }
      region("after");
    });
  }
  void region(const char *name) {
    GRAPHPROF_SCOPE(5, "{}", on_stream(stream_), name);
    shortWork(stream_);
  }
  /// One that has finished: what it wrote can be read.
  void launch(cudaGraphExec_t exec) {
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_));
  }

  TestStream stream_;
  unsigned char *bytes_ = nullptr;
  const Losses before_ = losses();
  std::uint64_t notMirrored_ = 0, incomplete_ = 0; // expected
};

/// With the clock that can be in child graphs.
class ChildrenInPlace : public Held {
protected:
  void SetUp() override {
    Held::SetUp();
    if (withEvents())
      GTEST_SKIP() << "what a child node holds takes no events: see ChildrenInPlaceWithEvents";
  }
};
using ChildrenInPlaceWithEvents = Held;

using Lines = std::vector<std::string>;

Lines times(int count, const Lines &once) {
  Lines all;
  for (int i = 0; i < count; ++i)
    all.insert(all.end(), once.begin(), once.end());
  return all;
}

TEST_F(ChildrenInPlace, EachUseIsTimed) {
  Recorder recorder;
  const cudaGraph_t inner = child(7);
  const cudaGraph_t graph = withMemory([&] {
    region("before");
    {
      GRAPHPROF_SCOPE(4, "around", on_stream(stream_));
      addChild(stream_, inner);
    }
    region("between");
    addChild(stream_, inner);
    region("after");
  });
  const cudaGraphExec_t exec = instantiate(graph);
  for (int i = 0; i < 3; ++i)
    launch(exec);
  EXPECT_EQ(7, bytes_[0]);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(
      times(3, {"before", "around", "  short", "  long", "between", "short", "long", "after"}),
      told(seen));
  ASSERT_EQ(24u, seen.size());
  expectInOrder(seen);
  for (std::size_t i = 0; i < seen.size(); i += 8) {
    EXPECT_GE(seen[i + 1].durationNs, seen[i + 2].durationNs + seen[i + 3].durationNs);
    EXPECT_EQ(i / 8, seen[i + 6].replay);
  }
  EXPECT_EQ(3u, nodeCount(inner)) << "the child itself is left alone";
  destroy({exec}, {graph, inner});
}

TEST_F(ChildrenInPlace, GraphIsTimedForChildren) {
  // A graph without regions is timed for its children.
  Recorder recorder;
  const cudaGraph_t inner = child(7);
  const cudaGraph_t graph = withMemory([&] { addChild(stream_, inner); });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  launch(exec);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(times(2, {"short", "long"}), told(seen));
  expectInOrder(seen);
  destroy({exec}, {graph, inner});
}

TEST_F(ChildrenInPlace, ChildMayForkAndBeBuilt) {
  Recorder recorder;
  const TestStream side;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  const cudaGraph_t forked = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "fork", on_stream(stream_));
    EXPECT_EQ(cudaSuccess, cudaEventRecord(fork, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(side, fork, 0));
    {
      GRAPHPROF_SCOPE(2, "left", on_stream(stream_));
      shortWork(stream_);
    }
    {
      GRAPHPROF_SCOPE(3, "right", on_stream(side));
      longWork(side);
    }
    EXPECT_EQ(cudaSuccess, cudaEventRecord(join, side));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(stream_, join, 0));
  });
  cudaGraph_t built = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&built, 0));
  cudaKernelNodeParams kernel{};
  kernel.func = shortKernel();
  kernel.gridDim = kernel.blockDim = dim3(1);
  cudaGraphNode_t node = nullptr;
  for (int i = 0; i < 2; ++i) {
    GRAPHPROF_SCOPE(4, "built {}", on_capture(), i);
    CUDA_OK(cuda::cudaGraphAddKernelNode(&node, built, &node, i == 0 ? 0 : 1, &kernel));
  }
  const cudaGraph_t graph = withMemory([&] {
    addChild(stream_, forked);
    addChild(stream_, built);
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  launch(exec);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(times(2, {"fork", "  left", "  right", "built 0", "built 1"}), told(seen));
  ASSERT_EQ(10u, seen.size());
  EXPECT_GT(seen[7].durationNs, 3 * seen[6].durationNs);
  EXPECT_GE(seen[5].durationNs, seen[7].durationNs);
  EXPECT_GE(seen[9].beginNs, seen[8].beginNs + seen[8].durationNs);
  destroy({exec}, {graph, built, forked});
  CUDA_OK(cudaEventDestroy(fork));
  CUDA_OK(cudaEventDestroy(join));
}

TEST_F(ChildrenInPlace, ChildrenMayHoldChildren) {
  Recorder recorder;
  const cudaGraph_t innermost = child(7), other = child(9, "short 2", "long 2");
  const cudaGraph_t middle = capture(stream_, [&] {
    GRAPHPROF_SCOPE(6, "middle", on_stream(stream_));
    shortWork(stream_);
    addChild(stream_, innermost);
  });
  cudaGraphNode_t holder = nullptr;
  const cudaGraph_t graph = around(middle, &holder);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  EXPECT_EQ(7, bytes_[0]);
  const Lines once = {"before", "around", "  middle", "    short", "    long", "after"};
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(once, told(seen));
  expectInOrder(seen);

  // A node two levels down.
  cudaGraphNode_t nodes[2];
  std::size_t count = 2; // ours stand behind them
  CUDA_OK(cudaGraphGetNodes(heldBy(holder), nodes, &count));
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, nodes[1], other));
  launch(exec);
  EXPECT_EQ(9, bytes_[0]);
  const std::vector<Seen> more = recorder.all();
  EXPECT_EQ((Lines{"before", "around", "  middle", "    short 2", "    long 2", "after"}),
            told({more.begin() + 6, more.end()}));
  ASSERT_EQ(12u, more.size());
  EXPECT_GT(more[10].durationNs, 3 * more[9].durationNs);
  EXPECT_GE(more[8].durationNs, more[9].durationNs + more[10].durationNs);
  destroy({exec}, {graph, middle, other, innermost});
}

TEST_F(ChildrenInPlace, UpdateFromCaptureIsFollowed) {
  Recorder recorder;
  const cudaGraph_t inner = child(0), graph = around(inner);
  const cudaGraphExec_t exec = instantiate(graph);
  constexpr int captures = 5;
  for (int i = 1; i <= captures; ++i) {
    const std::string name = "short " + std::to_string(i);
    const cudaGraph_t next = child(i, name.c_str()), other = around(next);
    cudaGraphExecUpdateResultInfo info{};
    CUDA_OK(cuda::cudaGraphExecUpdate(exec, other, &info));
    launch(exec);
    EXPECT_EQ(i, bytes_[0]);
    destroy({}, {other, next});
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(5u * captures, seen.size());
  for (int i = 1; i <= captures; ++i) {
    const auto first = seen.begin() + 5 * (i - 1);
    EXPECT_EQ((Lines{"before", "around", "  short " + std::to_string(i), "  long", "after"}),
              told({first, first + 5}));
    EXPECT_GT(first[3].durationNs, 3 * first[2].durationNs);
  }
  destroy({exec}, {graph, inner});
}

TEST_F(ChildrenInPlace, ExchangedChildKeepsShape) {
  // An exec's child may be exchanged for one of the same shape.
  Recorder recorder;
  const cudaGraph_t inner = child(1), second = child(2, "short 2", "long 2"),
                    third = child(3, "short 3", "long 3");
  cudaGraphNode_t node = nullptr;
  const cudaGraph_t graph = around(inner, &node);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, second));
  launch(exec);
  EXPECT_EQ(2, bytes_[0]);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = third;
  CUDA_OK(cuda::cudaGraphExecNodeSetParams(exec, node, &params));
  EXPECT_EQ(third, params.graph.graph);
  destroy({}, {third, second});
  launch(exec);
  EXPECT_EQ(3, bytes_[0]);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(
      (Lines{"before", "around", "  short", "  long", "after", "before", "around", "  short 2",
             "  long 2", "after", "before", "around", "  short 3", "  long 3", "after"}),
      told(seen));
  ASSERT_EQ(15u, seen.size());
  for (const std::size_t i : {2U, 7U, 12U}) {
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
    EXPECT_GE(seen[i - 1].durationNs, seen[i].durationNs + seen[i + 1].durationNs);
  }
  destroy({exec}, {graph, inner});
}

// The node is that of the graph that the exec was made of; what it writes to is the other's.
TEST_F(ChildrenInPlace, ChildIsExchangedAfterUpdate) {
  Recorder recorder;
  const cudaGraph_t inner = child(1), second = child(2, "short 2", "long 2");
  cudaGraphNode_t node = nullptr;
  const cudaGraph_t graph = around(inner, &node), other = around(inner);
  const cudaGraphExec_t exec = instantiate(graph);
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(exec, other, &info));
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, second));
  launch(exec);
  EXPECT_EQ(2, bytes_[0]);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((Lines{"before", "around", "  short 2", "  long 2", "after"}), told(seen));
  ASSERT_EQ(5u, seen.size());
  EXPECT_GT(seen[3].durationNs, 3 * seen[2].durationNs);
  destroy({exec}, {other, graph, second, inner});
}

TEST_F(ChildrenInPlace, ChildWithoutRegionsIsTaken) {
  // A child without regions is taken, and one with others counted.
  for (const char *name : {static_cast<const char *>(nullptr), "other"}) {
    Recorder recorder;
    clear();
    const cudaGraph_t inner = child(1), other = childWith(2, name), back = child(3);
    cudaGraphNode_t node = nullptr;
    const cudaGraph_t graph = around(inner, &node);
    const cudaGraphExec_t exec = instantiate(graph);
    CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
    launch(exec);
    EXPECT_EQ(2, bytes_[0]);
    notMirrored_ += name ? 1 : 0;
    CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, back));
    ++notMirrored_; // not timed any more
    launch(exec);
    EXPECT_EQ(3, bytes_[0]);
    EXPECT_EQ(times(2, {"before", "around", "after"}), told(recorder.all()));
    destroy({exec}, {graph, back, other, inner});
  }
}

// In the graph itself, where the driver takes that.
TEST_F(ChildrenInPlace, GraphsChildMayBeExchanged) {
  Recorder recorder;
  const cudaGraph_t inner = child(1), second = child(2, "short 2", "long 2");
  cudaGraphNode_t node = nullptr, plainNode = nullptr;
  const cudaGraph_t graph = around(inner, &node);
  cudaGraph_t plain = nullptr;
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.bytesize = 1024;
  CUDA_OK(cudaGraphCreate(&plain, 0));
  CUDA_OK(cudaGraphAddMemAllocNode(&plainNode, plain, nullptr, 0, &memory));
  CUDA_OK(cudaGraphAddMemFreeNode(&plainNode, plain, &plainNode, 1, memory.dptr));
  CUDA_OK(cudaGraphAddChildGraphNode(&plainNode, plain, nullptr, 0, inner));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeGraph;
  params.graph.graph = second;
  const cudaError_t expected = cudaGraphNodeSetParams(plainNode, &params);
  EXPECT_EQ(expected, cuda::cudaGraphNodeSetParams(node, &params));
  cudaGetLastError();
  const bool accepted = expected == cudaSuccess;
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  EXPECT_EQ(accepted ? 2 : 1, bytes_[0]);
  const std::string first = accepted ? "short 2" : "short", last = accepted ? "long 2" : "long";
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((Lines{"before", "around", "  " + first, "  " + last, "after"}), told(seen));
  ASSERT_EQ(5u, seen.size());
  EXPECT_GT(seen[3].durationNs, 3 * seen[2].durationNs);

  // The exec of another capture takes it too.
  const cudaGraph_t third = child(3), other = around(third);
  const cudaGraphExec_t another = instantiate(other);
  destroy({exec}, {});
  cudaGraphExecUpdateResultInfo info{};
  CUDA_OK(cuda::cudaGraphExecUpdate(another, graph, &info));
  launch(another);
  EXPECT_EQ(accepted ? 2 : 1, bytes_[0]);
  EXPECT_EQ("  " + first, told(recorder.all())[7]);
  RecordProperty("accepted", accepted);
  destroy({another}, {other, third, plain, graph, second, inner});
}

TEST_F(ChildrenInPlace, RefusedExchangeChangesNothing) {
  Recorder recorder;
  const cudaGraph_t inner = child(1), other = capture(stream_, [&] { shortWork(stream_); });
  cudaGraphNode_t node = nullptr;
  const cudaGraph_t graph = around(inner, &node);
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_NE(cudaSuccess, cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  cudaGetLastError();
  launch(exec);
  EXPECT_EQ(1, bytes_[0]);
  EXPECT_EQ((Lines{"before", "around", "  short", "  long", "after"}), told(recorder.all()));
  destroy({exec}, {graph, other, inner});
}

// A child whose node had no regions in it gets some.
TEST_F(ChildrenInPlace, LaterRegionsAreCounted) {
  Recorder recorder;
  const cudaGraph_t inner = childWith(1, nullptr), other = child(2);
  cudaGraphNode_t node = nullptr;
  const cudaGraph_t graph = around(inner, &node);
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  launch(exec);
  EXPECT_EQ(2, bytes_[0]);
  notMirrored_ = 1;
  EXPECT_EQ((Lines{"before", "around", "after"}), told(recorder.all()));
  destroy({exec}, {graph, other, inner});
}

TEST_F(ChildrenInPlace, ChildsNodesCanBeChanged) {
  // Nodes in a child graph are the program's to change.
  Recorder recorder;
  const cudaGraph_t inner = child(1);
  cudaGraphNode_t node = nullptr, nodes[3];
  const cudaGraph_t graph = around(inner, &node);
  std::size_t count = 3;
  CUDA_OK(cudaGraphGetNodes(heldBy(node), nodes, &count));
  const cudaGraphExec_t exec = instantiate(graph);
  cudaMemsetParams params{};
  params.dst = bytes_;
  params.value = 5;
  params.elementSize = params.width = params.height = 1;
  CUDA_OK(cuda::cudaGraphExecMemsetNodeSetParams(exec, nodes[1], &params));
  launch(exec);
  EXPECT_EQ(5, bytes_[0]);
  EXPECT_EQ((Lines{"before", "around", "  short", "  long", "after"}), told(recorder.all()));
  destroy({exec}, {graph, inner});
}

TEST_F(ChildrenInPlace, DestructionOrderIsFree) {
  // What goes first does not matter.
  for (int order = 0; order < 4; ++order) {
    Recorder recorder;
    clear();
    const cudaGraph_t inner = child(1), graph = around(inner);
    if (order == 0)
      destroy({}, {inner});
    const cudaGraphExec_t exec = instantiate(graph);
    if (order == 1)
      destroy({}, {graph, inner});
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    if (order == 2)
      destroy({}, {graph});
    CUDA_OK(cuda::cudaGraphLaunch(exec, stream_));
    if (order == 3)
      destroy({exec}, {inner, graph});
    else
      destroy({exec}, {});
    CUDA_OK(cudaStreamSynchronize(stream_));
    EXPECT_EQ(1, bytes_[0]);
    if (order == 0)
      destroy({}, {graph});
    if (order == 2)
      destroy({}, {inner});
    const std::vector<Seen> seen = recorder.all();
    EXPECT_EQ(times(2, {"before", "around", "  short", "  long", "after"}), told(seen)) << order;
    expectInOrder(seen);
  }
}

TEST_F(ChildrenInPlaceWithEvents, ChildIsCountedNotTimed) {
  // Children are counted, and the rest is timed.
  if (!withEvents())
    GTEST_SKIP() << "what a child node holds takes stamps: see ChildrenInPlace";
  Recorder recorder;
  const cudaGraph_t inner = child(1), other = child(2);
  cudaGraphNode_t node = nullptr;
  const cudaGraph_t graph = around(inner, &node);
  EXPECT_EQ(3u, nodeCount(heldBy(node)));
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  incomplete_ = 2;
  CUDA_OK(cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  notMirrored_ = 1;
  launch(exec);
  EXPECT_EQ(2, bytes_[0]);
  EXPECT_EQ(times(2, {"before", "around", "after"}), told(recorder.all()));
  destroy({exec}, {graph, other, inner});
}

} // namespace
} // namespace graphprof::test

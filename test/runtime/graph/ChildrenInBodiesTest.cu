// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs that have regions, in the bodies of conditional nodes and beside them: a record an
// iteration.

#include "support/ChildGraphs.h"
#include "support/Conditionals.h"

namespace graphprof::test {
namespace {

template <class Fixture> class WithChildren : public Fixture {
protected:
  using Fixture::addCaptured;
  using Fixture::captureInto;
  using Fixture::counters_;
  using Fixture::inner_;
  using Fixture::region;
  using Fixture::stream_;

  /// What child() does, in regions or not; a counter is set to `value`.
  void childWork(unsigned value, const char *first) {
    const auto set = [&] {
      EXPECT_EQ(cudaSuccess, cudaMemsetAsync(counters_ + 3, static_cast<int>(value), 1, stream_));
    };
    if (first) {
      region(stream_, first);
      set();
      region(stream_, "long", true);
    } else {
      shortWork(stream_);
      set();
      longWork(stream_);
    }
  }
  cudaGraph_t child(unsigned value, const char *first = "short") {
    return capture(stream_, [&] { childWork(value, first); });
  }
  /// "loop" around as many "step"s as the counter says, each with the child in it, and "last"s.
  cudaGraph_t loopOf(cudaGraph_t child, cudaGraphNode_t *holder = nullptr) {
    return capture(stream_, [&] {
      GRAPHPROF_SCOPE(1, "loop", on_stream(stream_));
      const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
      captureInto(node.bodies[0], inner_, [&] {
        {
          GRAPHPROF_SCOPE(2, "step", on_stream(inner_));
          shortWork(inner_);
          const cudaGraphNode_t added = addChild(inner_, child);
          if (holder)
            *holder = added;
        }
        GRAPHPROF_SCOPE(3, "last", on_stream(inner_));
        countDown(inner_, counters_, node.handle);
      });
    });
  }
};
using ChildrenInBodies = WithChildren<Bodies>;
using ChildrenInBodiesWithEvents = WithChildren<Conditionals>;

TEST_F(ChildrenInBodies, ChildIsTimedEachIteration) {
  Recorder recorder;
  const cudaGraph_t inner = child(1), graph = loopOf(inner);
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  launch(exec, 1);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"loop", "  step 0", "    short 0", "    long 0", "  last 0",
                                      "  step 1", "    short 1", "    long 1", "  last 1", "loop",
                                      "  step 0", "    short 0", "    long 0", "  last 0"}),
            told(seen));
  ASSERT_EQ(14u, seen.size());
  for (const std::size_t i : {2U, 6U, 11U}) {
    EXPECT_GT(seen[i].durationNs, 0);
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
    EXPECT_GE(seen[i - 1].durationNs, seen[i].durationNs + seen[i + 1].durationNs);
    EXPECT_GE(seen[i + 2].beginNs, seen[i + 1].beginNs + seen[i + 1].durationNs);
  }
  EXPECT_EQ(1u, counters_[3]);
  destroy(exec, graph);
  CUDA_OK(cuda::cudaGraphDestroy(inner));
}

TEST_F(ChildrenInBodies, BodyMayHoldOnlyChild) {
  // A body may hold nothing but a child.
  Recorder recorder;
  const cudaGraph_t inner = child(1);
  cudaGraph_t built = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&built, 0));
  const Node node = add(built, built, {}, cudaGraphCondTypeIf, 1, 1);
  cudaGraphNode_t held = nullptr;
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&held, node.bodies[0], nullptr, 0, inner));
  const cudaGraph_t captured = capture(stream_, [&] {
    const Node branch = addCaptured(stream_, cudaGraphCondTypeIf, 1, 1);
    captureInto(branch.bodies[0], inner_, [&] { addChild(inner_, inner); });
  });
  std::vector<std::string> expected;
  for (const cudaGraph_t graph : {built, captured})
    for (int i = 0; i < 2; ++i) {
      const cudaGraphExec_t exec = instantiate(graph);
      launch(exec);
      CUDA_OK(cuda::cudaGraphExecDestroy(exec));
      expected.insert(expected.end(), {"short 0", "long 0"});
    }
  EXPECT_EQ(expected, told(recorder.all()));
  for (const cudaGraph_t each : {built, captured, inner})
    CUDA_OK(cuda::cudaGraphDestroy(each));
}

// Also where no region of the graph's own stands between them.
TEST_F(ChildrenInBodies, ChildrenAndBodiesKeepOrder) {
  Recorder recorder;
  const cudaGraph_t inner = child(1);
  const cudaGraph_t graph = capture(stream_, [&] {
    addChild(stream_, inner);
    const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
    captureInto(node.bodies[0], inner_, [&] {
      region(inner_, "step");
      countDown(inner_, counters_, node.handle);
    });
    addChild(stream_, inner);
    region(stream_, "after");
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(
      (std::vector<std::string>{"short", "long", "step 0", "step 1", "short", "long", "after"}),
      told(seen));
  ASSERT_EQ(7u, seen.size());
  EXPECT_GT(seen[5].durationNs, 3 * seen[4].durationNs);
  EXPECT_GE(seen[4].beginNs + raceNs, seen[3].beginNs + seen[3].durationNs);
  destroy(exec, graph);
  CUDA_OK(cuda::cudaGraphDestroy(inner));
}

TEST_F(ChildrenInBodies, UpdateReachesBodysChildren) {
  // An update is followed into the bodies' children.
  Recorder recorder;
  const cudaGraph_t inner = child(1), other = child(2, "short 2"), first = loopOf(inner),
                    second = loopOf(other);
  const cudaGraphExec_t exec = instantiate(first);
  launch(exec, 1);
  cudaGraphExecUpdateResultInfo info{};
  const bool updated = cuda::cudaGraphExecUpdate(exec, second, &info) == cudaSuccess;
  cudaGetLastError();
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(14u, seen.size());
  EXPECT_EQ(updated ? "short 2" : "short", seen[7].name);
  EXPECT_GT(seen[8].durationNs, 3 * seen[7].durationNs);
  EXPECT_EQ(updated ? 2u : 1u, counters_[3]);
  RecordProperty("updated", updated);
  destroy(exec, first);
  for (const cudaGraph_t graph : {second, other, inner})
    CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// An exchange of the bodies' children is the driver's to accept. Whatever the driver says to a
// child of an exec's body: that does not change.
TEST_F(ChildrenInBodies, ExchangeNeedsDriversConsent) {
  Recorder recorder;
  const cudaGraph_t inner = child(1), other = child(2, "short 2");
  const auto plain = [&](unsigned value) {
    return capture(stream_, [&] { childWork(value, nullptr); });
  };
  const cudaGraph_t plainInner = plain(1), plainOther = plain(2);
  cudaGraphNode_t node = nullptr, plainNode = nullptr;
  const cudaGraph_t graph = loopOf(inner, &node);
  const cudaGraph_t plainGraph = capture(stream_, [&] {
    const Node branch = addCaptured(stream_, cudaGraphCondTypeIf, 1, 1);
    captureInto(branch.bodies[0], inner_, [&] { plainNode = addChild(inner_, plainInner); });
  });
  const cudaGraphExec_t exec = instantiate(graph), plainExec = instantiate(plainGraph);
  const cudaError_t expected =
      cuda::cudaGraphExecChildGraphNodeSetParams(plainExec, plainNode, plainOther);
  cudaGetLastError();
  EXPECT_EQ(expected, cuda::cudaGraphExecChildGraphNodeSetParams(exec, node, other));
  cudaGetLastError();
  const bool accepted = expected == cudaSuccess;
  launch(exec, 2);
  EXPECT_EQ(accepted ? 2u : 1u, counters_[3]);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(9u, seen.size());
  for (const std::size_t i : {2U, 6U}) {
    EXPECT_EQ(accepted ? "short 2" : "short", seen[i].name);
    EXPECT_GT(seen[i + 1].durationNs, 3 * seen[i].durationNs);
  }
  RecordProperty("accepted", accepted);
  destroy(exec, graph);
  destroy(plainExec, plainGraph);
  for (const cudaGraph_t each : {plainOther, plainInner, other, inner})
    CUDA_OK(cuda::cudaGraphDestroy(each));
}

TEST_F(ChildrenInBodiesWithEvents, ChildIsCountedOnce) {
  if (!withEvents())
    GTEST_SKIP() << "bodies take stamps: see ChildrenInBodies";
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t inner = child(1), graph = loopOf(inner);
  cudaGraph_t built = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&built, 0));
  const Node node = add(built, built, {}, cudaGraphCondTypeIf, 1, 1);
  cudaGraphNode_t held = nullptr;
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&held, node.bodies[0], nullptr, 0, inner));
  CUDA_OK(cuda::cudaGraphAddChildGraphNode(&held, built, nullptr, 0, inner));
  for (int i = 0; i < 2; ++i)
    for (const cudaGraph_t each : {graph, built}) {
      const cudaGraphExec_t exec = instantiate(each);
      launch(exec, 1);
      CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    }
  EXPECT_EQ((std::vector<std::string>{"loop", "loop"}), told(recorder.all()));
  EXPECT_EQ(1u, nodeCount(node.bodies[0]));
  EXPECT_EQ(2u, nodeCount(built)) << "nothing to time: nothing of ours";
  EXPECT_EQ(before.incomplete + 6 + 2, losses().incomplete) << "three children, and the body's own";
  for (const cudaGraph_t each : {built, graph, inner})
    CUDA_OK(cuda::cudaGraphDestroy(each));
}

} // namespace
} // namespace graphprof::test

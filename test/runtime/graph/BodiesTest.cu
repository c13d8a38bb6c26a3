// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Regions in the bodies of conditional nodes: a record an iteration, with the replay that it
// belongs to, whatever was read, skipped or overwritten before.

#include "support/Conditionals.h"

namespace graphprof::test {
namespace {

TEST_F(Bodies, IterationGivesItsRecords) {
  // Every iteration is a record of its replay.
  Recorder recorder;
  const cudaGraph_t graph = loop();
  const cudaGraphExec_t exec = instantiate(graph);
  for (const unsigned iterations : {3U, 1U, 4U})
    launch(exec, iterations);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"before", "step 0", "step 1", "step 2", "after", "before",
                                      "step 0", "after", "before", "step 0", "step 1", "step 2",
                                      "step 3", "after"}),
            told(seen));
  ASSERT_EQ(14u, seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(i < 5 ? 0u : i < 8 ? 1u : 2u, seen[i].replay);
    EXPECT_EQ(seen[0].graph, seen[i].graph);
    EXPECT_EQ(seen[0].exec, seen[i].exec);
    EXPECT_EQ(Clock::Stamp, seen[i].clock);
    ASSERT_GT(seen[i].durationNs, 0);
    if (i > 0) // the end of "before" and the body's beginning are read at once
      EXPECT_GE(seen[i].beginNs + raceNs, seen[i - 1].beginNs + seen[i - 1].durationNs) << i;
  }
  EXPECT_GT(seen[3].durationNs, 3 * seen[4].durationNs);
  destroy(exec, graph);
}

TEST_F(Bodies, FirstRunOfBodyIsCold) {
  // A replay that runs a body for the first time is cold.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 0);
    setCounter(stream_, counters_ + 1, 0, node.handle, 0);
    captureInto(node.bodies[0], inner_, [&] {
      region(inner_, "step");
      countDown(inner_, counters_, node.handle);
    });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 5); // the default: not once
  EXPECT_TRUE(recorder.all().empty());
  destroy(exec, graph);

  const cudaGraph_t other = loop();
  const cudaGraphExec_t looping = instantiate(other);
  launch(looping, 2);
  launch(looping, 1);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(7u, seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i)
    EXPECT_EQ(i < 4, seen[i].cold) << seen[i].name << i;
  destroy(looping, other);
}

TEST_F(Bodies, LateBranchMakesReplayCold) {
  // A branch that is taken late makes its replay cold.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "around", on_stream(stream_));
    cudaStreamCaptureStatus status{};
    cudaGraph_t root = nullptr;
    EXPECT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(stream_, &status, nullptr, &root, nullptr,
                                                    nullptr, nullptr));
    const cudaGraphConditionalHandle taken = handleOf(root, 0);
    countDown(stream_, counters_, taken);
    const Node branch = addCaptured(stream_, cudaGraphCondTypeIf, 1, 0, root, taken);
    captureInto(branch.bodies[0], inner_, [&] { region(inner_, "then"); });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  for (const unsigned counter : {1U, 1U, 2U, 2U, 1U}) // taken where it is 2
    launch(exec, counter);
  std::vector<std::string> seen;
  for (const Seen &one : recorder.all())
    seen.push_back(one.name + ' ' + std::to_string(one.replay) + (one.cold ? " cold" : ""));
  EXPECT_EQ((std::vector<std::string>{"around 0 cold", "around 1", "around 2 cold", "then 2 cold",
                                      "around 3", "then 3", "around 4"}),
            seen);
  destroy(exec, graph);
}

TEST_F(Bodies, RegionsStandInOuterRegions) {
  // Regions stand inside those around the node.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    GRAPHPROF_SCOPE(1, "solve", on_stream(stream_));
    shortWork(stream_);
    {
      GRAPHPROF_SCOPE(2, "iterate", on_stream(stream_));
      const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
      captureInto(node.bodies[0], inner_, [&] {
        GRAPHPROF_SCOPE(3, "sweep", on_stream(inner_));
        region(inner_, "red");
        region(inner_, "black");
        countDown(inner_, counters_, node.handle);
      });
    }
    region(stream_, "check");
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ(
      (std::vector<std::string>{"solve", "  iterate", "    sweep 0", "      red 0", "      black 0",
                                "    sweep 1", "      red 1", "      black 1", "  check"}),
      told(seen));
  ASSERT_EQ(9u, seen.size());
  EXPECT_GE(seen[1].durationNs, seen[2].durationNs + seen[5].durationNs);
  EXPECT_GE(seen[2].beginNs, seen[1].beginNs);
  destroy(exec, graph);
}

TEST_F(Bodies, SkippedBranchGivesNoRecord) {
  // A branch that is not taken is no record and no loss.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    cudaStreamCaptureStatus status{};
    cudaGraph_t captured = nullptr;
    EXPECT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(stream_, &status, nullptr, &captured, nullptr,
                                                    nullptr, nullptr));
    const Node branch = addCaptured(stream_, cudaGraphCondTypeIf, 2, 0);
    captureInto(branch.bodies[0], inner_, [&] { region(inner_, "then"); });
    captureInto(branch.bodies[1], inner_, [&] { region(inner_, "else"); });
    const Node cases = addCaptured(stream_, cudaGraphCondTypeSwitch, 3, 2);
    for (const int i : {0, 1, 2})
      captureInto(cases.bodies[static_cast<std::size_t>(i)], inner_, [&] {
        region(inner_, i == 0 ? "zero" : i == 1 ? "one" : "two");
      });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec);
  launch(exec);
  EXPECT_EQ((std::vector<std::string>{"else 0", "two 0", "else 0", "two 0"}), told(recorder.all()));
  destroy(exec, graph);
}

TEST_F(Bodies, NestedBodyBelongsToOuterIteration) {
  // Bodies within bodies belong to the iteration around them.
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    cudaStreamCaptureStatus status{};
    cudaGraph_t root = nullptr;
    EXPECT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(stream_, &status, nullptr, &root, nullptr,
                                                    nullptr, nullptr));
    const Node outer = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
    captureInto(outer.bodies[0], inner_, [&] {
      GRAPHPROF_SCOPE(1, "outer", on_stream(inner_));
      const Node nested = addCaptured(inner_, cudaGraphCondTypeWhile, 1, 1, root);
      const TestStream innermost;
      captureInto(nested.bodies[0], innermost, [&] {
        region(innermost, "inner");
        countDown(innermost, counters_ + 1, nested.handle);
      });
      // Twice again, in the next iteration.
      setCounter(inner_, counters_ + 1, 2, nested.handle, 1);
      countDown(inner_, counters_, outer.handle);
    });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  counters_[1] = 3;
  launch(exec, 2);
  const std::vector<std::string> first = {"outer 0", "  inner 0", "  inner 1", "  inner 2",
                                          "outer 1", "  inner 0", "  inner 1"};
  EXPECT_EQ(first, told(recorder.all()));
  counters_[1] = 1;
  launch(exec, 1);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(9u, seen.size());
  EXPECT_EQ("outer", seen[7].name);
  EXPECT_EQ("inner", seen[8].name);
  EXPECT_EQ(0, seen[8].iteration);
  EXPECT_EQ(1u, seen[8].replay);
  destroy(exec, graph);
}

TEST_F(Bodies, GraphIsTimedForBodies) {
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    shortWork(stream_);
    const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
    captureInto(node.bodies[0], inner_, [&] {
      region(inner_, "step");
      countDown(inner_, counters_, node.handle);
    });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  launch(exec, 1);
  EXPECT_EQ((std::vector<std::string>{"step 0", "step 1", "step 0"}), told(recorder.all()));
  destroy(exec, graph);
}

TEST_F(Bodies, GraphsAndBodiesMayBeBuilt) {
  Recorder recorder;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cuda::cudaGraphCreate(&graph, 0));
  cudaKernelNodeParams kernel{};
  kernel.func = shortKernel();
  kernel.gridDim = kernel.blockDim = dim3(1);
  cudaGraphNode_t first = nullptr, last = nullptr;
  {
    GRAPHPROF_SCOPE(1, "before", on_capture());
    CUDA_OK(cuda::cudaGraphAddKernelNode(&first, graph, nullptr, 0, &kernel));
  }
  {
    GRAPHPROF_SCOPE(2, "loop", on_capture());
    const Node node = add(graph, graph, {first}, cudaGraphCondTypeWhile, 1, 1);
    cudaGraphNode_t step = nullptr, count = nullptr;
    {
      GRAPHPROF_SCOPE(3, "step", on_capture());
      CUDA_OK(cuda::cudaGraphAddKernelNode(&step, node.bodies[0], nullptr, 0, &kernel));
    }
    cudaGraphConditionalHandle handle = node.handle;
    void *arguments[] = {&counters_, &handle};
    cudaKernelNodeParams counting = kernel;
    counting.func = countDownKernel();
    counting.kernelParams = arguments;
    CUDA_OK(cuda::cudaGraphAddKernelNode(&count, node.bodies[0], &step, 1, &counting));
    last = node.node;
  }
  {
    GRAPHPROF_SCOPE(4, "after", on_capture());
    CUDA_OK(cuda::cudaGraphAddKernelNode(&last, graph, &last, 1, &kernel));
  }
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  launch(exec, 1);
  EXPECT_EQ((std::vector<std::string>{"before", "loop", "  step 0", "  step 1", "after", "before",
                                      "loop", "  step 0", "after"}),
            told(recorder.all()));
  destroy(exec, graph);
}

TEST_F(Bodies, BodyIsCapturedInPieces) {
  // A body may be captured in pieces, and after its graph.
  Recorder recorder;
  Node node;
  const cudaGraph_t graph = capture(stream_, [&] {
    region(stream_, "before");
    node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
  });
  captureInto(node.bodies[0], inner_, [&] { region(inner_, "one"); });
  cudaGraphNode_t nodes[8];
  std::size_t count = 8;
  CUDA_OK(cudaGraphGetNodes(node.bodies[0], nodes, &count));
  cudaGraphNode_t programs = nullptr; // ours stand in front and behind
  for (std::size_t i = 0; i < count; ++i) {
    cudaKernelNodeParams params{};
    if (cudaGraphKernelNodeGetParams(nodes[i], &params) == cudaSuccess &&
        params.func == shortKernel())
      programs = nodes[i];
  }
  cudaGetLastError();
  ASSERT_NE(nullptr, programs);
  captureInto(node.bodies[0], inner_,
              [&] {
                region(inner_, "two", true);
                countDown(inner_, counters_, node.handle);
              },
              {programs});
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"before", "one 0", "two 0", "one 1", "two 1"}), told(seen));
  ASSERT_EQ(5u, seen.size());
  EXPECT_GT(seen[4].durationNs, 3 * seen[3].durationNs);
  destroy(exec, graph);
}

TEST_F(Bodies, UnrecordedLaunchesShiftNothing) {
  Recorder recorder;
  const cudaGraph_t graph = loop();
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 2);
  stop();
  launch(exec, 7);
  launch(exec, 3);
  start();
  launch(exec, 1);
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"before", "step 0", "step 1", "after", "before", "step 0",
                                      "after"}),
            told(seen));
  EXPECT_EQ(3u, seen.back().replay);
  destroy(exec, graph);
}

TEST_F(Bodies, OverwrittenIterationsAreCounted) {
  constexpr unsigned iterations = 9'000; // more than a ring of entries this small holds
  Recorder recorder;
  const cudaGraph_t graph = capture(stream_, [&] {
    const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
    captureInto(node.bodies[0], inner_, [&] {
      GRAPHPROF_SCOPE(1, "count", on_stream(inner_));
      countDown(inner_, counters_, node.handle);
    });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, iterations);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_LT(seen.size(), iterations);
  ASSERT_GT(seen.size(), 1'000u);
  for (std::size_t i = 0; i < seen.size(); ++i)
    ASSERT_EQ(static_cast<std::int64_t>(iterations - seen.size() + i), seen[i].iteration);
  overrun_ = iterations - seen.size();
  destroy(exec, graph);
}

TEST_F(Bodies, SuccessiveExecsAreTimed) {
  Recorder recorder;
  const cudaGraph_t graph = loop();
  for (const unsigned iterations : {2U, 3U}) {
    const cudaGraphExec_t exec = instantiate(graph);
    launch(exec, iterations);
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  }
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  const std::vector<Seen> seen = recorder.all();
  EXPECT_EQ((std::vector<std::string>{"before", "step 0", "step 1", "after", "before", "step 0",
                                      "step 1", "step 2", "after"}),
            told(seen));
  EXPECT_NE(seen.front().exec, seen.back().exec);
}

// What one graph's bodies leave must not be taken for another's, which may get the same memory.
TEST_F(Bodies, GraphsComeAndGo) {
  Recorder recorder;
  std::vector<std::string> expected;
  for (unsigned i = 0; i < 12; ++i) {
    const cudaGraph_t graph = loop();
    const cudaGraphExec_t exec = instantiate(graph);
    if (i % 2 == 0)
      CUDA_OK(cuda::cudaGraphDestroy(graph));
    if (i % 3 == 1)
      stop();
    launch(exec, i + 1);
    start();
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    if (i % 2 == 1)
      CUDA_OK(cuda::cudaGraphDestroy(graph));
    if (i % 3 == 1)
      continue;
    expected.push_back("before");
    for (unsigned k = 0; k <= i; ++k)
      expected.push_back("step " + std::to_string(k));
    expected.push_back("after");
    if (i % 4 == 0)
      EXPECT_TRUE(flush());
  }
  EXPECT_EQ(expected, told(recorder.all()));
}

TEST_F(Bodies, AcceptedUpdateIsFollowed) {
  // An update is the driver's to accept, and is followed.
  Recorder recorder;
  const cudaGraph_t first = loop(), second = loop();
  const cudaGraphExec_t exec = instantiate(first);
  launch(exec, 2);
  cudaGraphExecUpdateResultInfo info{};
  const bool updated = cuda::cudaGraphExecUpdate(exec, second, &info) == cudaSuccess;
  cudaGetLastError();
  launch(exec, 3);
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(9u, seen.size());
  EXPECT_EQ(updated, seen[0].graph != seen[8].graph);
  EXPECT_EQ(2, seen[7].iteration);
  RecordProperty("updated", updated);
  destroy(exec, first);
  CUDA_OK(cuda::cudaGraphDestroy(second));
}

TEST_F(Bodies, UntimedBodyStaysUntouched) {
  // Without regions, nothing of ours stays.
  Recorder recorder;
  Node node;
  const cudaGraph_t graph = capture(stream_, [&] {
    shortWork(stream_);
    node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
    captureInto(node.bodies[0], inner_, [&] {
      shortWork(inner_);
      countDown(inner_, counters_, node.handle);
    });
  });
  const cudaGraphExec_t exec = instantiate(graph);
  EXPECT_EQ(2u, nodeCount(graph));
  EXPECT_EQ(2u, nodeCount(node.bodies[0]));
  launch(exec, 2);
  EXPECT_EQ(0u, counters_[0]);
  EXPECT_TRUE(recorder.all().empty());
  destroy(exec, graph);
}

TEST_F(Conditionals, UnusedBodysRegionsAreCounted) {
  // Regions of bodies that no exec is made of are counted.
  const Losses before = losses();
  const cudaGraph_t graph = loop();
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  EXPECT_EQ(before.incomplete + 1, losses().incomplete);
}

TEST_F(Conditionals, EventsCountUntimedBodies) {
  // With events, the bodies are counted and the rest is timed.
  if (!withEvents())
    GTEST_SKIP() << "bodies take stamps: see Bodies";
  const Losses before = losses();
  Recorder recorder;
  const cudaGraph_t graph = loop();
  const cudaGraphExec_t exec = instantiate(graph);
  launch(exec, 3);
  launch(exec, 1);
  EXPECT_EQ(0u, counters_[0]);
  EXPECT_EQ((std::vector<std::string>{"before", "after", "before", "after"}), told(recorder.all()));
  EXPECT_EQ(before.incomplete + 1, losses().incomplete);
  destroy(exec, graph);
}

TEST_F(Conditionals, GraphsCapturedForEachUpdateAreTimedOrCounted) {
  // The program captures its graph anew, with a handle of its own, updates its exec from it, and
  // may destroy it at once. Events are set in nodes of the first graph, so then nothing is timed.
  for (const bool isKept : {true, false}) {
    const Losses before = losses();
    Recorder recorder;
    std::vector<std::string> expected;
    std::vector<cudaGraph_t> graphs;
    cudaGraphExec_t exec = nullptr;
    constexpr std::uint64_t rounds = 4;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      graphs.push_back(loop());
      cudaGraphExecUpdateResultInfo info{};
      if (!exec)
        exec = instantiate(graphs.back());
      else
        CUDA_OK(cuda::cudaGraphExecUpdate(exec, graphs.back(), &info));
      if (!isKept) {
        CUDA_OK(cuda::cudaGraphDestroy(graphs.back()));
        graphs.pop_back();
      }
      launch(exec, 2);
      EXPECT_EQ(0u, counters_[0]);
      for (const char *const name : {"before", "step 0", "step 1", "after"})
        if (!withEvents() || (isKept && name[0] != 's'))
          expected.emplace_back(name);
    }
    EXPECT_EQ(expected, told(recorder.all())) << isKept;
    const Losses after = losses();
    EXPECT_EQ(before.incomplete + (withEvents() ? rounds : 0), after.incomplete);
    EXPECT_EQ(before.not_instantiated + (withEvents() ? rounds : 0), after.not_instantiated);
    EXPECT_EQ(before.not_launched + (withEvents() && !isKept ? rounds : 0), after.not_launched);
    EXPECT_EQ(before.not_mirrored, after.not_mirrored);
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    for (const cudaGraph_t graph : graphs)
      CUDA_OK(cuda::cudaGraphDestroy(graph));
  }
}

} // namespace
} // namespace graphprof::test

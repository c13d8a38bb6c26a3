// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Conditional nodes and their bodies, for tests of timing inside them.

#ifndef GRAPHPROF_TEST_CONDITIONALS_H
#define GRAPHPROF_TEST_CONDITIONALS_H

#include <gtest/gtest.h>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {

/// A conditional node, added to a graph.
struct Node {
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t node = nullptr;
  std::vector<cudaGraph_t> bodies;
};

class Conditionals : public ::testing::Test {
protected:
  void SetUp() override {
    CUDA_OK(cudaMallocHost(&counters_, 4 * sizeof *counters_));
    for (int i = 0; i < 4; ++i)
      counters_[i] = 0;
  }
  void TearDown() override {
    EXPECT_TRUE(flush()); // so that no replays are left for the next test
    EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
    CUDA_OK(cudaFreeHost(counters_));
  }

  static cudaGraphConditionalHandle handleOf(cudaGraph_t root, unsigned defaultValue) {
    cudaGraphConditionalHandle handle = 0;
    EXPECT_EQ(cudaSuccess, cudaGraphConditionalHandleCreate(&handle, root, defaultValue,
                                                            cudaGraphCondAssignDefault));
    return handle;
  }
  /// Makes a handle unless there is one.
  static Node add(cudaGraph_t graph, cudaGraph_t root, std::vector<cudaGraphNode_t> behind,
                  cudaGraphConditionalNodeType type, unsigned size, unsigned defaultValue,
                  cudaGraphConditionalHandle handle = 0) {
    Node made;
    made.handle = handle ? handle : handleOf(root, defaultValue);
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = made.handle;
    params.conditional.type = type;
    params.conditional.size = size;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphAddNode(&made.node, graph, behind.data(), nullptr,
                                                  behind.size(), &params));
    made.bodies.assign(params.conditional.phGraph_out, params.conditional.phGraph_out + size);
    return made;
  }
  /// Adds a conditional node at the current point of the stream's capture.
  static Node addCaptured(cudaStream_t stream, cudaGraphConditionalNodeType type, unsigned size,
                          unsigned defaultValue, cudaGraph_t root = nullptr,
                          cudaGraphConditionalHandle handle = 0) {
    cudaStreamCaptureStatus status{};
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t *frontier = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &frontier,
                                                    nullptr, &count));
    Node made = add(graph, root ? root : graph, {frontier, frontier + count}, type, size,
                    defaultValue, handle);
    EXPECT_EQ(cudaSuccess, cudaStreamUpdateCaptureDependencies(stream, &made.node, nullptr, 1,
                                                               cudaStreamSetCaptureDependencies));
    return made;
  }
  void captureInto(cudaGraph_t body, cudaStream_t stream, const std::function<void()> &work,
                   std::vector<cudaGraphNode_t> behind = {}) {
    EXPECT_EQ(cudaSuccess,
              cuda::cudaStreamBeginCaptureToGraph(stream, body, behind.data(), nullptr,
                                                  behind.size(), cudaStreamCaptureModeGlobal));
    work();
    cudaGraph_t same = nullptr;
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(stream, &same));
    EXPECT_EQ(body, same);
  }
  void region(cudaStream_t stream, const char *name, bool isLong = false) {
    GRAPHPROF_SCOPE(1, "{}", on_stream(stream), name);
    isLong ? longWork(stream) : shortWork(stream);
  }
  /// A graph of "before", a loop of "step" that the counter controls, and "after".
  cudaGraph_t loop() {
    return capture(stream_, [&] {
      region(stream_, "before");
      const Node node = addCaptured(stream_, cudaGraphCondTypeWhile, 1, 1);
      captureInto(node.bodies[0], inner_, [&] {
        region(inner_, "step", true);
        countDown(inner_, counters_, node.handle);
      });
      region(stream_, "after");
    });
  }
  void launch(cudaGraphExec_t exec, unsigned iterations = 0) {
    counters_[0] = iterations;
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream_));
    EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream_)); // all replays share the counter
  }
  static void destroy(cudaGraphExec_t exec, cudaGraph_t graph) {
    CUDA_OK(cuda::cudaGraphExecDestroy(exec));
    CUDA_OK(cuda::cudaGraphDestroy(graph));
  }

  TestStream stream_, inner_;
  unsigned *counters_ = nullptr;
};

/// Tests that need a clock that works in bodies.
class Bodies : public Conditionals {
protected:
  void SetUp() override {
    Conditionals::SetUp();
    if (withEvents())
      GTEST_SKIP() << "bodies take no events: see BodiesWithEvents";
  }
  void TearDown() override {
    if (!withEvents()) {
      EXPECT_EQ(before_.overrun + overrun_, losses().overrun);
      EXPECT_EQ(before_.incomplete, losses().incomplete);
      EXPECT_EQ(before_.not_instantiated, losses().not_instantiated);
      EXPECT_EQ(before_.not_mirrored, losses().not_mirrored);
    }
    Conditionals::TearDown();
  }
  const Losses before_ = losses();
  std::uint64_t overrun_ = 0; // expected
};

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_CONDITIONALS_H

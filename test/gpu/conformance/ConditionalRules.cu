// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Conditional nodes: what is allowed with a graph that has one, and what runs in its bodies.

#include "Conformance.h"

namespace conformance {

// Counts down, and runs the body again unless the counter is 0. SpinSim.cpp simulates it.
__global__ void countDown(unsigned *counter, cudaGraphConditionalHandle handle) {
  *counter -= 1;
  cudaGraphSetConditional(handle, *counter);
}
__global__ void countUp(unsigned *counter) { *counter += 1; }

namespace {

struct ConditionalRules : Conformance {
  Stream stream;
  Graph graph;
  unsigned *counters = nullptr; // pinned: [0] counts down, [1] up

  void SetUp() override {
    Conformance::SetUp();
    OK(cudaMallocHost(&counters, 2 * sizeof *counters));
    counters[0] = counters[1] = 0;
  }
  void TearDown() override {
    Conformance::TearDown();
    cudaFreeHost(counters);
  }

  // A graph with one conditional node, whose bodies are empty.
  void makeConditional(cudaGraphConditionalNodeType type, unsigned size, unsigned defaultValue) {
    OK(cudaGraphCreate(&graph, 0));
    addConditional(graph, type, size, defaultValue);
  }
  void addConditional(cudaGraph_t to, cudaGraphConditionalNodeType type, unsigned size,
                      unsigned defaultValue) {
    OK(cudaGraphConditionalHandleCreate(&handle, graph, defaultValue, cudaGraphCondAssignDefault));
    params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    OK(cudaGraphAddNode(&node, to, nullptr, nullptr, 0, &params));
    ASSERT_NE(nullptr, params.conditional.phGraph_out);
  }
  cudaGraph_t body(unsigned i = 0) const { return params.conditional.phGraph_out[i]; }

  void captureInto(cudaGraph_t target, auto work) {
    OK(cudaStreamBeginCaptureToGraph(stream, target, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeRelaxed));
    work();
    cudaGraph_t same = nullptr;
    OK(cudaStreamEndCapture(stream, &same));
    EXPECT_EQ(target, same);
  }
  void counting(cudaGraph_t target) {
    captureInto(target, [&] {
      countUp<<<1, 1, 0, stream>>>(counters + 1);
      countDown<<<1, 1, 0, stream>>>(counters, handle);
    });
  }
  void launch(cudaGraphExec_t exec) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
  }

  cudaGraphConditionalHandle handle = 0;
  cudaGraphNodeParams params{};
  cudaGraphNode_t node = nullptr;
};

TEST_F(ConditionalRules, WhileBodyRunsUntilToldOtherwise) {
  makeConditional(cudaGraphCondTypeWhile, 1, 1);
  counting(body());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (const unsigned times : {3U, 1U, 5U}) {
    counters[0] = times;
    counters[1] = 0;
    launch(exec);
    EXPECT_EQ(times, counters[1]);
  }
}

TEST_F(ConditionalRules, LaunchResetsDefaultValue) {
  // The default value is given at each launch.
  makeConditional(cudaGraphCondTypeWhile, 1, 0);
  counting(body());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  counters[0] = 3;
  launch(exec);
  EXPECT_EQ(0u, counters[1]);
}

TEST_F(ConditionalRules, OneBranchRuns) {
  NEEDS_CUDA(12, 8);
  // One branch of an if or a switch runs.
  for (const unsigned value : {0U, 1U}) {
    counters[0] = counters[1] = 0;
    OK(cudaGraphCreate(&graph, 0));
    addConditional(graph, cudaGraphCondTypeIf, 2, value);
    captureInto(body(0), [&] { countUp<<<1, 1, 0, stream>>>(counters); });
    captureInto(body(1), [&] { countUp<<<1, 1, 0, stream>>>(counters + 1); });
    Exec exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    EXPECT_EQ(value, counters[0]);
    EXPECT_EQ(1 - value, counters[1]);
    OK(cudaGraphExecDestroy(exec.release()));
    OK(cudaGraphDestroy(graph.release()));
  }
  for (const unsigned value : {0U, 1U, 2U}) {
    counters[0] = counters[1] = 0;
    makeConditional(cudaGraphCondTypeSwitch, 2, value);
    captureInto(body(0), [&] { countUp<<<1, 1, 0, stream>>>(counters); });
    captureInto(body(1), [&] { countUp<<<1, 1, 0, stream>>>(counters + 1); });
    Exec exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    launch(exec);
    EXPECT_EQ(value == 0 ? 1u : 0u, counters[0]);
    EXPECT_EQ(value == 1 ? 1u : 0u, counters[1]);
    OK(cudaGraphExecDestroy(exec.release()));
    OK(cudaGraphDestroy(graph.release()));
  }
}

TEST_F(ConditionalRules, BodyMayHoldConditionalNodes) {
  makeConditional(cudaGraphCondTypeIf, 1, 1);
  addConditional(body(), cudaGraphCondTypeWhile, 1, 1);
  counting(body());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  counters[0] = 4;
  launch(exec);
  EXPECT_EQ(4u, counters[1]);
}

// A graph that holds a conditional node is not copied, nor is a body. So graphprof times these
// graphs in place.
TEST_F(ConditionalRules, ConditionalGraphIsNotCopied) {
  makeConditional(cudaGraphCondTypeIf, 1, 1);
  captureInto(body(), [&] { countUp<<<1, 1, 0, stream>>>(counters); });
  Graph clone, parent;
  EXPECT_NE(cudaSuccess, cudaGraphClone(&clone, graph));
  EXPECT_CUDA(cudaErrorNotSupported, cudaGraphClone(&clone, body()));
  cudaGetLastError();
  OK(cudaGraphCreate(&parent, 0));
  cudaGraphNode_t child = nullptr;
  EXPECT_NE(cudaSuccess, cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
  cudaGetLastError();
}

TEST_F(ConditionalRules, BodyTakesNoEvents) {
  makeConditional(cudaGraphCondTypeIf, 1, 1);
  Event event;
  cudaGraphNode_t record = nullptr;
  const bool added = cudaGraphAddEventRecordNode(&record, body(), nullptr, 0, event) == cudaSuccess;
  cudaGetLastError();
  Exec exec;
  if (added)
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
  cudaGetLastError();
}

// A body takes kernel nodes of the driver's, and gives them back. graphprof adds timing nodes to a
// body while it is captured, and removes others.
TEST_F(ConditionalRules, BodyTakesDriverKernelNodes) {
  makeConditional(cudaGraphCondTypeWhile, 1, 1);
  cudaFunction_t function = nullptr;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<void *>(spin)));
  unsigned long long ns = kShortNs;
  void *arguments[1] = {&ns};
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = function;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  CUgraphNode first = nullptr, second = nullptr, behind = nullptr;
  const auto addKernelNode = DRIVER(cuGraphAddKernelNode);
  captureInto(body(), [&] {
    ASSERT_EQ(CUDA_SUCCESS, addKernelNode(&first, body(), nullptr, 0, &kernel));
    ASSERT_EQ(CUDA_SUCCESS, addKernelNode(&second, body(), &first, 1, &kernel));
    countUp<<<1, 1, 0, stream>>>(counters + 1);
    countDown<<<1, 1, 0, stream>>>(counters, handle);
  });
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphKernelNodeSetParams)(first, &kernel));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphDestroyNode)(second));
  EXPECT_EQ(3u, nodesOf(body()).size());
  EXPECT_EQ(CUDA_SUCCESS, addKernelNode(&behind, graph, &node, 1, &kernel));
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  counters[0] = 2;
  launch(exec);
  EXPECT_EQ(2u, counters[1]);
}

TEST_F(ConditionalRules, BodyMayBeCapturedInPieces) {
  makeConditional(cudaGraphCondTypeWhile, 1, 1);
  captureInto(body(), [&] { countUp<<<1, 1, 0, stream>>>(counters + 1); });
  const cudaGraphNode_t last = nodesOf(body()).back();
  OK(cudaStreamBeginCaptureToGraph(stream, body(), &last, nullptr, 1,
                                   cudaStreamCaptureModeRelaxed));
  countDown<<<1, 1, 0, stream>>>(counters, handle);
  cudaGraph_t same = nullptr;
  OK(cudaStreamEndCapture(stream, &same));
  EXPECT_EQ(2u, nodesOf(body()).size());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  counters[0] = 3;
  launch(exec);
  EXPECT_EQ(3u, counters[1]);
}

TEST_F(ConditionalRules, CaptureTakesConditionalNode) {
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  countUp<<<1, 1, 0, stream>>>(counters + 1);
  cudaStreamCaptureStatus status{};
  cudaGraph_t captured = nullptr;
  const cudaGraphNode_t *frontier = nullptr;
  std::size_t count = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, &frontier, nullptr, &count));
  OK(cudaGraphConditionalHandleCreate(&handle, captured, 1, cudaGraphCondAssignDefault));
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  OK(cudaGraphAddNode(&node, captured, frontier, nullptr, count, &params));
  OK(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                         cudaStreamSetCaptureDependencies));
  {
    Stream inner;
    OK(cudaStreamBeginCaptureToGraph(inner, body(), nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
    countUp<<<1, 1, 0, inner>>>(counters + 1);
    countDown<<<1, 1, 0, inner>>>(counters, handle);
    cudaGraph_t same = nullptr;
    OK(cudaStreamEndCapture(inner, &same));
  }
  countUp<<<1, 1, 0, stream>>>(counters + 1);
  OK(cudaStreamEndCapture(stream, &graph));
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  counters[0] = 3;
  launch(exec);
  EXPECT_EQ(5u, counters[1]);
}

} // namespace
} // namespace conformance

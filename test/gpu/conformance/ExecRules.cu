// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Execs: launches, and the node handles that they accept.

#include "Conformance.h"

namespace conformance {
namespace {

struct ExecRules : Conformance {
  Stream stream;
  Graph graph, clone;
  Exec exec;
  unsigned long long ns = kShortNs;
  void *arguments[1];
  float ms = -1;
};

TEST_F(ExecRules, ExecsLaunchesSerialise) {
  Stream other;
  Event start, end;
  captureChain(stream, &graph, 1, 5'000'000);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventRecord(start, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, other));
  OK(cudaEventRecord(end, other));
  OK(cudaDeviceSynchronize());
  OK(cudaEventElapsedTime(&ms, start, end));
  EXPECT_GT(ms, 9.0f);
}

TEST_F(ExecRules, ExecsLaunchesOverlap) {
  // Launches of two execs overlap.
  Stream other;
  Event start, end;
  Exec second;
  captureChain(stream, &graph, 1, 5'000'000);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphInstantiate(&second, graph, 0));
  for (int warm = 0; warm < 2; ++warm) {
    OK(cudaEventRecord(start, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphLaunch(second, other));
    OK(cudaEventRecord(end, other));
    OK(cudaDeviceSynchronize());
  }
  OK(cudaEventElapsedTime(&ms, start, end));
  EXPECT_LT(ms, 9.0f);
}

// An exec is made, launched and destroyed while the device is busy, and nobody waits. graphprof
// makes one where the program launches another.
TEST_F(ExecRules, BusyDeviceDelaysNoExec) {
  Stream busy;
  captureChain(stream, &graph, 100, 1'000);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaDeviceSynchronize());
  spinOn(busy, kLongNs);
  Exec second;
  OK(cudaGraphInstantiate(&second, graph, 0));
  EXPECT_CUDA(cudaErrorNotReady, cudaStreamQuery(busy));
  OK(cudaGraphLaunch(second, stream));
  EXPECT_CUDA(cudaErrorNotReady, cudaStreamQuery(busy));
  OK(cudaGraphExecDestroy(second.release()));
  EXPECT_CUDA(cudaErrorNotReady, cudaStreamQuery(busy));
  OK(cudaDeviceSynchronize());
}

TEST_F(ExecRules, DestroyedExecRunsToEnd) {
  // An exec that is destroyed while it runs runs to its end, and nobody waits.
  Event end;
  captureChain(stream, &graph, 1, kLongNs);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaEventRecord(end, stream));
  OK(cudaGraphExecDestroy(exec.release()));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventQuery(end));
  OK(cudaStreamSynchronize(stream));
}

TEST_F(ExecRules, BranchesOverlapChainsDoNot) {
  cudaGraphNode_t node = nullptr;
  ns = 5'000'000;
  auto params = spinParams(&ns, arguments);
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  launchMs(exec, stream);
  EXPECT_LT(launchMs(exec, stream), 9.0f);
  Graph chain;
  captureChain(stream, &chain, 2, 5'000'000);
  OK(cudaGraphExecDestroy(exec.release()));
  OK(cudaGraphInstantiate(&exec, chain, 0));
  EXPECT_GT(launchMs(exec, stream), 9.0f);
}

TEST_F(ExecRules, ExecOutlivesItsGraph) {
  // An exec outlives its graph, and does not see its edits.
  captureChain(stream, &graph, 2, 5'000'000);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroyNode(nodesOf(graph)[1]));
  launchMs(exec, stream);
  EXPECT_GT(launchMs(exec, stream), 9.0f);
  OK(cudaGraphDestroy(graph.release()));
  EXPECT_GT(launchMs(exec, stream), 9.0f);
}

TEST_F(ExecRules, ExecKnowsOwnGraphsNodes) {
  // An exec knows the nodes of its own graph only.
  captureChain(stream, &graph, 1, 5'000'000);
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphInstantiate(&exec, clone, 0));
  cudaGraphNode_t original = nodesOf(graph)[0], cloned = nullptr;
  OK(cudaGraphNodeFindInClone(&cloned, original, clone));
  ns = 10;
  auto params = spinParams(&ns, arguments);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, original, &params));
  EXPECT_CUDA(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, cloned, &params));
  launchMs(exec, stream);
  EXPECT_LT(launchMs(exec, stream), 4.0f);
}

TEST_F(ExecRules, KernelNodesCanBeDisabled) {
  captureChain(stream, &graph, 2, 5'000'000);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  auto nodes = nodesOf(graph);
  unsigned enabled = 99;
  OK(cudaGraphNodeSetEnabled(exec, nodes[1], 0));
  OK(cudaGraphNodeGetEnabled(exec, nodes[1], &enabled));
  EXPECT_EQ(0u, enabled);
  launchMs(exec, stream);
  EXPECT_LT(launchMs(exec, stream), 9.0f);
  OK(cudaGraphNodeSetEnabled(exec, nodes[1], 1));
  EXPECT_GT(launchMs(exec, stream), 9.0f);
}

TEST_F(ExecRules, EventNodesCannotBeDisabled) {
  Event event;
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, node, 0));
}

TEST_F(ExecRules, NewEventAffectsFutureLaunches) {
  // Another event for a node affects future launches only.
  Event start, first, second;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  spinOn(stream, 2'000'000);
  OK(cudaEventRecordWithFlags(first, stream, cudaEventRecordExternal));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventRecord(start, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphExecEventRecordNodeSetEvent(exec, nodesOf(graph)[1], second));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  float firstMs = 0, secondMs = 0;
  OK(cudaEventElapsedTime(&firstMs, start, first));
  OK(cudaEventElapsedTime(&secondMs, start, second));
  EXPECT_LT(firstMs, 3.5f);
  EXPECT_GT(secondMs, 3.5f);
}

TEST_F(ExecRules, StreamWaitsForSideChains) {
  // Work after a launch waits for the whole graph, side chains included.

  // A leaf that takes longer than the rest. The stream waits for it, too.
  cudaGraphNode_t node = nullptr;
  unsigned long long shortNs = 1'000, longNs = 5'000'000;
  OK(cudaGraphCreate(&graph, 0));
  auto quick = spinParams(&shortNs, arguments);
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &quick));
  auto slow = spinParams(&longNs, arguments);
  OK(cudaGraphAddKernelNode(&node, graph, &node, 1, &slow));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  launchMs(exec, stream);
  EXPECT_GT(launchMs(exec, stream), 4.0f);
}

TEST_F(ExecRules, MemoryNodesRunInOrder) {
  // Memory is copied and set, and host functions run, in order.
  static int seen;
  static int *source;
  int *device = nullptr, *host = nullptr;
  OK(cudaMalloc(&device, sizeof(int)));
  OK(cudaMallocHost(&host, sizeof(int)));
  source = host;
  *host = 0;
  cudaGraphNode_t set = nullptr, copy = nullptr, call = nullptr;
  cudaMemsetParams fill{};
  fill.dst = device;
  fill.value = 7;
  fill.elementSize = sizeof(int);
  fill.width = 1;
  fill.height = 1;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &set, 1, host, device, sizeof(int),
                              cudaMemcpyDeviceToHost));
  cudaHostNodeParams function{[](void *) { seen = *source; }, nullptr};
  OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &function));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(7, seen);
  fill.value = 9;
  OK(cudaGraphExecMemsetNodeSetParams(exec, set, &fill));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(9, seen);
  OK(cudaFree(device));
  OK(cudaFreeHost(host));
}

TEST_F(ExecRules, HostFunctionMayNotCallCuda) {
  static cudaError_t inside;
  inside = cudaSuccess;
  OK(cudaLaunchHostFunc(
      stream,
      [](void *) {
        void *memory = nullptr;
        inside = cudaMalloc(&memory, 16);
      },
      nullptr));
  OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaErrorNotPermitted, inside);
}

TEST_F(ExecRules, ChildIsReachedThroughEmbeddedNode) {
  // An exec of a child node is reached through the embedded node.
  Graph inner;
  captureChain(stream, &inner, 1, 5'000'000);
  cudaGraphNode_t child = nullptr;
  cudaGraph_t embedded = nullptr;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  OK(cudaGraphChildGraphNodeGetGraph(child, &embedded));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  ns = 10;
  auto params = spinParams(&ns, arguments);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphExecKernelNodeSetParams(exec, nodesOf(inner)[0], &params));
  EXPECT_CUDA(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, nodesOf(embedded)[0], &params));
  launchMs(exec, stream);
  EXPECT_LT(launchMs(exec, stream), 4.0f);
}

} // namespace
} // namespace conformance

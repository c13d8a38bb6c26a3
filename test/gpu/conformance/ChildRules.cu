// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child nodes: what graphprof does to their graphs. GraphRules and ExecRules cover finding nodes in
// them.

#include "Conformance.h"

namespace conformance {
namespace {

struct ChildRules : Conformance {
  Stream stream;
  Graph inner, graph;

  // `graph` is a chain of two spins, `before` and `after`, around a child node with a copy of
  // `inner`.
  void makeChild() {
    OK(cudaGraphCreate(&graph, 0));
    void *arguments[1];
    const cudaKernelNodeParams params = spinParams(&ns, arguments);
    OK(cudaGraphAddKernelNode(&before, graph, nullptr, 0, &params));
    OK(cudaGraphAddChildGraphNode(&child, graph, &before, 1, inner));
    OK(cudaGraphAddKernelNode(&after, graph, &child, 1, &params));
  }
  static void addMemory(cudaGraph_t to) {
    cudaMemAllocNodeParams memory{};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    memory.bytesize = 1024;
    cudaGraphNode_t alloc = nullptr, free = nullptr;
    OK(cudaGraphAddMemAllocNode(&alloc, to, nullptr, 0, &memory));
    OK(cudaGraphAddMemFreeNode(&free, to, &alloc, 1, memory.dptr));
  }
  void launch(cudaGraphExec_t exec) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
  }

  unsigned long long ns = kShortNs;
  cudaGraphNode_t before = nullptr, child = nullptr, after = nullptr;
};

// A clone's exec may be made while a graph that holds a copy as its child goes. The driver crashes
// where the graph itself is instantiated meanwhile. graphprof instantiates its own clones, at
// whatever launch.
TEST_F(ChildRules, InstantiatesCloneBesideDestroyedParents) {
  constexpr int count = 300;
  captureChain(stream, &inner, 8);
  std::vector<cudaGraph_t> clones(count), around(2 * count);
  for (int i = 0; i < count; ++i) {
    OK(cudaGraphClone(&clones[i], inner));
    cudaGraph_t held = nullptr; // another clone, as the profiled graph around it holds one
    OK(cudaGraphClone(&held, inner));
    for (const cudaGraph_t each : {inner.operator cudaGraph_t(), held}) {
      cudaGraph_t &graphAround = around[2 * i + (each == held ? 1 : 0)];
      OK(cudaGraphCreate(&graphAround, 0));
      OK(cudaGraphAddChildGraphNode(&child, graphAround, nullptr, 0, each));
    }
    OK(cudaGraphDestroy(held));
  }
  std::thread makes([&] {
    for (const cudaGraph_t clone : clones) {
      Exec exec;
      OK(cudaGraphInstantiate(&exec, clone, 0));
    }
  });
  for (const cudaGraph_t each : around)
    EXPECT_CUDA(cudaSuccess, cudaGraphDestroy(each));
  makes.join();
  for (const cudaGraph_t clone : clones)
    OK(cudaGraphDestroy(clone));
}

TEST_F(ChildRules, ChildNodeReplacesAnother) {
  // One child node can take another's place.
  captureChain(stream, &inner, 1);
  makeChild();
  Graph other, clone;
  captureChain(stream, &other, 3);
  OK(cudaGraphClone(&clone, graph));
  cudaGraphNode_t inClone = nullptr, from = nullptr, to = nullptr, made = nullptr;
  OK(cudaGraphNodeFindInClone(&inClone, child, clone));
  OK(cudaGraphNodeFindInClone(&from, before, clone));
  OK(cudaGraphNodeFindInClone(&to, after, clone));
  OK(cudaGraphAddChildGraphNode(&made, clone, &from, 1, other));
  OK(cudaGraphAddDependencies(clone, &made, &to, nullptr, 1));
  OK(cudaGraphDestroyNode(inClone));
  EXPECT_EQ(3u, nodesOf(clone).size());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, clone, 0));
  launch(exec);
}

TEST_F(ChildRules, HeldGraphCanBeChanged) {
  captureChain(stream, &inner, 3);
  makeChild();
  cudaGraph_t held = nullptr;
  cudaGraphNode_t middle = nullptr, last = nullptr;
  OK(cudaGraphChildGraphNodeGetGraph(child, &held));
  OK(cudaGraphNodeFindInClone(&middle, nodesOf(inner)[1], held));
  OK(cudaGraphNodeFindInClone(&last, nodesOf(inner)[2], held));
  unsigned long long longer = 3 * kShortNs;
  void *arguments[1];
  const cudaKernelNodeParams params = spinParams(&longer, arguments);
  OK(cudaGraphKernelNodeSetParams(middle, &params));
  OK(cudaGraphDestroyNode(last));
  EXPECT_EQ(2u, nodesOf(held).size());
  EXPECT_EQ(3u, nodesOf(inner).size());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  launch(exec);
}

TEST_F(ChildRules, ExecSetsEventsInsideChild) {
  // An exec's events are set inside of a child graph too.
  Event made, first, second;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  spinOn(stream);
  OK(cudaEventRecordWithFlags(made, stream, cudaEventRecordExternal));
  OK(cudaStreamEndCapture(stream, &inner));
  makeChild();
  cudaGraph_t held = nullptr;
  OK(cudaGraphChildGraphNodeGetGraph(child, &held));
  cudaGraphNode_t record = nullptr;
  for (const cudaGraphNode_t node : nodesOf(held))
    if (typeOf(node) == cudaGraphNodeTypeEventRecord)
      record = node;
  ASSERT_NE(nullptr, record);
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (const cudaEvent_t event : {cudaEvent_t(first), cudaEvent_t(second)}) {
    OK(cudaGraphExecEventRecordNodeSetEvent(exec, record, event));
    launch(exec);
  }
  float ms = 0;
  OK(cudaEventElapsedTime(&ms, first, second));
  EXPECT_GT(ms, 0);
}

TEST_F(ChildRules, ExecChildNeedsSameShape) {
  // An exec's child can be exchanged for one of the same shape only.
  captureChain(stream, &inner, 2);
  makeChild();
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  Graph same, other;
  captureChain(stream, &same, 2, 2 * kShortNs);
  captureChain(stream, &other, 3);
  OK(cudaGraphExecChildGraphNodeSetParams(exec, child, same));
  OK(cudaGraphDestroy(same.release()));
  launch(exec);
  EXPECT_NE(cudaSuccess, cudaGraphExecChildGraphNodeSetParams(exec, child, other));
  cudaGetLastError();
  launch(exec);
}

// Also if the graph around it cannot be cloned.
TEST_F(ChildRules, HeldGraphTakesNodes) {
  for (const bool withMemory : {false, true}) {
    Graph chain, outer;
    captureChain(stream, &chain, 2);
    OK(cudaGraphCreate(&outer, 0));
    if (withMemory)
      addMemory(outer);
    cudaGraphNode_t holder = nullptr;
    OK(cudaGraphAddChildGraphNode(&holder, outer, nullptr, 0, chain));
    void *arguments[1];
    const cudaKernelNodeParams params = spinParams(&ns, arguments);
    const auto grow = [&](cudaGraph_t held) { // a first node and a leaf
      const auto nodes = nodesOf(held);
      cudaGraphNode_t first = nullptr, leaf = nullptr;
      OK(cudaGraphAddKernelNode(&first, held, nullptr, 0, &params));
      OK(cudaGraphAddKernelNode(&leaf, held, &nodes[1], 1, &params));
      OK(cudaGraphAddDependencies(held, &first, &nodes[0], nullptr, 1));
      OK(cudaGraphKernelNodeSetParams(leaf, &params));
      EXPECT_EQ(4u, nodesOf(held).size());
    };
    cudaGraph_t held = nullptr;
    OK(cudaGraphChildGraphNodeGetGraph(holder, &held));
    grow(held);
    Exec made;
    OK(cudaGraphInstantiate(&made, outer, 0));
    launch(made);
    Graph same;
    captureChain(stream, &same, 2, 2 * kShortNs);
    EXPECT_NE(cudaSuccess, cudaGraphExecChildGraphNodeSetParams(made, holder, same));
    cudaGetLastError();
    grow(same);
    OK(cudaGraphExecChildGraphNodeSetParams(made, holder, same));
    launch(made);
  }
}

// Exchanging the graph of a child node in a graph, not in an exec. A graph of the same shape is
// accepted, except beside memory nodes.
TEST_F(ChildRules, GraphsChildCanBeExchanged) {
  for (const bool withMemory : {false, true}) {
    Graph chain, outer, same;
    captureChain(stream, &chain, 2);
    captureChain(stream, &same, 2, 2 * kShortNs);
    OK(cudaGraphCreate(&outer, 0));
    if (withMemory)
      addMemory(outer);
    cudaGraphNode_t holder = nullptr;
    OK(cudaGraphAddChildGraphNode(&holder, outer, nullptr, 0, chain));
    cudaGraphNodeParams params{};
    params.type = cudaGraphNodeTypeGraph;
    params.graph.graph = same;
    EXPECT_CUDA(withMemory ? cudaErrorNotSupported : cudaSuccess,
                cudaGraphNodeSetParams(holder, &params));
    cudaGetLastError();
    cudaGraph_t held = nullptr;
    OK(cudaGraphChildGraphNodeGetGraph(holder, &held));
    EXPECT_EQ(2u, nodesOf(held).size());
    Exec exec;
    OK(cudaGraphInstantiate(&exec, outer, 0));
    launch(exec);
  }
}

} // namespace
} // namespace conformance

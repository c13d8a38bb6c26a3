// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which graphs an exec can be updated from, and how nodes are paired: the driver pairs the exit
// nodes, and from there the dependencies of paired nodes, in the order of their edges.

#include "Conformance.h"

namespace conformance {
namespace {

constexpr unsigned long long kBriefNs = 1'000, kSlowNs = 5'000'000;

struct UpdateRules : Conformance {
  Stream stream;
  Graph graph, other;
  Exec exec;
  unsigned long long ns = kShortNs;
  void *arguments[1];
  cudaGraphExecUpdateResultInfo info{};

  cudaGraphNode_t addSpin(cudaGraph_t to, unsigned long long spinNs,
                          std::vector<cudaGraphNode_t> after = {}) {
    cudaGraphNode_t node = nullptr;
    const auto params = spinParams(&(ns = spinNs), arguments);
    EXPECT_EQ(cudaSuccess, cudaGraphAddKernelNode(&node, to, after.data(), after.size(), &params));
    return node;
  }
  static cudaGraphNode_t addJoin(cudaGraph_t to, std::vector<cudaGraphNode_t> after) {
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&node, to, after.data(), after.size()));
    return node;
  }
  void makeBoth() {
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&other, 0));
  }
  cudaGraphExecUpdateResult update() {
    EXPECT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
    const cudaError_t status = cudaGraphExecUpdate(exec, other, &info);
    EXPECT_EQ(info.result == cudaGraphExecUpdateSuccess ? cudaSuccess
                                                        : cudaErrorGraphExecUpdateFailure,
              status);
    cudaGetLastError();
    return info.result;
  }
  // Makes a node of the exec short, so that only nodes that are slow elsewhere take long.
  void shorten(cudaGraphNode_t node) {
    const auto params = spinParams(&(ns = kBriefNs), arguments);
    EXPECT_CUDA(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, node, &params));
    launchMs(exec, stream);
  }
};

TEST_F(UpdateRules, TakesParametersOfSameTopology) {
  // Parameters of a graph of the same topology are taken.
  captureChain(stream, &graph, 2, kBriefNs);
  captureChain(stream, &other, 2, kSlowNs);
  ASSERT_EQ(cudaGraphExecUpdateSuccess, update());
  launchMs(exec, stream);
  EXPECT_GT(launchMs(exec, stream), 9.0f);
}

TEST_F(UpdateRules, UpdatedExecKnowsFirstGraphsNodes) {
  // After an update, the exec still knows its first graph's nodes.
  captureChain(stream, &graph, 1, kBriefNs);
  captureChain(stream, &other, 1, kSlowNs);
  ASSERT_EQ(cudaGraphExecUpdateSuccess, update());
  const auto params = spinParams(&(ns = kBriefNs), arguments);
  EXPECT_CUDA(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, nodesOf(graph)[0], &params));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphExecKernelNodeSetParams(exec, nodesOf(other)[0], &params));
}

TEST_F(UpdateRules, MoreNodesAreRefused) {
  captureChain(stream, &graph, 2);
  captureChain(stream, &other, 3);
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, update());
}

TEST_F(UpdateRules, FewerNodesAreRefused) {
  captureChain(stream, &graph, 2);
  captureChain(stream, &other, 1);
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, update());
}

TEST_F(UpdateRules, ChangedEdgesAreRefused) {
  captureChain(stream, &graph, 2);
  captureChain(stream, &other, 2);
  auto nodes = nodesOf(other);
  OK(cudaGraphRemoveDependencies(other, &nodes[0], &nodes[1], nullptr, 1));
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, update());
  // A refused update does not change the exec.
  EXPECT_CUDA(cudaSuccess, cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

TEST_F(UpdateRules, ChangedNodeTypeIsRefused) {
  captureChain(stream, &graph, 1);
  OK(cudaGraphCreate(&other, 0));
  const cudaGraphNode_t empty = addJoin(other, {});
  EXPECT_EQ(cudaGraphExecUpdateErrorNodeTypeChanged, update());
  EXPECT_EQ(empty, info.errorNode);
}

TEST_F(UpdateRules, EdgeOrderPairsDependencies) {
  // What a node depends on is paired in the order of its edges.
  makeBoth();
  const auto first = addSpin(graph, kBriefNs), second = addSpin(graph, kBriefNs);
  addJoin(graph, {first, second});
  const auto brief = addSpin(other, kBriefNs), slow = addSpin(other, kSlowNs);
  addJoin(other, {slow, brief});
  ASSERT_EQ(cudaGraphExecUpdateSuccess, update());
  launchMs(exec, stream);
  EXPECT_GT(launchMs(exec, stream), 4.0f);
  shorten(first); // is now the slow one, though it was created in the short one's place
  EXPECT_LT(launchMs(exec, stream), 4.0f);
}

TEST_F(UpdateRules, ReorderedEdgesAreRefused) {
  // Edges in another order are refused where their nodes differ.
  makeBoth();
  const auto first = addSpin(graph, kBriefNs), second = addSpin(graph, kBriefNs, {first});
  addJoin(graph, {first, second});
  const auto third = addSpin(other, kBriefNs), fourth = addSpin(other, kBriefNs, {third});
  addJoin(other, {fourth, third});
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, update());
}

TEST_F(UpdateRules, CreationOrderBehindExitIsFree) {
  // The order of creation does not matter behind an exit node.
  makeBoth();
  const auto first = addSpin(graph, kBriefNs);
  addSpin(graph, kBriefNs, {first});
  const auto exit = addSpin(other, kBriefNs), slow = addSpin(other, kSlowNs);
  OK(cudaGraphAddDependencies(other, &slow, &exit, nullptr, 1));
  ASSERT_EQ(cudaGraphExecUpdateSuccess, update());
  launchMs(exec, stream);
  EXPECT_GT(launchMs(exec, stream), 4.0f);
  shorten(first);
  EXPECT_LT(launchMs(exec, stream), 4.0f);
}

TEST_F(UpdateRules, CreationOrderPairsExitNodes) {
  // Exit nodes are paired in the order of their creation.
  makeBoth();
  const auto first = addSpin(graph, kBriefNs), second = addSpin(graph, kBriefNs);
  addSpin(other, kSlowNs);
  addSpin(other, kBriefNs);
  ASSERT_EQ(cudaGraphExecUpdateSuccess, update());
  launchMs(exec, stream);
  EXPECT_GT(launchMs(exec, stream), 4.0f);
  shorten(second);
  EXPECT_GT(launchMs(exec, stream), 4.0f);
  shorten(first);
  EXPECT_LT(launchMs(exec, stream), 4.0f);
}

TEST_F(UpdateRules, ReorderedExitTypesAreRefused) {
  // Exit nodes of other types in another order are refused.
  makeBoth();
  addSpin(graph, kBriefNs);
  addJoin(graph, {});
  addJoin(other, {});
  addSpin(other, kBriefNs);
  EXPECT_EQ(cudaGraphExecUpdateErrorNodeTypeChanged, update());
}

} // namespace
} // namespace conformance

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Edges with data: which ones CUDA accepts, and that every call keeps and returns the data. The
// rules hold for all data of a kernel's edges, so the tests run with each.

#include "Edges.h"

namespace conformance {
namespace {

struct AnyEdge : EdgeTest, testing::WithParamInterface<cudaGraphEdgeData> {
  const cudaGraphEdgeData data = GetParam();
  cudaGraphNode_t first = nullptr, second = nullptr;

  void SetUp() override {
    EdgeTest::SetUp();
    if (data.type == cudaGraphDependencyTypeProgrammatic)
      NEEDS_PROGRAMMATIC_EDGES;
    first = addSpin(graph);
    second = addSpin(graph, {{first, data}});
  }
};

INSTANTIATE_TEST_SUITE_P(Edges, AnyEdge, kEveryEdge, nameOfEdge);

TEST_P(AnyEdge, DependenciesTellTheEdge) { expectSame(data, onlyEdgeTo(second)); }

TEST_P(AnyEdge, DependentsTellTheEdge) {
  cudaGraphNode_t dependent = nullptr;
  cudaGraphEdgeData told{};
  std::size_t count = 1;
  OK(cudaGraphNodeGetDependentNodes(first, &dependent, &told, &count));
  ASSERT_EQ(1u, count);
  EXPECT_EQ(second, dependent);
  expectSame(data, told);
}

TEST_P(AnyEdge, GraphTellsTheEdge) {
  cudaGraphNode_t from = nullptr, to = nullptr;
  cudaGraphEdgeData told{};
  std::size_t count = 1;
  OK(cudaGraphGetEdges(graph, &from, &to, &told, &count));
  ASSERT_EQ(1u, count);
  EXPECT_EQ(first, from);
  EXPECT_EQ(second, to);
  expectSame(data, told);
}

TEST_P(AnyEdge, DriverTellsTheEdge) {
  CUgraphNode from = nullptr, to = nullptr;
  CUgraphEdgeData told{};
  size_t count = 1;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphGetEdges)(graph, &from, &to, &told, &count));
  EXPECT_EQ(data.from_port, told.from_port);
  EXPECT_EQ(data.type, told.type);
  told = {};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphNodeGetDependencies)(second, &from, &told, &count));
  EXPECT_EQ(data.from_port, told.from_port);
  EXPECT_EQ(data.type, told.type);
}

TEST_P(AnyEdge, QueryWithoutDataIsLossy) {
  // A query without room for the edge's data would lose it.
  cudaGraphNode_t node = nullptr, to = nullptr;
  std::size_t count = 1;
  EXPECT_CUDA(cudaErrorLossyQuery, cudaGraphNodeGetDependencies(second, &node, nullptr, &count));
  EXPECT_CUDA(cudaErrorLossyQuery, cudaGraphNodeGetDependentNodes(first, &node, nullptr, &count));
  EXPECT_CUDA(cudaErrorLossyQuery, cudaGraphGetEdges(graph, &node, &to, nullptr, &count));
}

TEST_P(AnyEdge, OlderDriverQueryIsLossy) {
  // The driver's older queries would lose the edge's data.
  CUgraphNode node = nullptr, to = nullptr;
  size_t count = 1;
  using OfNode = CUresult(CUgraphNode, CUgraphNode *, size_t *);
  using OfGraph = CUresult(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
  EXPECT_EQ(CUDA_ERROR_LOSSY_QUERY,
            driver<OfNode>("cuGraphNodeGetDependencies")(second, &node, &count));
  EXPECT_EQ(CUDA_ERROR_LOSSY_QUERY,
            driver<OfNode>("cuGraphNodeGetDependentNodes")(first, &node, &count));
  EXPECT_EQ(CUDA_ERROR_LOSSY_QUERY, driver<OfGraph>("cuGraphGetEdges")(graph, &node, &to, &count));
}

TEST_P(AnyEdge, EdgeCountIsNotLossy) {
  std::size_t count = 0;
  OK(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &count));
  EXPECT_EQ(1u, count);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT_EQ(1u, count);
}

TEST_P(AnyEdge, AddedBetweenNodes) {
  const cudaGraphNode_t third = addSpin(graph);
  OK(cudaGraphAddDependencies(graph, &second, &third, &data, 1));
  expectSame(data, onlyEdgeTo(third));
}

TEST_P(AnyEdge, AnyDataRemovesEdge) {
  const cudaGraphEdgeData zeroed{};
  OK(cudaGraphRemoveDependencies(graph, &first, &second, &zeroed, 1));
  EXPECT_TRUE(dependenciesOf(second).empty());
  OK(cudaGraphAddDependencies(graph, &first, &second, &data, 1));
  OK(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
  EXPECT_TRUE(dependenciesOf(second).empty());
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &first, &second, &data, 1));
}

TEST_P(AnyEdge, KeptByClone) {
  // A clone keeps the edge, and finds its nodes.
  OK(cudaGraphClone(&other, graph));
  cudaGraphNode_t firstThere = nullptr, secondThere = nullptr;
  OK(cudaGraphNodeFindInClone(&firstThere, first, other));
  OK(cudaGraphNodeFindInClone(&secondThere, second, other));
  const auto dependencies = dependenciesOf(secondThere);
  ASSERT_EQ(1u, dependencies.size());
  EXPECT_EQ(firstThere, dependencies[0].node);
  expectSame(data, dependencies[0].data);
}

TEST_P(AnyEdge, KeptByChildGraph) {
  // A child graph keeps the edge, and runs.
  OK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t child = nullptr;
  OK(cudaGraphAddChildGraphNode(&child, other, nullptr, 0, graph));
  cudaGraph_t inside = nullptr;
  OK(cudaGraphChildGraphNodeGetGraph(child, &inside));
  expectSame(data, onlyEdgeTo(nodesOf(inside)[1]));
  OK(cudaGraphInstantiate(&exec, other, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

TEST_P(AnyEdge, KeptByCaptureBehindIt) {
  // A capture that begins behind the edge keeps it.
  OK(cudaStreamBeginCaptureToGraph(stream, graph, &second, &data, 1,
                                   cudaStreamCaptureModeThreadLocal));
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, nullptr));
  const auto nodes = nodesOf(graph);
  ASSERT_EQ(3u, nodes.size());
  expectSame(data, onlyEdgeTo(nodes[2]));
}

TEST_P(AnyEdge, FrontierTakesAndTellsIt) {
  // A capture's frontier takes and tells the edge.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  spinOn(stream);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *frontier = nullptr;
  const cudaGraphEdgeData *told = nullptr;
  std::size_t count = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &frontier, &told, &count));
  ASSERT_EQ(1u, count);
  expectSame(kCompletion, told[0]);
  cudaGraphNode_t captured = frontier[0];
  OK(cudaStreamUpdateCaptureDependencies(stream, &captured, &data, 1,
                                         cudaStreamSetCaptureDependencies));
  EXPECT_CUDA(cudaErrorLossyQuery, cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr,
                                                            &frontier, nullptr, &count));
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &frontier, &told, &count));
  ASSERT_EQ(1u, count);
  expectSame(data, told[0]);
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, &other));
  expectSame(data, onlyEdgeTo(nodesOf(other)[1]));
}

// Nothing has to wait for the kernel's end.
TEST_P(AnyEdge, MayEndCapture) {
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  spinOn(stream);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *frontier = nullptr;
  const cudaGraphEdgeData *told = nullptr;
  std::size_t count = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &frontier, &told, &count));
  ASSERT_EQ(1u, count);
  cudaGraphNode_t captured = frontier[0];
  OK(cudaStreamUpdateCaptureDependencies(stream, &captured, &data, 1,
                                         cudaStreamSetCaptureDependencies));
  OK(cudaStreamEndCapture(stream, &other));
}

TEST_P(AnyEdge, PortBelongsToKernels) {
  // Only a kernel has the port.
  cudaGraphNode_t empty = nullptr, node = nullptr;
  OK(tryEmpty(graph, {}, &empty));
  EXPECT_CUDA(cudaErrorInvalidValue, trySpin(graph, {{empty, data}}, &node));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &empty, &second, &data, 1));
}

TEST_P(AnyEdge, NodeHasNoInputPort) {
  // No node has a port that takes an edge in.
  cudaGraphEdgeData wrong = data;
  wrong.to_port = 1;
  cudaGraphNode_t node = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue, trySpin(graph, {{first, wrong}}, &node));
}

TEST_P(AnyEdge, SecondEdgeIsRefused) {
  // A second edge between the same nodes is refused.
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &first, &second, &data, 1));
}

// Updates of execs.
TEST_P(AnyEdge, UpdateNeedsSameEdges) {
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphCreate(&other, 0));
  addSpin(other, {{addSpin(other), data}});
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_CUDA(cudaSuccess, cudaGraphExecUpdate(exec, other, &info));
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
}

TEST_P(AnyEdge, UpdateRefusesOtherEdges) {
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphCreate(&other, 0));
  addSpin(other, {{addSpin(other), kCompletion}});
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_CUDA(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, other, &info));
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
}

TEST_P(AnyEdge, UpdateRefusesMissingEdge) {
  // Neither is an exec of a graph with ordinary edges updated from one with this edge.
  OK(cudaGraphCreate(&other, 0));
  addSpin(other, {{addSpin(other), kCompletion}});
  OK(cudaGraphInstantiate(&exec, other, 0));
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_CUDA(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, graph, &info));
  EXPECT_EQ(cudaGraphExecUpdateErrorTopologyChanged, info.result);
}

TEST_P(AnyEdge, ExchangedChildNeedsSameEdges) {
  // An exec's child is exchanged for one with the same edges only.
  OK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t child = nullptr;
  OK(cudaGraphAddChildGraphNode(&child, other, nullptr, 0, graph));
  OK(cudaGraphInstantiate(&exec, other, 0));
  OK(cudaGraphExecChildGraphNodeSetParams(exec, child, graph));
  Graph plain;
  OK(cudaGraphCreate(&plain, 0));
  addSpin(plain, {{addSpin(plain), kCompletion}});
  EXPECT_NE(cudaSuccess, cudaGraphExecChildGraphNodeSetParams(exec, child, plain));
}

TEST_P(AnyEdge, EndsParametersCanBeSet) {
  // Parameters of both ends can be set.
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (const cudaGraphNode_t node : {first, second}) {
    const auto params = spinParams(&ns, arguments);
    EXPECT_CUDA(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, node, &params));
    EXPECT_CUDA(cudaSuccess, cudaGraphKernelNodeSetParams(node, &params));
  }
  expectSame(data, onlyEdgeTo(second));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

TEST_P(AnyEdge, EndCanBeDisabled) {
  // Either of the edge's two nodes can be disabled.
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (const cudaGraphNode_t node : {first, second}) {
    OK(cudaGraphNodeSetEnabled(exec, node, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaGraphNodeSetEnabled(exec, node, 1));
  }
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

TEST_P(AnyEdge, EndCanBeDestroyed) {
  // A node at the edge's end can be destroyed, and takes the edge with it.
  OK(cudaGraphDestroyNode(first));
  EXPECT_TRUE(dependenciesOf(second).empty());
}

// Data that no edge can have.
struct EdgeRules : EdgeTest {};

TEST_F(EdgeRules, OlderDriverCallMakesOrdinaryEdges) {
  CUgraphNode first = addSpin(graph), second = nullptr;
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_EMPTY;
  using Add = CUresult(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *);
  EXPECT_EQ(CUDA_SUCCESS, driver<Add>("cuGraphAddNode")(&second, graph, &first, 1, &params));
  expectSame(kCompletion, onlyEdgeTo(second));
}

TEST_F(EdgeRules, PortNeedsProgrammaticEdge) {
  cudaGraphNode_t node = nullptr;
  cudaGraphEdgeData wrong = kProgrammatic;
  wrong.type = cudaGraphDependencyTypeDefault;
  EXPECT_CUDA(cudaErrorInvalidValue, trySpin(graph, {{addSpin(graph), wrong}}, &node));
}

TEST_F(EdgeRules, ProgrammaticEdgeNeedsPort) {
  cudaGraphNode_t node = nullptr;
  cudaGraphEdgeData wrong = kProgrammatic;
  wrong.from_port = cudaGraphKernelNodePortDefault;
  EXPECT_CUDA(cudaErrorInvalidValue, trySpin(graph, {{addSpin(graph), wrong}}, &node));
}

TEST_F(EdgeRules, ProgrammaticEdgeEndsAtKernel) {
  cudaGraphNode_t node = nullptr;
  for (const cudaGraphEdgeData &data : {kProgrammatic, kProgrammaticLaunched})
    EXPECT_CUDA(cudaErrorInvalidValue, tryEmpty(graph, {{addSpin(graph), data}}, &node));
}

TEST_F(EdgeRules, OtherPortsAndTypesAreRefused) {
  cudaGraphNode_t node = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue, trySpin(graph, {{addSpin(graph), {3, 0, 0, {}}}}, &node));
  EXPECT_CUDA(cudaErrorInvalidValue, trySpin(graph, {{addSpin(graph), {2, 0, 2, {}}}}, &node));
}

TEST_F(EdgeRules, KindsMeetAtOneNode) {
  // Edges of every kind meet at one node.
  NEEDS_PROGRAMMATIC_EDGES;
  const cudaGraphNode_t a = addSpin(graph), b = addSpin(graph), c = addSpin(graph);
  const cudaGraphNode_t node =
      addSpin(graph, {{a, kCompletion}, {b, kLaunched}, {c, kProgrammatic}});
  const auto dependencies = dependenciesOf(node);
  ASSERT_EQ(3u, dependencies.size());
  expectSame(kCompletion, dependencies[0].data);
  expectSame(kLaunched, dependencies[1].data);
  expectSame(kProgrammatic, dependencies[2].data);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

} // namespace
} // namespace conformance

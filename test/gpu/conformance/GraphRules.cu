// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs: what graphprof does between a capture and the instantiation.

#include "Conformance.h"

#include <algorithm>

namespace conformance {
namespace {

struct GraphRules : Conformance {
  Stream stream;
  Graph graph, clone;
  unsigned long long ns = kShortNs;
  void *arguments[1];

  // Adds a spin that depends on the stream's frontier, as graphprof's stamps do.
  cudaGraphNode_t addSpinAtFrontier(cudaGraph_t *captured) {
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *frontier = nullptr;
    std::size_t count = 0;
    EXPECT_EQ(cudaSuccess, cudaStreamGetCaptureInfo(stream, &status, nullptr, captured, &frontier,
                                                    nullptr, &count));
    cudaFunction_t function = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGetFuncBySymbol(&function, reinterpret_cast<void *>(spin)));
    arguments[0] = &ns;
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(CUDA_SUCCESS,
              DRIVER(cuGraphAddKernelNode)(&node, *captured, frontier, count, &params));
    return node;
  }
};

TEST_F(GraphRules, CaptureKeepsAddedNode) {
  // A node added during a capture is in the graph, and does not break the capture.
  cudaGraph_t captured = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spinOn(stream);
  cudaGraphNode_t added = addSpinAtFrontier(&captured);
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, &graph));
  auto nodes = nodesOf(graph);
  ASSERT_EQ(3u, nodes.size());
  EXPECT_EQ(added, nodes[1]); // nodes are listed in creation order
  std::size_t dependents = 99, dependencies = 1;
  cudaGraphNode_t dependency = nullptr;
  OK(cudaGraphNodeGetDependentNodes(added, nullptr, nullptr, &dependents));
  EXPECT_EQ(0u, dependents); // the stream's next work does not wait for it
  OK(cudaGraphNodeGetDependencies(added, &dependency, nullptr, &dependencies));
  EXPECT_EQ(nodes[0], dependency);
}

TEST_F(GraphRules, NodesLeaveAfterCapture) {
  // Nodes can be removed after the capture.
  cudaGraph_t captured = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spinOn(stream);
  cudaGraphNode_t added = addSpinAtFrontier(&captured);
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphDestroyNode(added));
  EXPECT_EQ(2u, nodesOf(graph).size());
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
}

TEST_F(GraphRules, CloneKeepsOrderAndEdges) {
  cudaGraph_t captured = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 4; ++i) {
    spinOn(stream);
    addSpinAtFrontier(&captured);
  }
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphClone(&clone, graph));
  auto originals = nodesOf(graph), clones = nodesOf(clone);
  ASSERT_EQ(originals.size(), clones.size());
  for (std::size_t i = 0; i < originals.size(); ++i) {
    cudaGraphNode_t found = nullptr;
    OK(cudaGraphNodeFindInClone(&found, originals[i], clone));
    EXPECT_EQ(clones[i], found);
  }
  std::size_t edges = 0, clonedEdges = 0;
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  OK(cudaGraphGetEdges(clone, nullptr, nullptr, nullptr, &clonedEdges));
  EXPECT_EQ(edges, clonedEdges);
}

TEST_F(GraphRules, NodeIsFoundInCloneOnly) {
  // A node is found only in a clone of its graph.
  Graph other;
  captureChain(stream, &graph, 1);
  captureChain(stream, &other, 1);
  OK(cudaGraphClone(&clone, graph));
  cudaGraphNode_t found = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, nodesOf(other)[0], clone));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, nodesOf(graph)[0], other));
}

TEST_F(GraphRules, NodeIsFoundLevelByLevel) {
  // A node is found through child graphs, level by level.
  Graph inner;
  captureChain(stream, &inner, 1);
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t child = nullptr, clonedChild = nullptr, found = nullptr;
  OK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  cudaGraph_t embedded = nullptr, clonedEmbedded = nullptr;
  OK(cudaGraphChildGraphNodeGetGraph(child, &embedded));
  OK(cudaGraphNodeFindInClone(&found, nodesOf(inner)[0], embedded));
  EXPECT_EQ(nodesOf(embedded)[0], found);
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphNodeFindInClone(&clonedChild, child, clone));
  OK(cudaGraphChildGraphNodeGetGraph(clonedChild, &clonedEmbedded));
  OK(cudaGraphNodeFindInClone(&found, nodesOf(embedded)[0], clonedEmbedded));
  EXPECT_EQ(nodesOf(clonedEmbedded)[0], found);
}

TEST_F(GraphRules, MemoryNodesForbidClone) {
  // A graph with memory nodes is neither cloned, nor instantiated twice, nor cut down.
  void *memory = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&memory, 1024, stream));
  spinOn(stream);
  OK(cudaFreeAsync(memory, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  auto nodes = nodesOf(graph);
  ASSERT_EQ(3u, nodes.size());
  EXPECT_EQ(cudaGraphNodeTypeMemAlloc, typeOf(nodes[0]));
  EXPECT_EQ(cudaGraphNodeTypeMemFree, typeOf(nodes[2]));
  EXPECT_CUDA(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
  EXPECT_CUDA(cudaErrorNotSupported, cudaGraphDestroyNode(nodes[1]));
  {
    Exec exec, second;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_CUDA(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
  }
  Exec again;
  EXPECT_CUDA(cudaSuccess, cudaGraphInstantiate(&again, graph, 0));
}

TEST_F(GraphRules, MemoryNodesAllowOneExec) {
  // A graph with memory nodes has one exec at a time, by updates too.
  Graph graphs[3];
  for (Graph &each : graphs) {
    void *memory = nullptr;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&memory, 1024, stream));
    OK(cudaFreeAsync(memory, stream));
    OK(cudaStreamEndCapture(stream, &each));
  }
  Exec first, second, another;
  OK(cudaGraphInstantiate(&first, graphs[0], 0));
  OK(cudaGraphInstantiate(&second, graphs[1], 0));
  cudaGraphExecUpdateResultInfo info{};
  OK(cudaGraphExecUpdate(first, graphs[2], &info));
  OK(cudaGraphExecUpdate(first, graphs[2], &info));
  EXPECT_CUDA(cudaErrorNotSupported, cudaGraphExecUpdate(second, graphs[2], &info));
  EXPECT_EQ(cudaGraphExecUpdateSuccess, info.result);
  EXPECT_CUDA(cudaErrorNotSupported, cudaGraphInstantiate(&another, graphs[2], 0));
  OK(cudaGraphInstantiate(&another, graphs[0], 0)); // the first exec no longer belongs to it
}

TEST_F(GraphRules, KernelParametersCanBeRead) {
  // Parameters of the program's kernels can be read.
  captureChain(stream, &graph, 1, 12'345);
  cudaKernelNodeParams params{};
  OK(cudaGraphKernelNodeGetParams(nodesOf(graph)[0], &params));
  EXPECT_EQ(reinterpret_cast<void *>(spin), params.func);
  EXPECT_EQ(1u, params.gridDim.x);
  ASSERT_NE(nullptr, params.kernelParams);
  EXPECT_EQ(12'345u, *static_cast<unsigned long long *>(params.kernelParams[0]));
}

TEST_F(GraphRules, DriverReadsLibraryKernelsParameters) {
  // Parameters of a library's kernel are invisible to the runtime, and visible to the driver.
  static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                            ".visible .entry nop()\n{\n  ret;\n}\n";
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  ASSERT_EQ(CUDA_SUCCESS,
            DRIVER(cuLibraryLoadData)(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuLibraryGetKernel)(&kernel, library, "nop"));
  CUDA_KERNEL_NODE_PARAMS params{};
  params.kern = kernel;
  params.gridDimX = 3;
  params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuGraphAddKernelNode)(&node, graph, nullptr, 0, &params));
  cudaKernelNodeParams read{};
  EXPECT_CUDA(cudaErrorInvalidDeviceFunction, cudaGraphKernelNodeGetParams(node, &read));
  CUDA_KERNEL_NODE_PARAMS driverRead{};
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphKernelNodeGetParams)(node, &driverRead));
  EXPECT_EQ(3u, driverRead.gridDimX);
  EXPECT_TRUE(driverRead.func || driverRead.kern);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphKernelNodeSetParams)(node, &driverRead));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuLibraryUnload)(library));
}

// A node that stands alone goes without a trace. Removing a node with dependencies changes the
// order of the others, by which cudaGraphExecUpdate pairs nodes.
TEST_F(GraphRules, LoneNodeLeavesNoTrace) {
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first = nullptr, alone = nullptr, behind[3] = {};
  OK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&behind[0], graph, &first, 1));
  OK(cudaGraphAddEmptyNode(&alone, graph, nullptr, 0));
  OK(cudaGraphAddEmptyNode(&behind[1], graph, &first, 1));
  OK(cudaGraphAddEmptyNode(&behind[2], graph, &first, 1));
  OK(cudaGraphDestroyNode(alone));
  EXPECT_EQ((std::vector<cudaGraphNode_t>{first, behind[0], behind[1], behind[2]}), nodesOf(graph));
  CUgraphNode dependents[3] = {};
  std::size_t count = 3;
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuGraphNodeGetDependentNodes)(first, dependents, nullptr, &count));
  ASSERT_EQ(3u, count);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(behind[i], dependents[i]);
}

TEST_F(GraphRules, ListIsCutToRoom) {
  // A list is cut to the room that there is.
  captureChain(stream, &graph, 2);
  cudaGraphNode_t nodes[3] = {};
  std::size_t count = 1;
  OK(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT_EQ(1u, count);
  count = 3;
  OK(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT_EQ(2u, count);
  EXPECT_EQ(nullptr, nodes[2]);
}

TEST_F(GraphRules, DuplicateEdgeIsRefused) {
  // An edge exists once.
  captureChain(stream, &graph, 2);
  auto nodes = nodesOf(graph);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], nullptr, 1));
  OK(cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[1], nullptr, 1));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaGraphRemoveDependencies(graph, &nodes[0], &nodes[1], nullptr, 1));
  OK(cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], nullptr, 1));
}

TEST_F(GraphRules, InstantiationFindsCycle) {
  captureChain(stream, &graph, 2);
  auto nodes = nodesOf(graph);
  cudaError_t added = cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], nullptr, 1);
  EXPECT_CUDA(cudaSuccess, added);
  Exec exec;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
}

void countDown(void *counter) { --*static_cast<int *>(counter); }

void waitForZero(volatile int *counter) {
  // Waits, because destructors may run on a thread of CUDA's.
  for (int i = 0; i < 2000 && *counter; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST_F(GraphRules, UserObjectOutlivesItsGraph) {
  // A user object lives as long as the last graph, exec or clone.
  static int alive;
  alive = 1;
  cudaUserObject_t object = nullptr;
  OK(cudaUserObjectCreate(&object, &alive, countDown, 1, cudaUserObjectNoDestructorSync));
  captureChain(stream, &graph, 1);
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  OK(cudaGraphClone(&clone, graph));
  Exec exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph.release()));
  OK(cudaGraphDestroy(clone.release()));
  OK(cudaDeviceSynchronize());
  EXPECT_EQ(1, alive);
  OK(cudaGraphExecDestroy(exec.release()));
  waitForZero(&alive);
  EXPECT_EQ(0, alive);
}

// A node with four dependencies and four dependents.
struct OrderRules : Conformance {
  Graph graph;
  cudaGraphNode_t middle = nullptr;
  std::vector<cudaGraphNode_t> before, after;

  void SetUp() override {
    OK(cudaGraphCreate(&graph, 0));
    before.resize(4);
    after.resize(4);
    for (cudaGraphNode_t &node : before)
      OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
    OK(cudaGraphAddEmptyNode(&middle, graph, before.data(), before.size()));
    for (cudaGraphNode_t &node : after)
      OK(cudaGraphAddEmptyNode(&node, graph, &middle, 1));
  }
  // The positions in `nodes` of the listed nodes, in order.
  static std::vector<std::ptrdiff_t> places(const std::vector<cudaGraphNode_t> &nodes,
                                            std::vector<cudaGraphNode_t> listed) {
    std::vector<std::ptrdiff_t> found;
    for (const cudaGraphNode_t node : listed)
      found.push_back(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
    return found;
  }
  std::vector<std::ptrdiff_t> dependencies() const {
    std::vector<cudaGraphNode_t> listed(4);
    std::size_t count = listed.size();
    EXPECT_EQ(cudaSuccess, cudaGraphNodeGetDependencies(middle, listed.data(), nullptr, &count));
    listed.resize(count);
    return places(before, listed);
  }
  std::vector<std::ptrdiff_t> dependents() const {
    std::vector<cudaGraphNode_t> listed(4);
    std::size_t count = listed.size();
    EXPECT_EQ(cudaSuccess, cudaGraphNodeGetDependentNodes(middle, listed.data(), nullptr, &count));
    listed.resize(count);
    return places(after, listed);
  }
};

using Places = std::vector<std::ptrdiff_t>;

TEST_F(OrderRules, NeighboursAreListedInOrder) {
  // Neighbours are listed as they were added.
  EXPECT_EQ((Places{0, 1, 2, 3}), dependencies());
  EXPECT_EQ((Places{0, 1, 2, 3}), dependents());
}

TEST_F(OrderRules, LastDependentFillsGap) {
  // The last dependent takes the place of a destroyed one.
  OK(cudaGraphDestroyNode(after[1]));
  EXPECT_EQ((Places{0, 3, 2}), dependents());
}

TEST_F(OrderRules, LastDependencyFillsGap) {
  // The last dependency takes the place of a destroyed one.
  OK(cudaGraphDestroyNode(before[1]));
  EXPECT_EQ((Places{0, 3, 2}), dependencies());
}

TEST_F(OrderRules, RemovedEdgeIsFilledByLast) {
  // The last neighbour takes the place of one whose edge is removed.
  OK(cudaGraphRemoveDependencies(graph, &middle, &after[0], nullptr, 1));
  EXPECT_EQ((Places{3, 1, 2}), dependents());
  OK(cudaGraphRemoveDependencies(graph, &before[0], &middle, nullptr, 1));
  EXPECT_EQ((Places{3, 1, 2}), dependencies());
}

} // namespace
} // namespace conformance

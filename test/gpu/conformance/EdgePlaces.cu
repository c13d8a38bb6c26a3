// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The places in a program's graphs where a stamp can depend on a port of a kernel: beside nodes of
// other kinds, in bodies, on kernels of other kinds, and with each flag of instantiation.

#include "Edges.h"

namespace conformance {

__global__ void countDown(unsigned *counter, cudaGraphConditionalHandle handle);

namespace {

struct EdgePlaces : EdgeTest, testing::WithParamInterface<cudaGraphEdgeData> {
  const cudaGraphEdgeData data = GetParam();
  unsigned long long *words = nullptr; // pinned: one for each stamp
  unsigned *counter = nullptr;         // pinned

  void SetUp() override {
    EdgeTest::SetUp();
    OK(cudaMallocHost(&words, 2 * sizeof *words));
    OK(cudaMallocHost(&counter, sizeof *counter));
    words[0] = words[1] = 0;
    if (data.type == cudaGraphDependencyTypeProgrammatic)
      NEEDS_PROGRAMMATIC_EDGES;
  }
  ~EdgePlaces() override {
    cudaFreeHost(words);
    cudaFreeHost(counter);
  }

  cudaGraphNode_t addStamp(cudaGraph_t to, cudaGraphNode_t kernel, int word = 0) {
    unsigned long long *at = words + word;
    void *given[] = {&at};
    cudaGraphNode_t node = nullptr;
    EXPECT_CUDA(cudaSuccess, tryAdd(to, {{kernel, data}}, kernelParams(stampNow, given), &node));
    return node;
  }
  void run(unsigned long long flags = 0) {
    OK(cudaGraphInstantiate(&exec, graph, flags));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT_NE(0u, words[0]);
  }
  static cudaLaunchAttributeValue cooperative() {
    cudaLaunchAttributeValue value{};
    value.cooperative = 1;
    return value;
  }
  static cudaLaunchAttributeValue clustersOfTwo() {
    cudaLaunchAttributeValue value{};
    value.clusterDim.x = 2;
    value.clusterDim.y = value.clusterDim.z = 1;
    return value;
  }
  // Runs a stamp, and on such an edge of it a kernel of two blocks with this attribute, which waits
  // for the whole of another kernel too.
  void runInFrontOf(cudaLaunchAttributeID id, cudaLaunchAttributeValue value) {
    const cudaGraphNode_t first = addSpin(graph);
    unsigned long long *at = words;
    void *given[] = {&at};
    cudaGraphNode_t stamp = nullptr, kernel = nullptr;
    OK(tryAdd(graph, {{first, kCompletion}}, kernelParams(stampNow, given), &stamp));
    cudaGraphNodeParams params = kernelParams(spin, arguments);
    params.kernel.gridDim = dim3(2);
    OK(tryAdd(graph, {{first, kCompletion}}, params, &kernel));
    OK(cudaGraphKernelNodeSetAttribute(kernel, id, &value));
    OK(cudaGraphAddDependencies(graph, &stamp, &kernel, &data, 1));
    run();
  }
  // Runs a stamp behind a kernel of two blocks with this attribute.
  void runBehind(cudaLaunchAttributeID id, cudaLaunchAttributeValue value) {
    cudaGraphNodeParams params = kernelParams(spin, arguments);
    params.kernel.gridDim = dim3(2);
    cudaGraphNode_t kernel = nullptr;
    OK(tryAdd(graph, {}, params, &kernel));
    OK(cudaGraphKernelNodeSetAttribute(kernel, id, &value));
    addStamp(graph, kernel);
    run();
  }
};

INSTANTIATE_TEST_SUITE_P(Edges, EdgePlaces, kEveryEdge, nameOfEdge);

TEST_P(EdgePlaces, BeforeAndBehindCopy) {
  const cudaGraphNode_t first = addSpin(graph);
  addStamp(graph, first);
  cudaGraphNode_t copy = nullptr;
  OK(cudaGraphAddMemcpyNode1D(&copy, graph, &first, 1, counter, words + 1, sizeof *counter,
                              cudaMemcpyDefault));
  const cudaGraphNode_t second = addSpin(graph, {{copy, kCompletion}});
  addStamp(graph, second, 1);
  run();
  EXPECT_NE(0u, words[1]);
}

TEST_P(EdgePlaces, BetweenMemoryNodes) {
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = 1024;
  cudaGraphNode_t alloc = nullptr, free = nullptr;
  OK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &memory));
  const cudaGraphNode_t kernel = addSpin(graph, {{alloc, kCompletion}});
  addStamp(graph, kernel);
  OK(cudaGraphAddMemFreeNode(&free, graph, &kernel, 1, memory.dptr));
  run();
}

TEST_P(EdgePlaces, InsideWhileBody) {
  cudaGraphConditionalHandle handle = 0;
  OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t loop = nullptr, last = nullptr;
  OK(cudaGraphAddNode(&loop, graph, nullptr, nullptr, 0, &params));
  const cudaGraph_t body = params.conditional.phGraph_out[0];
  const cudaGraphNode_t kernel = addSpin(body);
  addStamp(body, kernel);
  void *given[] = {&counter, &handle};
  OK(tryAdd(body, {{kernel, kCompletion}}, kernelParams(countDown, given), &last));
  *counter = 3;
  run();
  EXPECT_EQ(0u, *counter);
}

TEST_P(EdgePlaces, BehindCooperativeKernel) {
  runBehind(cudaLaunchAttributeCooperative, cooperative());
}

TEST_P(EdgePlaces, BehindKernelOfClusters) {
  if (isBelowHopper())
    GTEST_SKIP() << "clusters need compute capability 9.0";
  runBehind(cudaLaunchAttributeClusterDimension, clustersOfTwo());
}

// graphprof's stamps in the chain of a graph with event nodes: the kernel behind them is the
// program's.
TEST_P(EdgePlaces, BeforeCooperativeKernel) {
  runInFrontOf(cudaLaunchAttributeCooperative, cooperative());
}

TEST_P(EdgePlaces, BeforeKernelOfClusters) {
  if (isBelowHopper())
    GTEST_SKIP() << "clusters need compute capability 9.0";
  runInFrontOf(cudaLaunchAttributeClusterDimension, clustersOfTwo());
}

TEST_P(EdgePlaces, GraphWithNodePriorities) {
  addStamp(graph, addSpin(graph));
  run(cudaGraphInstantiateFlagUseNodePriority);
}

TEST_P(EdgePlaces, GraphThatFreesAtLaunch) {
  // Memory is freed at launch.
  addStamp(graph, addSpin(graph));
  run(cudaGraphInstantiateFlagAutoFreeOnLaunch);
}

} // namespace
} // namespace conformance

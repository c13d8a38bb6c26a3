// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the library asks of the driver about ports, edges and occupancy, through its own table of
// the driver's functions.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "cuda/Driver.h"
#include "cudasim/cudasim.h"
#include "support/Work.h"

namespace graphprof::driver {
namespace {

__global__ void kernel() {}

constexpr EdgeData launchOrder = {portLaunchOrder, 0, 0, {}};

class DriverEdges : public testing::Test {
protected:
  DriverEdges() {
    cudaFree(nullptr);
    cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(kernel));
    EXPECT_EQ(Result::Success, cu().graphCreate(&graph, 0));
    EXPECT_EQ(cudaSuccess, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  ~DriverEdges() override { cudasim::reset(); }

  Node add(std::initializer_list<Node> after, const EdgeData *edges) {
    NodeParams params{};
    params.type = NodeType::Kernel;
    params.kernel.function = function;
    params.kernel.gridX = params.kernel.gridY = params.kernel.gridZ = 1;
    params.kernel.blockX = params.kernel.blockY = params.kernel.blockZ = 1;
    Node node = nullptr;
    EXPECT_EQ(Result::Success,
              cu().graphAddNode(&node, graph, after.begin(), edges, after.size(), &params));
    return node;
  }

  Function function = nullptr;
  Graph graph = nullptr;
  Stream stream = nullptr;
};

TEST_F(DriverEdges, NodeTellsItsPort) {
  // A node is made behind a port, and tells it.
  const Node first = add({}, nullptr), second = add({first}, &launchOrder);
  Node other = nullptr, to = nullptr;
  EdgeData told{};
  std::size_t count = 1;
  EXPECT_EQ(Result::Success, cu().graphNodeGetDependencies(second, &other, &told, &count));
  EXPECT_EQ(first, other);
  EXPECT_EQ(portLaunchOrder, told.fromPort);
  told = {};
  EXPECT_EQ(Result::Success, cu().graphNodeGetDependentNodes(first, &other, &told, &count));
  EXPECT_EQ(second, other);
  EXPECT_EQ(portLaunchOrder, told.fromPort);
  told = {};
  EXPECT_EQ(Result::Success, cu().graphGetEdges(graph, &other, &to, &told, &count));
  EXPECT_EQ(second, to);
  EXPECT_EQ(portLaunchOrder, told.fromPort);
}

TEST_F(DriverEdges, FrontierTellsItsEdges) {
  // A capture tells the edges of its frontier.
  ASSERT_EQ(Result::Success, cu().streamBeginCapture(stream, CaptureMode::ThreadLocal));
  kernel<<<1, 1, 0, stream>>>();
  CaptureStatus status{};
  Graph captured = nullptr;
  const Node *frontier = nullptr;
  const EdgeData *edges = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(Result::Success, cu().streamGetCaptureInfo(stream, &status, nullptr, &captured,
                                                       &frontier, &edges, &count));
  ASSERT_EQ(1u, count);
  EXPECT_EQ(0, edges[0].fromPort);
  const EdgeData programmatic = {portProgrammatic, 0, edgeProgrammatic, {}};
  Node node = frontier[0];
  EXPECT_EQ(Result::Success,
            cu().streamUpdateCaptureDependencies(stream, &node, &programmatic, 1, setDependencies));
  ASSERT_EQ(Result::Success, cu().streamGetCaptureInfo(stream, &status, nullptr, &captured,
                                                       &frontier, &edges, &count));
  ASSERT_EQ(1u, count);
  EXPECT_EQ(portProgrammatic, edges[0].fromPort);
  EXPECT_EQ(edgeProgrammatic, edges[0].type);
  kernel<<<1, 1, 0, stream>>>();
  EXPECT_EQ(Result::Success, cu().streamEndCapture(stream, &captured));
}

TEST_F(DriverEdges, KernelTellsItsResources) {
  // A kernel tells what its blocks take and how many fit.
  cudasim::setKernelResources("kernel", {.registersPerThread = 64, .staticSharedBytes = 4096});
  int bytes = 0, registers = 0, small = 0, large = 0, most = 0;
  EXPECT_EQ(Result::Success,
            cu().functionGetAttribute(&bytes, FunctionAttribute::StaticSharedBytes, function));
  EXPECT_EQ(4096, bytes);
  EXPECT_EQ(Result::Success,
            cu().functionGetAttribute(&registers, FunctionAttribute::Registers, function));
  EXPECT_EQ(64, registers);
  EXPECT_EQ(Result::Success,
            cu().functionGetAttribute(&most, FunctionAttribute::DynamicSharedBytes, function));
  EXPECT_EQ(48 << 10, most);
  EXPECT_EQ(Result::Success, cu().occupancyMaxActiveBlocks(&small, function, 128, 0));
  EXPECT_EQ(8, small);
  EXPECT_EQ(Result::Success, cu().occupancyMaxActiveBlocks(&large, function, 128, 100 << 10));
  EXPECT_EQ(2, large);
  cudasim::setKernelResources("kernel", {});
}

TEST_F(DriverEdges, KernelTellsFittingClusters) {
  // A kernel tells how many of its clusters fit.
  LaunchAttribute attribute{};
  attribute.id = clusterDimension;
  attribute.value.clusterDimension = {2, 1, 1};
  LaunchConfig config{264, 1, 1, 1024, 1, 1, 0, nullptr, &attribute, 1};
  int clusters = 0;
  EXPECT_EQ(Result::Success, cu().occupancyMaxActiveClusters(&clusters, function, &config));
  EXPECT_EQ(132, clusters);
}

TEST_F(DriverEdges, LibraryKernelHasFunction) {
  Library library = nullptr;
  Kernel loaded = nullptr;
  Function itsFunction = nullptr;
  int blocks = 0;
  ASSERT_EQ(Result::Success,
            cu().libraryLoadData(&library, "any", nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_EQ(Result::Success, cu().libraryGetKernel(&loaded, library, "any"));
  ASSERT_EQ(Result::Success, cu().kernelGetFunction(&itsFunction, loaded));
  EXPECT_EQ(Result::Success, cu().occupancyMaxActiveBlocks(&blocks, itsFunction, 1024, 0));
  EXPECT_EQ(2, blocks);
  EXPECT_EQ(Result::Success, cu().libraryUnload(library));
}

TEST_F(DriverEdges, NodeTellsItsClusters) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  ASSERT_EQ(Result::Success, cu().streamBeginCapture(stream, CaptureMode::ThreadLocal));
  EXPECT_EQ(cudaSuccess, cudaLaunchKernelEx(&config, kernel));
  Graph captured = nullptr;
  ASSERT_EQ(Result::Success, cu().streamEndCapture(stream, &captured));
  Node node = nullptr;
  std::size_t count = 1;
  ASSERT_EQ(Result::Success, cu().graphGetNodes(captured, &node, &count));
  LaunchAttributeValue value{};
  EXPECT_EQ(Result::Success, cu().graphKernelNodeGetAttribute(node, clusterDimension, &value));
  EXPECT_EQ(2u, value.clusterDimension.x);
  EXPECT_EQ(Result::Success, cu().graphKernelNodeGetAttribute(node, cooperativeLaunch, &value));
  EXPECT_EQ(0, value.cooperative);
}

} // namespace
} // namespace graphprof::driver

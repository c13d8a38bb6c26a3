// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What small programs ask and set besides streams and graphs: hints for managed memory, limits,
// attributes of pointers, launches that must fit on the device, a graph's picture.

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cudasim/cudasim.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

__global__ void waitsForItself(float *x) {
  const auto grid = cooperative_groups::this_grid();
  x[grid.thread_rank()] = 1;
  grid.sync();
}

struct HintsTest : testing::Test {
  void SetUp() override { cudasim::reset(); }
  void TearDown() override { cudasim::reset(); }
};

TEST_F(HintsTest, PrefetchNeedsManagedMemory) {
  // Only managed memory is prefetched and advised.
  float *managed, *device;
  ASSERT_EQ(cudaSuccess, cudaMallocManaged(&managed, 64));
  ASSERT_EQ(cudaSuccess, cudaMalloc(&device, 64));
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0},
      absent{cudaMemLocationTypeDevice, 1};
  EXPECT_EQ(cudaSuccess, cudaMemPrefetchAsync(managed, 64, here, 0, nullptr));
  EXPECT_EQ(cudaSuccess, cudaMemPrefetchAsync(managed, 64, host, 0, nullptr));
  EXPECT_EQ(cudaSuccess, cudaMemAdvise(managed, 64, cudaMemAdviseSetPreferredLocation, host));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 64, absent, 0, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPrefetchAsync(device, 64, here, 0, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, here));
}

TEST_F(HintsTest, PointerSaysWhereMemoryIs) {
  float *device, *host, local = 0;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&device, 64));
  ASSERT_EQ(cudaSuccess, cudaMallocHost(&host, 64));
  cudaPointerAttributes read;
  ASSERT_EQ(cudaSuccess, cudaPointerGetAttributes(&read, device + 3));
  EXPECT_EQ(cudaMemoryTypeDevice, read.type);
  EXPECT_EQ(device + 3, read.devicePointer);
  EXPECT_EQ(nullptr, read.hostPointer);
  ASSERT_EQ(cudaSuccess, cudaPointerGetAttributes(&read, host));
  EXPECT_EQ(cudaMemoryTypeHost, read.type);
  ASSERT_EQ(cudaSuccess, cudaPointerGetAttributes(&read, &local));
  EXPECT_EQ(cudaMemoryTypeUnregistered, read.type);
}

TEST_F(HintsTest, CooperativeLaunchMustFitDevice) {
  constexpr int kThreads = 256;
  cudaDeviceProp device;
  ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties(&device, 0));
  int blocks;
  ASSERT_EQ(cudaSuccess,
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, waitsForItself, kThreads, 0));
  const unsigned most = blocks * device.multiProcessorCount;
  float *x = nullptr;
  void *arguments[] = {&x};
  EXPECT_EQ(cudaSuccess, cudaLaunchCooperativeKernel(waitsForItself, most, kThreads, arguments));
  EXPECT_EQ(cudaErrorCooperativeLaunchTooLarge,
            cudaLaunchCooperativeKernel(waitsForItself, most + 1, kThreads, arguments));
}

TEST_F(HintsTest, BestBlockSizeFillsMultiprocessor) {
  cudaDeviceProp device;
  ASSERT_EQ(cudaSuccess, cudaGetDeviceProperties(&device, 0));
  int grid, block, blocks;
  ASSERT_EQ(cudaSuccess, cudaOccupancyMaxPotentialBlockSize(&grid, &block, waitsForItself));
  ASSERT_EQ(cudaSuccess,
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, waitsForItself, block, 0));
  EXPECT_EQ(blocks * device.multiProcessorCount, grid);
  ASSERT_EQ(cudaSuccess, cudaOccupancyMaxPotentialBlockSize(&grid, &block, waitsForItself, 0, 100));
  EXPECT_LE(block, 100);
}

TEST_F(HintsTest, LimitIsWhatWasSet) {
  size_t value = 0;
  ASSERT_EQ(cudaSuccess, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345));
  ASSERT_EQ(cudaSuccess, cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  EXPECT_EQ(12345u, value);
  EXPECT_EQ(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)));
}

TEST_F(HintsTest, DefaultPoolKeepsThreshold) {
  cudaMemPool_t pool;
  ASSERT_EQ(cudaSuccess, cudaDeviceGetMemPool(&pool, 0));
  unsigned long long set = ~0ull, read = 0;
  ASSERT_EQ(cudaSuccess, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &set));
  ASSERT_EQ(cudaSuccess, cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read));
  EXPECT_EQ(set, read);
  EXPECT_EQ(cudaErrorNotSupported,
            cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &read));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemPoolTrimTo(nullptr, 0));
}

TEST_F(HintsTest, CallbackIsRefusedInCapture) {
  // A callback runs with its stream, and not in a capture.
  cudaStream_t stream, seen = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
  const auto callback = [](cudaStream_t its, cudaError_t, void *data) {
    *static_cast<cudaStream_t *>(data) = its;
  };
  ASSERT_EQ(cudaSuccess, cudaStreamAddCallback(stream, callback, &seen, 0));
  ASSERT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
  EXPECT_EQ(stream, seen);
  ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(stream, callback, &seen, 0));
}

TEST_F(HintsTest, GraphPrintsNodesAndEdges) {
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  ASSERT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&second, graph, &first, 1));
  const auto path = std::filesystem::path(testing::TempDir()) / "graph.dot";
  ASSERT_EQ(cudaSuccess, cudaGraphDebugDotPrint(graph, path.c_str(), 0));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("\"graph_node_0\" -> \"graph_node_1\""), std::string::npos);
  EXPECT_EQ(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/absent/graph.dot", 0));
}

TEST_F(HintsTest, HalvesRoundToNearestEven) {
  EXPECT_EQ(0x3c00, __half_as_ushort(__float2half(1)));
  EXPECT_EQ(0x3c00, __half_as_ushort(__float2half(1 + 0x1p-11f)));
  EXPECT_EQ(0x3c02, __half_as_ushort(__float2half(1 + 3 * 0x1p-11f)));
  EXPECT_EQ(0x7bff, __half_as_ushort(__float2half(65519)));
  EXPECT_EQ(0x7c00, __half_as_ushort(__float2half(65520)));
  EXPECT_EQ(0x0001, __half_as_ushort(__float2half(0x1p-24f)));
  EXPECT_EQ(2.25f, __half2float(__float2half(1.5f) * __float2half(1.5f)));
}

} // namespace

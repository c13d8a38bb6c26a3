// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many blocks of a kernel fit on a multiprocessor. graphprof asks that before it makes a stamp
// depend on a kernel's launch completion.

#include "Edges.h"

namespace conformance {

__global__ void sharing(int *out) {
  __shared__ int words[1024];
  words[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = words[1023 - threadIdx.x];
}

namespace {

struct OccupancyRules : Conformance {
  static CUfunction functionOf(const void *kernel) {
    cudaFunction_t function = nullptr;
    EXPECT_EQ(cudaSuccess, cudaGetFuncBySymbol(&function, kernel));
    return function;
  }
  const CUfunction spinning = functionOf(reinterpret_cast<void *>(spin));

  int blocks(int threads, size_t sharedBytes = 0) const {
    int count = -1;
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(
                                &count, spinning, threads, sharedBytes));
    return count;
  }
  static int deviceAttribute(cudaDeviceAttr which) {
    int value = 0;
    EXPECT_EQ(cudaSuccess, cudaDeviceGetAttribute(&value, which, 0));
    return value;
  }
};

TEST_F(OccupancyRules, BlocksAndThreadsAreLimited) {
  // Small blocks are limited in number, and large ones by their threads.
  EXPECT_EQ(deviceAttribute(cudaDevAttrMaxBlocksPerMultiprocessor), blocks(1));
  EXPECT_EQ(deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor) / 1024, blocks(1024));
}

TEST_F(OccupancyRules, ThreadsCountInWholeWarps) { EXPECT_EQ(blocks(256), blocks(225)); }

TEST_F(OccupancyRules, SharedMemoryIsLimited) {
  EXPECT_LT(blocks(32, 40 << 10), blocks(32));
  EXPECT_GE(blocks(32, 40 << 10), 1);
}

TEST_F(OccupancyRules, ApisAgree) {
  // Both forms and both APIs say the same.
  int flags = -1, runtime = -1;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(
                              &flags, spinning, 512, 0, CU_OCCUPANCY_DEFAULT));
  EXPECT_EQ(blocks(512), flags);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, spin, 512, 0));
  EXPECT_EQ(blocks(512), runtime);
}

TEST_F(OccupancyRules, QueryIsAllowedDuringCapture) {
  Stream stream;
  Graph graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spinOn(stream);
  EXPECT_GT(blocks(128), 0);
  OK(cudaStreamEndCapture(stream, &graph));
}

TEST_F(OccupancyRules, NodesKernelCanBeQueried) {
  Stream stream;
  Graph graph;
  captureChain(stream, &graph, 1);
  CUDA_KERNEL_NODE_PARAMS params{};
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuGraphKernelNodeGetParams)(nodesOf(graph)[0], &params));
  CUfunction function = params.func;
  if (!function)
    ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuKernelGetFunction)(&function, params.kern));
  int count = 0;
  EXPECT_EQ(CUDA_SUCCESS,
            DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(&count, function, 128, 0));
  EXPECT_EQ(blocks(128), count);
}

TEST_F(OccupancyRules, KernelTellsStaticSharedMemory) {
  int bytes = -1;
  EXPECT_EQ(CUDA_SUCCESS,
            DRIVER(cuFuncGetAttribute)(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                       functionOf(reinterpret_cast<void *>(sharing))));
  EXPECT_EQ(4096, bytes);
  EXPECT_EQ(CUDA_SUCCESS,
            DRIVER(cuFuncGetAttribute)(&bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, spinning));
  EXPECT_EQ(0, bytes);
}

TEST_F(OccupancyRules, ClustersHalveTheBlocks) {
  // Clusters of two are half as many at most.
  if (isBelowHopper())
    GTEST_SKIP() << "clusters need compute capability 9.0";
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config{};
  config.gridDimX = 2;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 1024;
  config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuOccupancyMaxActiveClusters)(&clusters, spinning, &config));
  EXPECT_GT(clusters, 0);
  EXPECT_LE(clusters, deviceAttribute(cudaDevAttrMultiProcessorCount) * blocks(1024) / 2);
}

} // namespace
} // namespace conformance

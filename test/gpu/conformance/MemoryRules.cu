// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How much memory is free, and the pool of what graphs allocate. Other processes may use the GPU
// meanwhile, so no rule is about an amount of free memory.

#include "Conformance.h"

namespace conformance {
namespace {

constexpr std::size_t kBytes = std::size_t{8} << 20;

unsigned long long poolBytes(cudaGraphMemAttributeType attribute) {
  unsigned long long bytes = 0;
  EXPECT_EQ(cudaSuccess, cudaDeviceGetGraphMemAttribute(0, attribute, &bytes));
  return bytes;
}
unsigned long long reserved() { return poolBytes(cudaGraphMemAttrReservedMemCurrent); }

struct MemoryRules : Conformance {
  Stream stream;
  Graph graph, second;
  Exec exec, secondExec;

  // Allocates, writes and frees.
  void capture(cudaGraph_t *into) {
    void *memory = nullptr;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaMallocAsync(&memory, kBytes, stream));
    OK(cudaMemsetAsync(memory, 0, kBytes, stream));
    OK(cudaFreeAsync(memory, stream));
    OK(cudaStreamEndCapture(stream, into));
  }
};

TEST_F(MemoryRules, AskingForFreeMemoryWaitsForNothing) {
  std::size_t free = 0, total = 0;
  spinOn(stream, kLongNs);
  OK(cudaMemGetInfo(&free, &total));
  EXPECT_CUDA(cudaErrorNotReady, cudaStreamQuery(stream));
  (void)reserved();
  EXPECT_CUDA(cudaErrorNotReady, cudaStreamQuery(stream));
  EXPECT_GT(free, 0U);
  EXPECT_LE(free, total);
  OK(cudaStreamSynchronize(stream));
}

TEST_F(MemoryRules, GraphsTakeMemoryFromOnePool) {
  OK(cudaDeviceGraphMemTrim(0));
  const unsigned long long before = reserved();
  capture(&graph);
  EXPECT_EQ(before, reserved()) << "a capture takes nothing from it";
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  const unsigned long long grown = reserved();
  EXPECT_GE(grown, before + kBytes);
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(grown, reserved()) << "a second launch has its memory";
  capture(&second);
  OK(cudaGraphInstantiate(&secondExec, second, 0));
  OK(cudaGraphLaunch(secondExec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(grown, reserved()) << "graphs that run one after the other share it";
  EXPECT_GE(poolBytes(cudaGraphMemAttrReservedMemHigh), grown);
}

TEST_F(MemoryRules, ThePoolKeepsWhatItHasUntilItIsTrimmed) {
  OK(cudaDeviceGraphMemTrim(0));
  const unsigned long long before = reserved();
  capture(&graph);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaGraphExecDestroy(exec.release()));
  EXPECT_GE(reserved(), before + kBytes);
  OK(cudaDeviceGraphMemTrim(0));
  EXPECT_EQ(before, reserved());
}

// Its neighbours stay: what is next to it may be of the same page.
TEST_F(MemoryRules, TheDriverKnowsNoMemoryThatWasFreed) {
  CUdeviceptr pointers[3] = {};
  unsigned type = 0;
  const auto ask = [&] {
    return DRIVER(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointers[1] + 8);
  };
  for (CUdeviceptr &pointer : pointers)
    ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemAlloc_v2)(&pointer, 64));
  EXPECT_EQ(CUDA_SUCCESS, ask());
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuMemFree_v2)(pointers[1]));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, ask());
  for (const int i : {0, 2})
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuMemFree_v2)(pointers[i]));
}

TEST_F(MemoryRules, ANodeThatAllocatesTellsHowMuch) {
  capture(&graph);
  std::size_t found = 0;
  for (const cudaGraphNode_t node : nodesOf(graph)) {
    if (typeOf(node) != cudaGraphNodeTypeMemAlloc)
      continue;
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphMemAllocNodeGetParams)(node, &params));
    EXPECT_GE(params.bytesize, kBytes);
    EXPECT_LT(params.bytesize, 2 * kBytes);
    ++found;
  }
  EXPECT_EQ(1U, found);
}

} // namespace
} // namespace conformance

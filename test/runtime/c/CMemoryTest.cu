// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program whose copies and allocations are made in C.

#include <vector>

#include "c/calls.h"
#include "graphprof/step.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

__device__ char table[64];

const void *symbolOf() { return reinterpret_cast<const void *>(&table); }

TEST(CMemory, CopiesToTheDeviceAreTimedInsideAStep) {
  Recorder recorder;
  TestStream stream;
  void *device = nullptr;
  std::vector<char> host(100, 42);
  CUDA_OK(memoryCalls.allocate(&device, host.size()));
  const auto onDevice = reinterpret_cast<CUdeviceptr>(device);
  CUDA_OK(memoryCalls.copy(device, host.data(), 1, cudaMemcpyHostToDevice)); // outside of steps
  {
    GRAPHPROF_STEP(1);
    CUDA_OK(memoryCalls.copy(device, host.data(), 10, cudaMemcpyHostToDevice));
    CUDA_OK(memoryCalls.copyAsync(device, host.data(), 11, cudaMemcpyHostToDevice, stream));
    CUDA_OK(memoryCalls.copy2D(device, 12, host.data(), 12, 6, 2, cudaMemcpyHostToDevice));
    CUDA_OK(memoryCalls.copy2DAsync(device, 13, host.data(), 13, 13, 1, cudaMemcpyHostToDevice,
                                    stream));
    CUDA_OK(memoryCalls.copyToSymbol(symbolOf(), host.data(), 14, 0, cudaMemcpyHostToDevice));
    CUDA_OK(memoryCalls.copyToSymbolAsync(symbolOf(), host.data(), 15, 0, cudaMemcpyHostToDevice,
                                          stream));
    CU_OK(memoryCalls.driverCopy(onDevice, host.data(), 16));
    CU_OK(memoryCalls.driverCopyAsync(onDevice, host.data(), 17, stream));
    // These are none:
    CUDA_OK(memoryCalls.copy(host.data(), device, 20, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue,
              memoryCalls.copy(nullptr, host.data(), 21, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, memoryCalls.driverCopy(0, host.data(), 22));
  }
  EXPECT_EQ((std::vector<std::uint64_t>{10, 11, 12, 13, 14, 15, 16, 17}), copiedBytes(recorder));
  EXPECT_EQ(42, host[0]);
  CUDA_OK(memoryCalls.free(device));
}

TEST(CMemory, EveryFormOfAnAllocationWorksAsTheProgramsOwn) {
  TestStream stream;
  cudaMemPool_t pool = nullptr;
  CUDA_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  void *one = nullptr;
  CUdeviceptr two = 0;
  std::size_t pitch = 0;
  CUDA_OK(memoryCalls.allocateManaged(&one, 16, cudaMemAttachGlobal));
  CUDA_OK(memoryCalls.free(one));
  CUDA_OK(memoryCalls.allocatePitch(&one, &pitch, 100, 3));
  CUDA_OK(memoryCalls.free(one));
  CUDA_OK(memoryCalls.allocateAsync(&one, 16, stream));
  CUDA_OK(memoryCalls.freeAsync(one, stream));
  CUDA_OK(memoryCalls.allocateFromPool(&one, 16, pool, stream));
  CUDA_OK(memoryCalls.freeAsync(one, stream));
  CUDA_OK(memoryCalls.allocateHost(&one, 16));
  CUDA_OK(memoryCalls.freeHost(one));
  CUDA_OK(memoryCalls.hostAllocate(&one, 16, cudaHostAllocPortable));
  CUDA_OK(memoryCalls.freeHost(one));
  CUDA_OK(memoryCalls.free(nullptr));
  CU_OK(memoryCalls.driverAllocate(&two, 16));
  CU_OK(memoryCalls.driverFree(two));
  CU_OK(memoryCalls.driverAllocateManaged(&two, 16, 1));
  CU_OK(memoryCalls.driverFree(two));
  CU_OK(memoryCalls.driverAllocatePitch(&two, &pitch, 100, 3, 4));
  CU_OK(memoryCalls.driverFree(two));
  CU_OK(memoryCalls.driverAllocateAsync(&two, 16, stream));
  CU_OK(memoryCalls.driverFreeAsync(two, stream));
  CU_OK(memoryCalls.driverAllocateFromPool(&two, 16, pool, stream));
  CU_OK(memoryCalls.driverFreeAsync(two, stream));
  CU_OK(memoryCalls.driverAllocateHost(&one, 16));
  CU_OK(memoryCalls.driverFreeHost(one));
  CU_OK(memoryCalls.driverHostAllocate(&one, 16, CU_MEMHOSTALLOC_PORTABLE));
  CU_OK(memoryCalls.driverFreeHost(one));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, memoryCalls.driverAllocate(&two, 0));
  CUDA_OK(cudaStreamSynchronize(stream));
}

} // namespace
} // namespace graphprof::test

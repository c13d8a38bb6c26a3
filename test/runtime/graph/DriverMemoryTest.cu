// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected copies and allocations of the driver API.

#include "graphprof/cuda_driver.h"

#include <vector>

#include "graphprof/step.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

TEST(DriverCopies, StepsCopiesAreTimed) {
  // Copies to the device are timed inside a step, with their bytes.
  Recorder recorder;
  TestStream stream;
  CUdeviceptr device = 0;
  std::vector<char> host(100, 42);
  CU_OK(cuda::cuMemAlloc(&device, host.size()));
  CU_OK(cuda::cuMemcpyHtoD(device, host.data(), 10)); // outside of steps
  {
    GRAPHPROF_STEP(1);
    CU_OK(cuda::cuMemcpyHtoD(device, host.data(), host.size()));
    CU_OK(cuda::cuMemcpyHtoDAsync(device, host.data(), 20, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemcpyHtoD(0, host.data(), 30));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemcpyHtoDAsync(0, host.data(), 30, stream));
  }
  EXPECT_EQ((std::vector<std::uint64_t>{100, 20}), copiedBytes(recorder));
  char back = 0;
  CUDA_OK(cudaMemcpy(&back, reinterpret_cast<void *>(device), 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(42, back);
  CU_OK(cuda::cuMemFree(device));
}

TEST(DriverAllocations, ProgramsAllocationsWork) {
  // Every form works as the program's own.
  TestStream stream;
  CUdeviceptr one = 0;
  void *host = nullptr;
  std::size_t pitch = 0;
  CU_OK(cuda::cuMemAlloc(&one, 16));
  CU_OK(cuda::cuMemFree(one));
  CU_OK(cuda::cuMemAllocManaged(&one, 16, /*CU_MEM_ATTACH_GLOBAL*/ 1));
  CU_OK(cuda::cuMemFree(one));
  CU_OK(cuda::cuMemAllocPitch(&one, &pitch, 100, 3, 4));
  EXPECT_GE(pitch, 100u);
  CU_OK(cuda::cuMemFree(one));
  CU_OK(cuda::cuMemAllocHost(&host, 16));
  CU_OK(cuda::cuMemFreeHost(host));
  CU_OK(cuda::cuMemHostAlloc(&host, 16, CU_MEMHOSTALLOC_PORTABLE));
  CU_OK(cuda::cuMemFreeHost(host));
  CU_OK(cuda::cuMemAllocAsync(&one, 16, stream));
  CU_OK(cuda::cuMemFreeAsync(one, stream));
  cudaMemPool_t pool = nullptr;
  CUDA_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CU_OK(cuda::cuMemAllocFromPoolAsync(&one, 16, pool, stream));
  CU_OK(cuda::cuMemFreeAsync(one, stream));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemAlloc(&one, 0));
  CU_OK(cuStreamSynchronize(stream));
}

} // namespace
} // namespace graphprof::test

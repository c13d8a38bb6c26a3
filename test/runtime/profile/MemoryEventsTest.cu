// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is recorded of 3D memory, and of memory that the program maps itself.

#include "graphprof/cuda_driver.h"

#include <vector>

#include "graphprof/step.h"
#include "support/MemoryEvents.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

using Events = std::vector<MemorySeen>;

TEST(MemoryEvents, VolumeHasAskedSize) {
  // Events of 3D memory have what was asked for.
  cudaPitchedPtr memory{};
  MemoryRecorder recorder;
  CUDA_OK(cuda::cudaMalloc3D(&memory, make_cudaExtent(100, 3, 2)));
  EXPECT_GE(memory.pitch, 100u);
  CUDA_OK(cuda::cudaFree(memory.ptr));
  EXPECT_EQ(::cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)),
            cuda::cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  const std::uint64_t address = addressOf(memory.ptr);
  EXPECT_EQ((Events{{"device", 600, address, ""}, {"device", -600, address, ""}}), recorder.all());
}

// Events of mapped memory are those of its first and last holder. Memory that the program maps
// itself: freed when nobody holds it any more, however that comes.
TEST(MemoryEvents, HoldersMakeMappedEvents) {
  CUDA_OK(cudaFree(nullptr));
  CUmemAllocationProp device{CU_MEM_ALLOCATION_TYPE_PINNED,
                             CU_MEM_HANDLE_TYPE_NONE,
                             {CU_MEM_LOCATION_TYPE_DEVICE, 0},
                             nullptr,
                             {}};
  std::size_t bytes = 0;
  CU_OK(cuMemGetAllocationGranularity(&bytes, &device, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  const auto size = static_cast<long long>(bytes);
  CUdeviceptr space = 0;
  CU_OK(cuMemAddressReserve(&space, 2 * bytes, 0, 0, 0));
  CUmemGenericAllocationHandle one = 0, two = 0, again = 0;
  long long total = -1;
  MemoryRecorder recorder;
  {
    GRAPHPROF_SCOPE(1, "grow", on_capture());
    CU_OK(cuda::cuMemCreate(&one, bytes, &device, 0));
  }
  CU_OK(cuda::cuMemCreate(&two, bytes, &device, 0));
  CU_OK(cuda::cuMemMap(space, bytes, 0, one, 0));
  CU_OK(cuda::cuMemMap(space + bytes, bytes, 0, two, 0));
  CU_OK(cuda::cuMemRelease(one));
  CU_OK(cuda::cuMemRelease(two));
  CU_OK(cuda::cuMemRetainAllocationHandle(&again, reinterpret_cast<void *>(space + bytes)));
  EXPECT_EQ(two, again);
  // As the calls alone.
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemCreate(nullptr, bytes, &device, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemCreate(&again, bytes, nullptr, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemMap(space, bytes, 0, two, 0)) << "it is mapped";
  {
    GRAPHPROF_SCOPE(1, "shrink", on_capture());
    CU_OK(cuda::cuMemUnmap(space, 2 * bytes)); // both
    CU_OK(cuda::cuMemUnmap(space, 2 * bytes)); // nothing any more
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuda::cuMemUnmap(space, 0));
  }
  CU_OK(cuda::cuMemRelease(two));
  EXPECT_EQ((Events{{"device", size, one, "grow"},
                    {"device", size, two, ""},
                    {"device", -size, one, "shrink"},
                    {"device", -size, two, ""}}),
            recorder.all(&total));
  EXPECT_EQ(0, total);
  CU_OK(cuMemAddressFree(space, 2 * bytes));
}

} // namespace
} // namespace graphprof::test

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is recorded of arrays and 3D memory, through both APIs.

#include "graphprof/cuda_driver.h"

#include <vector>

#include "graphprof/step.h"
#include "support/MemoryEvents.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

#define CU_OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

using Events = std::vector<MemorySeen>;

cudaChannelFormatDesc floats() {
  return cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
}
cudaChannelFormatDesc fourBytes() {
  return cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
}

TEST(MemoryEvents, Of3DMemoryHaveWhatWasAskedFor) {
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

TEST(MemoryEvents, OfArraysHaveTheirHandleAndTheBytesOfTheirElements) {
  const cudaChannelFormatDesc four = fourBytes(), real = floats();
  cudaArray_t line = nullptr, plane = nullptr, cube = nullptr, layers = nullptr;
  cudaMipmappedArray_t mipmap = nullptr;
  MemoryRecorder recorder;
  {
    GRAPHPROF_STEP(1);
    GRAPHPROF_SCOPE(1, "textures", onCapture());
    CUDA_OK(cuda::cudaMallocArray(&line, &real, 100));
  }
  CUDA_OK(cuda::cudaMallocArray(&plane, &four, 16, 8));
  CUDA_OK(cuda::cudaMalloc3DArray(&cube, &real, make_cudaExtent(8, 4, 2)));
  CUDA_OK(cuda::cudaMalloc3DArray(&layers, &real, make_cudaExtent(8, 0, 3), cudaArrayLayered));
  CUDA_OK(cuda::cudaMallocMipmappedArray(&mipmap, &real, make_cudaExtent(8, 4, 2), 3));
  const std::vector<std::uint64_t> at = {addressOf(line), addressOf(plane), addressOf(cube),
                                         addressOf(layers), addressOf(mipmap)};
  for (const cudaArray_t array : {line, plane, cube, layers})
    CUDA_OK(cuda::cudaFreeArray(array));
  CUDA_OK(cuda::cudaFreeMipmappedArray(mipmap));
  long long total = -1;
  Events seen = recorder.all(&total);
  ASSERT_EQ(10u, seen.size());
  EXPECT_GE(seen[0].step, 0);
  seen[0].step = -1;
  const std::vector<long long> bytes = {400, 512, 256, 96, (64 + 8 + 2) * 4};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ((MemorySeen{"device", bytes[i], at[i], i == 0 ? "textures" : ""}), seen[i]);
    EXPECT_EQ((MemorySeen{"device", -bytes[i], at[i], ""}), seen[5 + i]);
  }
  EXPECT_EQ(0, total);
}

TEST(MemoryEvents, NoneOfArraysThatWereNotMade) {
  const cudaChannelFormatDesc real = floats();
  const cudaExtent none = make_cudaExtent(0, 0, 0), one = make_cudaExtent(1, 1, 1);
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmap = nullptr;
  MemoryRecorder recorder;
  // As the calls alone.
  EXPECT_EQ(::cudaMallocArray(&array, &real, 0), cuda::cudaMallocArray(&array, &real, 0));
  EXPECT_EQ(::cudaMallocArray(nullptr, &real, 1), cuda::cudaMallocArray(nullptr, &real, 1));
  EXPECT_EQ(::cudaMalloc3DArray(&array, &real, none), cuda::cudaMalloc3DArray(&array, &real, none));
  EXPECT_EQ(::cudaMalloc3DArray(nullptr, &real, one), cuda::cudaMalloc3DArray(nullptr, &real, one));
  EXPECT_EQ(::cudaMallocMipmappedArray(&mipmap, &real, none, 1),
            cuda::cudaMallocMipmappedArray(&mipmap, &real, none, 1));
  EXPECT_EQ(::cudaMallocMipmappedArray(nullptr, &real, one, 1),
            cuda::cudaMallocMipmappedArray(nullptr, &real, one, 1));
  EXPECT_NE(cudaSuccess, cudaGetLastError());
  CUDA_OK(cuda::cudaFreeArray(nullptr));
  CUDA_OK(cuda::cudaFreeMipmappedArray(nullptr));
  EXPECT_EQ(Events(), recorder.all());
}

TEST(MemoryEvents, OfTheDriversArraysAreThoseOfTheRuntimes) {
  CUDA_OK(cudaFree(nullptr));
  CUDA_ARRAY_DESCRIPTOR flat{};
  flat.Width = 16;
  flat.Height = 8;
  flat.Format = CU_AD_FORMAT_UNSIGNED_INT8;
  flat.NumChannels = 4;
  CUDA_ARRAY3D_DESCRIPTOR solid{};
  solid.Width = 8;
  solid.Height = 4;
  solid.Depth = 2;
  solid.Format = CU_AD_FORMAT_HALF;
  solid.NumChannels = 2;
  CUarray plane = nullptr, cube = nullptr;
  CUmipmappedArray mipmap = nullptr;
  MemoryRecorder recorder;
  CU_OK(cuda::cuArrayCreate(&plane, &flat));
  CU_OK(cuda::cuArray3DCreate(&cube, &solid));
  CU_OK(cuda::cuMipmappedArrayCreate(&mipmap, &solid, 3));
  const std::uint64_t at[] = {addressOf(plane), addressOf(cube), addressOf(mipmap)};
  // Handles of both APIs are the same.
  CUDA_OK(cuda::cudaFreeArray(reinterpret_cast<cudaArray_t>(plane)));
  CU_OK(cuda::cuArrayDestroy(cube));
  CU_OK(cuda::cuMipmappedArrayDestroy(mipmap));
  // As the calls alone.
  flat.Width = 0;
  EXPECT_EQ(::cuArrayCreate(&plane, &flat), cuda::cuArrayCreate(&plane, &flat));
  EXPECT_EQ(::cuArrayCreate(&plane, nullptr), cuda::cuArrayCreate(&plane, nullptr));
  EXPECT_EQ(::cuArray3DCreate(nullptr, &solid), cuda::cuArray3DCreate(nullptr, &solid));
  EXPECT_EQ(::cuArray3DCreate(&cube, nullptr), cuda::cuArray3DCreate(&cube, nullptr));
  EXPECT_EQ(::cuMipmappedArrayCreate(nullptr, &solid, 1),
            cuda::cuMipmappedArrayCreate(nullptr, &solid, 1));
  EXPECT_EQ(::cuMipmappedArrayCreate(&mipmap, nullptr, 1),
            cuda::cuMipmappedArrayCreate(&mipmap, nullptr, 1));
  EXPECT_EQ(::cuArrayDestroy(nullptr), cuda::cuArrayDestroy(nullptr));
  EXPECT_EQ(::cuMipmappedArrayDestroy(nullptr), cuda::cuMipmappedArrayDestroy(nullptr));
  const Events expected = {{"device", 512, at[0], ""},
                           {"device", 256, at[1], ""},
                           {"device", (64 + 8 + 2) * 4, at[2], ""},
                           {"device", -512, at[0], ""},
                           {"device", -256, at[1], ""},
                           {"device", -(64 + 8 + 2) * 4, at[2], ""}};
  long long total = -1;
  EXPECT_EQ(expected, recorder.all(&total));
  EXPECT_EQ(0, total);
}

// Memory that the program maps itself: freed when nobody holds it any more, however that comes.
TEST(MemoryEvents, OfMappedMemoryAreThoseOfItsFirstAndLastHolder) {
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
    GRAPHPROF_SCOPE(1, "grow", onCapture());
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
    GRAPHPROF_SCOPE(1, "shrink", onCapture());
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

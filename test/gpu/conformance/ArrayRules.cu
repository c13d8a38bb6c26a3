// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Arrays, mipmapped arrays and 3D memory: which are allowed, what CUDA returns, and that both APIs
// have the same handles.

#include "Conformance.h"

namespace conformance {
namespace {

using Array = Owned<cudaArray_t, cudaFreeArray>;
using Mipmap = Owned<cudaMipmappedArray_t, cudaFreeMipmappedArray>;

struct ArrayRules : Conformance {
  const cudaChannelFormatDesc real = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  Array array;
  Mipmap mipmap;

  static cudaExtent extentOf(cudaArray_t array) {
    cudaExtent extent{99, 99, 99};
    EXPECT_CUDA(cudaSuccess, cudaArrayGetInfo(nullptr, &extent, nullptr, array));
    return extent;
  }
};

void expectExtent(std::size_t width, std::size_t height, std::size_t depth, cudaExtent extent) {
  EXPECT_EQ(width, extent.width);
  EXPECT_EQ(height, extent.height);
  EXPECT_EQ(depth, extent.depth);
}

TEST_F(ArrayRules, ArrayTellsItsShape) {
  // An array knows what it was asked for with.
  const cudaChannelFormatDesc four =
      cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
  OK(cudaMallocArray(&array, &four, 16, 8));
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 99;
  OK(cudaArrayGetInfo(&channels, &extent, &flags, array));
  EXPECT_EQ(8, channels.x);
  EXPECT_EQ(8, channels.w);
  EXPECT_EQ(cudaChannelFormatKindUnsigned, channels.f);
  EXPECT_EQ(0u, flags);
  expectExtent(16, 8, 0, extent);
}

TEST_F(ArrayRules, AbsentDimensionsAreZero) {
  {
    Array line;
    OK(cudaMallocArray(&line, &real, 100));
    expectExtent(100, 0, 0, extentOf(line));
  }
  {
    Array layers;
    OK(cudaMalloc3DArray(&layers, &real, make_cudaExtent(8, 0, 3), cudaArrayLayered));
    expectExtent(8, 0, 3, extentOf(layers));
  }
  OK(cudaMalloc3DArray(&array, &real, make_cudaExtent(8, 4, 2)));
  expectExtent(8, 4, 2, extentOf(array));
}

TEST_F(ArrayRules, NothingHasNoElements) {
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocArray(&array, &real, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocArray(nullptr, &real, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &real, make_cudaExtent(0, 0, 0)));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMallocMipmappedArray(&mipmap, &real, make_cudaExtent(0, 0, 0), 1));
}

TEST_F(ArrayRules, DepthNeedsHeightOrLayers) {
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &real, make_cudaExtent(8, 0, 3)));
}

TEST_F(ArrayRules, CubeHasSixSquares) {
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMalloc3DArray(&array, &real, make_cudaExtent(8, 4, 6), cudaArrayCubemap));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMalloc3DArray(&array, &real, make_cudaExtent(8, 8, 5), cudaArrayCubemap));
  OK(cudaMalloc3DArray(&array, &real, make_cudaExtent(8, 8, 6), cudaArrayCubemap));
}

TEST_F(ArrayRules, ArrayLargerThanDeviceAllows) {
  // More elements than the device allows are refused.
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocArray(&array, &real, std::size_t{1} << 30));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMalloc3DArray(&array, &real, make_cudaExtent(8, 8, std::size_t{1} << 20)));
}

TEST_F(ArrayRules, UnknownFormatIsRefused) {
  const cudaChannelFormatDesc odd = cudaCreateChannelDesc(7, 0, 0, 0, cudaChannelFormatKindSigned);
  EXPECT_CUDA(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &odd, 8));
}

TEST_F(ArrayRules, FreeingNothingIsNoError) {
  OK(cudaFreeArray(nullptr));
  OK(cudaFreeMipmappedArray(nullptr));
}

TEST_F(ArrayRules, LevelHalvesTheOneBefore) {
  OK(cudaMallocMipmappedArray(&mipmap, &real, make_cudaExtent(8, 4, 2), 3));
  const cudaExtent expected[] = {{8, 4, 2}, {4, 2, 1}, {2, 1, 1}};
  for (unsigned level = 0; level < 3; ++level) {
    cudaArray_t at = nullptr;
    OK(cudaGetMipmappedArrayLevel(&at, mipmap, level));
    expectExtent(expected[level].width, expected[level].height, expected[level].depth,
                 extentOf(at));
  }
  cudaArray_t beyond = nullptr;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&beyond, mipmap, 3));
}

TEST_F(ArrayRules, LevelsEndAtOneElement) {
  // There are no more levels than down to one element.
  OK(cudaMallocMipmappedArray(&mipmap, &real, make_cudaExtent(8, 4, 0), 99));
  cudaArray_t last = nullptr, beyond = nullptr;
  OK(cudaGetMipmappedArrayLevel(&last, mipmap, 3));
  expectExtent(1, 1, 0, extentOf(last));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&beyond, mipmap, 4));
}

TEST_F(ArrayRules, LayersAreNotHalved) {
  OK(cudaMallocMipmappedArray(&mipmap, &real, make_cudaExtent(8, 0, 3), 2, cudaArrayLayered));
  cudaArray_t second = nullptr;
  OK(cudaGetMipmappedArrayLevel(&second, mipmap, 1));
  expectExtent(4, 0, 3, extentOf(second));
}

TEST_F(ArrayRules, DriverAndRuntimeShareArrays) {
  // Both APIs have the same arrays.
  CUDA_ARRAY3D_DESCRIPTOR asked{};
  asked.Width = 8;
  asked.Height = 4;
  asked.Format = CU_AD_FORMAT_HALF;
  asked.NumChannels = 2;
  CUarray driverArray = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuArray3DCreate)(&driverArray, &asked));
  const auto runtimeArray = reinterpret_cast<cudaArray_t>(driverArray);
  cudaChannelFormatDesc channels{};
  OK(cudaArrayGetInfo(&channels, nullptr, nullptr, runtimeArray));
  EXPECT_EQ(16, channels.x);
  EXPECT_EQ(16, channels.y);
  EXPECT_EQ(0, channels.z);
  EXPECT_EQ(cudaChannelFormatKindFloat, channels.f);
  OK(cudaFreeArray(runtimeArray));

  OK(cudaMallocArray(&array, &real, 8, 4));
  driverArray = reinterpret_cast<CUarray>(array.release());
  ASSERT_EQ(CUDA_SUCCESS, DRIVER(cuArray3DGetDescriptor)(&asked, driverArray));
  EXPECT_EQ(8u, asked.Width);
  EXPECT_EQ(0u, asked.Depth);
  EXPECT_EQ(CU_AD_FORMAT_FLOAT, asked.Format);
  EXPECT_EQ(1u, asked.NumChannels);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuArrayDestroy)(driverArray));
}

TEST_F(ArrayRules, DriverRefusesLikeRuntime) {
  // The driver refuses what the runtime refuses.
  CUDA_ARRAY_DESCRIPTOR asked{};
  asked.Width = 8;
  asked.Format = CU_AD_FORMAT_FLOAT;
  asked.NumChannels = 3;
  CUarray created = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuArrayCreate)(&created, &asked));
  asked.NumChannels = 1;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuArrayCreate)(nullptr, &asked));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuArrayCreate)(&created, nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, DRIVER(cuArrayDestroy)(nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, DRIVER(cuMipmappedArrayDestroy)(nullptr));
}

TEST_F(ArrayRules, VolumeRowsHaveOnePitch) {
  // Three-dimensional memory is rows of one pitch.
  cudaPitchedPtr memory{};
  OK(cudaMalloc3D(&memory, make_cudaExtent(100, 3, 2)));
  EXPECT_NE(nullptr, memory.ptr);
  EXPECT_GE(memory.pitch, 100u);
  EXPECT_EQ(100u, memory.xsize);
  EXPECT_EQ(3u, memory.ysize);
  OK(cudaMemset(memory.ptr, 1, memory.pitch * 3 * 2));
  OK(cudaFree(memory.ptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)));
}

} // namespace
} // namespace conformance

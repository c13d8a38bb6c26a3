// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Helpers for tests of copies: memory and an array of a few floats, and checks of their contents.

#ifndef GRAPHPROF_TEST_COPIES_H
#define GRAPHPROF_TEST_COPIES_H

#include "Conformance.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace conformance {

using Bytes = std::vector<unsigned char>;
using Array = Owned<cudaArray_t, cudaFreeArray>;

constexpr std::size_t kRow = 16, kRows = 4, kSize = kRow * kRows; // 4 floats a row

inline Bytes counted(std::size_t size) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  return bytes;
}

// Rows of `width` bytes from rows with a pitch.
inline Bytes window(const Bytes &from, std::size_t pitch, std::size_t x, std::size_t y,
                    std::size_t width, std::size_t height) {
  Bytes result;
  for (std::size_t row = y; row < y + height; ++row)
    result.insert(result.end(), from.begin() + row * pitch + x,
                  from.begin() + row * pitch + x + width);
  return result;
}

struct Copies : Conformance {
  Stream stream;
  const cudaChannelFormatDesc real = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  const Bytes source = counted(kSize);
  unsigned char *device = nullptr, *pinned = nullptr;
  Array array; // 4 x 4 floats

  Copies() {
    EXPECT_EQ(cudaSuccess, cudaMalloc(&device, kSize));
    EXPECT_EQ(cudaSuccess, cudaMallocHost(&pinned, kSize));
    EXPECT_EQ(cudaSuccess, cudaMallocArray(&array, &real, 4, kRows));
    EXPECT_EQ(cudaSuccess, cudaMemset(device, 0, kSize));
    std::memset(pinned, 0, kSize);
    const Bytes none(kSize);
    EXPECT_EQ(cudaSuccess, cudaMemcpy2DToArray(array, 0, 0, none.data(), kRow, kRow, kRows,
                                               cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
  }
  ~Copies() override {
    cudaFree(device);
    cudaFreeHost(pinned);
    cudaGetLastError();
  }

  CUarray driverArray() const { return reinterpret_cast<CUarray>(static_cast<cudaArray_t>(array)); }
  static CUdeviceptr address(const void *pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
  // Fills pinned memory, device memory and the array with the source's bytes.
  void fill() {
    OK(cudaMemcpy(device, source.data(), kSize, cudaMemcpyHostToDevice));
    std::copy(source.begin(), source.end(), pinned);
    OK(cudaMemcpy2DToArray(array, 0, 0, source.data(), kRow, kRow, kRows, cudaMemcpyHostToDevice));
    OK(cudaDeviceSynchronize()); // a copy from pageable memory may return early
  }
  Bytes inDevice() const {
    Bytes result(kSize);
    EXPECT_CUDA(cudaSuccess, cudaMemcpy(result.data(), device, kSize, cudaMemcpyDeviceToHost));
    return result;
  }
  Bytes inArray() const {
    Bytes result(kSize);
    EXPECT_CUDA(cudaSuccess, cudaMemcpy2DFromArray(result.data(), kRow, array, 0, 0, kRow, kRows,
                                                   cudaMemcpyDeviceToHost));
    return result;
  }
  cudaMemcpy3DParms hostToArray() const {
    cudaMemcpy3DParms params{};
    params.srcPtr =
        make_cudaPitchedPtr(const_cast<unsigned char *>(source.data()), kRow, kRow, kRows);
    params.dstArray = array;
    params.extent = make_cudaExtent(4, kRows, 1);
    params.kind = cudaMemcpyHostToDevice;
    return params;
  }
};

} // namespace conformance

#endif // GRAPHPROF_TEST_COPIES_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Arrays and mipmapped arrays: which are allowed, and their memory, row by row without padding.
// Only the plain formats: one, two or four channels of equal width.

#ifndef CUDASIM_SRC_ARRAY_H
#define CUDASIM_SRC_ARRAY_H

#include "driver_types.h"

#include <cstddef>
#include <memory>
#include <vector>

struct CUarray_st {
  cudaChannelFormatDesc channels;
  cudaExtent extent; // 0: no such dimension
  unsigned flags;
  std::unique_ptr<std::byte[]> storage;
  bool isLevel = false; // owned by a mipmapped array
};

struct CUmipmappedArray_st {
  std::vector<CUarray_st *> levels;
};

namespace cudasim {

struct Device;

cudaError_t arrayCreate(Device &device, CUarray_st **array, const cudaChannelFormatDesc &channels,
                        const cudaExtent &extent, unsigned flags);
// `levels` beyond the level of one element are dropped.
cudaError_t mipmapCreate(Device &device, CUmipmappedArray_st **mipmap,
                         const cudaChannelFormatDesc &channels, const cudaExtent &extent,
                         unsigned levels, unsigned flags);
cudaError_t mipmapLevel(Device &device, CUarray_st **array, const CUmipmappedArray_st *mipmap,
                        unsigned level);
// False for stale handles and for levels.
bool arrayDestroy(Device &device, CUarray_st *array);
bool mipmapDestroy(Device &device, CUmipmappedArray_st *mipmap);

std::size_t elementBytes(const cudaChannelFormatDesc &channels);

// The two APIs' handles are the same.
inline CUarray_st *driverArray(cudaArray_t array) { return reinterpret_cast<CUarray_st *>(array); }
inline cudaArray_t runtimeArray(CUarray_st *array) { return reinterpret_cast<cudaArray_t>(array); }

} // namespace cudasim

#endif // CUDASIM_SRC_ARRAY_H

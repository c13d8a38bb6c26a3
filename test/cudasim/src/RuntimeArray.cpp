// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API: arrays. Only translates arguments.

#include "Array.h"
#include "Call.h"

using namespace cudasim;

#define CUDA_CALL(...)                                                                             \
  return runtimeCall(__func__, [&]([[maybe_unused]] Device & d)->cudaError_t __VA_ARGS__)

namespace {

CUmipmappedArray_st *driverMipmap(cudaMipmappedArray_const_t mipmap) {
  return reinterpret_cast<CUmipmappedArray_st *>(const_cast<cudaMipmappedArray_t>(mipmap));
}

cudaError_t create(Device &d, cudaArray_t *array, const cudaChannelFormatDesc *channels,
                   const cudaExtent &extent, unsigned flags) {
  if (!array || !channels)
    return cudaErrorInvalidValue;
  CUarray_st *created = nullptr;
  const cudaError_t status = arrayCreate(d, &created, *channels, extent, flags);
  if (status == cudaSuccess)
    *array = runtimeArray(created);
  return status;
}

} // namespace

extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}

cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *channels, size_t width,
                            size_t height, unsigned int flags) {
  CUDA_CALL({ return create(d, array, channels, cudaExtent{width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *channels,
                              cudaExtent extent, unsigned int flags) {
  CUDA_CALL({ return create(d, array, channels, extent, flags); });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
                                     const cudaChannelFormatDesc *channels, cudaExtent extent,
                                     unsigned int levels, unsigned int flags) {
  CUDA_CALL({
    if (!mipmap || !channels)
      return cudaErrorInvalidValue;
    CUmipmappedArray_st *created = nullptr;
    const cudaError_t status = mipmapCreate(d, &created, *channels, extent, levels, flags);
    if (status == cudaSuccess)
      *mipmap = reinterpret_cast<cudaMipmappedArray_t>(created);
    return status;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *array, cudaMipmappedArray_const_t mipmap,
                                       unsigned int level) {
  CUDA_CALL({
    CUarray_st *found = nullptr;
    const cudaError_t status =
        mipmapLevel(d, array ? &found : nullptr, driverMipmap(mipmap), level);
    if (status == cudaSuccess)
      *array = runtimeArray(found);
    return status;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *channels, cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array) {
  CUDA_CALL({
    const CUarray_st *const found = d.arrays.get(driverArray(array));
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (channels)
      *channels = found->channels;
    if (extent)
      *extent = found->extent;
    if (flags)
      *flags = found->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  CUDA_CALL({
    if (!array)
      return cudaSuccess;
    if (cudaError_t unsafe = forbidUnsafe(d))
      return unsafe;
    return arrayDestroy(d, driverArray(array)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap) {
  CUDA_CALL({
    if (!mipmap)
      return cudaSuccess;
    if (cudaError_t unsafe = forbidUnsafe(d))
      return unsafe;
    return mipmapDestroy(d, driverMipmap(mipmap)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

} // extern "C"

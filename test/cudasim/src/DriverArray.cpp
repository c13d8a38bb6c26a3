// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: arrays.

#include "Array.h"
#include "Call.h"
#include "DriverParams.h"

#include <optional>

using namespace cudasim;

namespace {

struct Format {
  CUarray_format format;
  cudaChannelFormatKind kind;
  int bits;
};
constexpr Format formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
    {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
    {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
    {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
    {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
    {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
    {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
    {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32},
};

// The runtime API's description of the format; none if there is no such format.
std::optional<cudaChannelFormatDesc> channelsOf(const CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  const unsigned count = descriptor.NumChannels;
  if (count != 1 && count != 2 && count != 4)
    return std::nullopt;
  for (const auto &[format, kind, bits] : formats)
    if (format == descriptor.Format)
      return cudaChannelFormatDesc{bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                   count > 2 ? bits : 0, kind};
  return std::nullopt;
}

CUarray_format formatOf(const cudaChannelFormatDesc &channels) {
  for (const auto &[format, kind, bits] : formats)
    if (kind == channels.f && bits == channels.x)
      return format;
  return CU_AD_FORMAT_FLOAT; // arrays have no other formats
}

CUDA_ARRAY3D_DESCRIPTOR descriptorOf(const CUarray_st &array) {
  const unsigned channels = array.channels.w ? 4 : array.channels.y ? 2 : 1;
  return {array.extent.width, array.extent.height, array.extent.depth, formatOf(array.channels),
          channels,           array.flags};
}

cudaExtent extentOf(const CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  return {descriptor.Width, descriptor.Height, descriptor.Depth};
}

cudaError_t create(Device &d, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR &descriptor) {
  NEEDS_CONTEXT;
  const auto channels = channelsOf(descriptor);
  return channels ? arrayCreate(d, array, *channels, extentOf(descriptor), descriptor.Flags)
                  : cudaErrorInvalidValue;
}

} // namespace

extern "C" {

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor) {
  CU_CALL({
    if (!descriptor)
      return cudaErrorInvalidValue;
    return create(d, array,
                  CUDA_ARRAY3D_DESCRIPTOR{descriptor->Width, descriptor->Height, 0,
                                          descriptor->Format, descriptor->NumChannels, 0});
  });
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor) {
  CU_CALL({ return descriptor ? create(d, array, *descriptor) : cudaErrorInvalidValue; });
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array) {
  CU_CALL({
    const CUarray_st *const found = d.arrays.get(array);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (!descriptor)
      return cudaErrorInvalidValue;
    *descriptor = descriptorOf(*found);
    return cudaSuccess;
  });
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array) {
  CU_CALL({
    const CUarray_st *const found = d.arrays.get(array);
    if (!found)
      return cudaErrorInvalidResourceHandle;
    if (!descriptor)
      return cudaErrorInvalidValue;
    const CUDA_ARRAY3D_DESCRIPTOR all = descriptorOf(*found);
    *descriptor = {all.Width, all.Height, all.Format, all.NumChannels};
    return cudaSuccess;
  });
}

CUresult cuArrayDestroy(CUarray array) {
  CU_CALL({
    if (cudaError_t unsafe = forbidUnsafe(d))
      return unsafe;
    return arrayDestroy(d, array) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *descriptor,
                                unsigned int levels) {
  CU_CALL({
    NEEDS_CONTEXT;
    const auto channels = descriptor ? channelsOf(*descriptor) : std::nullopt;
    return channels ? mipmapCreate(d, mipmap, *channels, extentOf(*descriptor), levels,
                                   descriptor->Flags)
                    : cudaErrorInvalidValue;
  });
}

CUresult cuMipmappedArrayGetLevel(CUarray *array, CUmipmappedArray mipmap, unsigned int level) {
  CU_CALL({ return mipmapLevel(d, array, mipmap, level); });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap) {
  CU_CALL({
    if (cudaError_t unsafe = forbidUnsafe(d))
      return unsafe;
    return mipmapDestroy(d, mipmap) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

} // extern "C"

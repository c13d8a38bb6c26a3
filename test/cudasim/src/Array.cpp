// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Arrays: which are allowed, and their creation and destruction.

#include "Array.h"

#include "Device.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace cudasim {
namespace {

constexpr unsigned kLayers = cudaArrayLayered | cudaArrayCubemap; // depth is the number of layers
constexpr unsigned kUses =
    cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayColorAttachment;
constexpr std::size_t kFaces = 6; // of a cube

// The limits of an H200, in elements.
constexpr std::size_t kLargest1D = 131072;
constexpr std::size_t kLargest2D[] = {131072, 65536};
constexpr std::size_t kLargest3D = 16384;
constexpr std::size_t kLargestLayered = 32768, kMostLayers = 2048;

unsigned channelCount(const cudaChannelFormatDesc &channels) {
  const int widths[] = {channels.x, channels.y, channels.z, channels.w};
  unsigned count = 0;
  while (count < 4 && widths[count] != 0)
    ++count;
  const bool uniform =
      std::all_of(widths, widths + count, [&](int w) { return w == channels.x; }) &&
      std::all_of(widths + count, widths + 4, [](int w) { return w == 0; });
  return uniform ? count : 0;
}

bool isFormat(const cudaChannelFormatDesc &channels) {
  const unsigned count = channelCount(channels);
  if (count != 1 && count != 2 && count != 4)
    return false;
  const int bits = channels.x;
  switch (channels.f) {
  case cudaChannelFormatKindSigned:
  case cudaChannelFormatKindUnsigned:
    return bits == 8 || bits == 16 || bits == 32;
  case cudaChannelFormatKindFloat:
    return bits == 16 || bits == 32;
  case cudaChannelFormatKindNone:
    break;
  }
  return false;
}

bool isExtent(const cudaExtent &extent, unsigned flags) {
  const auto [width, height, depth] = extent;
  if (width == 0 || flags & ~(kLayers | kUses))
    return false;
  if (flags & cudaArrayCubemap && (width != height || depth == 0 || depth % kFaces != 0 ||
                                   (!(flags & cudaArrayLayered) && depth != kFaces)))
    return false;
  if (flags & kLayers)
    return depth > 0 && depth <= kMostLayers && width <= kLargestLayered &&
           height <= kLargestLayered;
  if (height == 0)
    return depth == 0 && width <= kLargest1D;
  if (depth == 0)
    return width <= kLargest2D[0] && height <= kLargest2D[1];
  return std::max({width, height, depth}) <= kLargest3D;
}

std::size_t bytesOf(const cudaChannelFormatDesc &channels, const cudaExtent &extent) {
  return extent.width * std::max<std::size_t>(extent.height, 1) *
         std::max<std::size_t>(extent.depth, 1) * elementBytes(channels);
}

cudaError_t checked(const cudaChannelFormatDesc &channels, const cudaExtent &extent,
                    unsigned flags) {
  if (!isFormat(channels))
    return cudaErrorInvalidChannelDescriptor;
  return isExtent(extent, flags) ? cudaSuccess : cudaErrorInvalidValue;
}

// Null if there is not enough memory.
std::shared_ptr<CUarray_st> made(const cudaChannelFormatDesc &channels, const cudaExtent &extent,
                                 unsigned flags) {
  auto array = std::make_shared<CUarray_st>();
  array->channels = channels;
  array->extent = extent;
  array->flags = flags;
  array->storage.reset(new (std::nothrow) std::byte[bytesOf(channels, extent)]());
  return array->storage ? array : nullptr;
}

// An existing dimension has at least one element.
std::size_t atLevel(std::size_t size, unsigned level) {
  return size ? std::max<std::size_t>(size >> level, 1) : 0;
}

} // namespace

std::size_t elementBytes(const cudaChannelFormatDesc &channels) {
  return (static_cast<std::size_t>(channels.x) + channels.y + channels.z + channels.w) / 8;
}

cudaError_t arrayCreate(Device &device, CUarray_st **array, const cudaChannelFormatDesc &channels,
                        const cudaExtent &extent, unsigned flags) {
  if (!array)
    return cudaErrorInvalidValue;
  if (cudaError_t wrong = checked(channels, extent, flags))
    return wrong;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  auto created = made(channels, extent, flags);
  if (!created)
    return cudaErrorMemoryAllocation;
  *array = device.arrays.add(std::move(created));
  return cudaSuccess;
}

cudaError_t mipmapCreate(Device &device, CUmipmappedArray_st **mipmap,
                         const cudaChannelFormatDesc &channels, const cudaExtent &extent,
                         unsigned levels, unsigned flags) {
  if (!mipmap)
    return cudaErrorInvalidValue;
  if (cudaError_t wrong = checked(channels, extent, flags))
    return wrong;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  const std::size_t longest =
      std::max({extent.width, extent.height, flags & kLayers ? 0 : extent.depth});
  const unsigned count = std::clamp(levels, 1U, static_cast<unsigned>(std::bit_width(longest)));
  std::vector<std::shared_ptr<CUarray_st>> created;
  for (unsigned level = 0; level < count; ++level) {
    const cudaExtent smaller = {atLevel(extent.width, level), atLevel(extent.height, level),
                                flags & kLayers ? extent.depth : atLevel(extent.depth, level)};
    auto array = made(channels, smaller, flags);
    if (!array)
      return cudaErrorMemoryAllocation;
    array->isLevel = true;
    created.push_back(std::move(array));
  }
  auto result = std::make_shared<CUmipmappedArray_st>();
  for (auto &array : created)
    result->levels.push_back(device.arrays.add(std::move(array)));
  *mipmap = device.mipmaps.add(std::move(result));
  return cudaSuccess;
}

cudaError_t mipmapLevel(Device &device, CUarray_st **array, const CUmipmappedArray_st *mipmap,
                        unsigned level) {
  const CUmipmappedArray_st *const found = device.mipmaps.get(mipmap);
  if (!found)
    return cudaErrorInvalidResourceHandle;
  if (!array || level >= found->levels.size())
    return cudaErrorInvalidValue;
  *array = found->levels[level];
  return cudaSuccess;
}

bool arrayDestroy(Device &device, CUarray_st *array) {
  const CUarray_st *const found = device.arrays.get(array);
  return found && !found->isLevel && device.arrays.remove(array);
}

bool mipmapDestroy(Device &device, CUmipmappedArray_st *mipmap) {
  const CUmipmappedArray_st *const found = device.mipmaps.get(mipmap);
  if (!found)
    return false;
  for (CUarray_st *const level : found->levels)
    device.arrays.remove(level);
  return device.mipmaps.remove(mipmap);
}

} // namespace cudasim

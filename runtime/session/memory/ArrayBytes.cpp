// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/memory/ArrayBytes.h"

#include <algorithm>

namespace graphprof {

namespace {

// The flags of cudaArray... and CUDA_ARRAY3D_...
constexpr unsigned layered = 0x01, cubemap = 0x04, sparse = 0x40, deferredMapping = 0x80;

constexpr unsigned smallBlock = 64, largeBlock = 128; // bits
constexpr unsigned blockSide = 4;

ArrayElement block(unsigned bits) { return {bits / (blockSide * blockSide), true}; }

// BC1 to BC7, in the order in which both APIs number them, each twice.
ArrayElement compressed(int index) {
  const int number = index / 2 + 1;
  return block(number == 1 || number == 4 ? smallBlock : largeBlock);
}
constexpr int compressedFormats = 14;

std::uint64_t bytesOf(std::uint64_t width, std::uint64_t height, std::uint64_t depth,
                      ArrayElement element) {
  constexpr unsigned bitsOfByte = 8;
  if (element.inBlocks) {
    const auto whole = [](std::uint64_t side) {
      return (side + blockSide - 1) / blockSide * blockSide;
    };
    width = whole(width);
    height = whole(height);
  }
  return (width * height * depth * element.bits + bitsOfByte - 1) / bitsOfByte;
}

} // namespace

ArrayElement elementOfKind(int kind, int channelBits) noexcept {
  constexpr int nv12 = 4, firstCompressed = 17; // cudaChannelFormatKind
  if (kind == nv12)
    return elementOfFormat(0xb0, 3);
  if (kind >= firstCompressed && kind < firstCompressed + compressedFormats)
    return compressed(kind - firstCompressed);
  return {static_cast<unsigned>(std::max(channelBits, 0)), false};
}

// In the order of CUarray_format. For two planes or packed pairs, the average of a pixel.
ArrayElement elementOfFormat(int format, unsigned channels) noexcept {
  constexpr int firstCompressed = 0x91;
  if (format >= firstCompressed && format < firstCompressed + compressedFormats)
    return compressed(format - firstCompressed);
  switch (format) {
  case 0x01: // UNSIGNED_INT8
  case 0x08: // SIGNED_INT8
    return {8 * channels, false};
  case 0x02: // UNSIGNED_INT16
  case 0x09: // SIGNED_INT16
  case 0x10: // HALF
    return {16 * channels, false};
  case 0x03: // UNSIGNED_INT32
  case 0x0a: // SIGNED_INT32
  case 0x20: // FLOAT
    return {32 * channels, false};
  case 0xb0: // NV12
    return {12, false};
  case 0x9f: // P010
  case 0xa1: // P016
    return {24, false};
  case 0xc0: // UNORM_INT8X1
  case 0xc6: // SNORM_INT8X1
    return {8, false};
  case 0xa2: // NV16
  case 0xa5: // YUY2
  case 0xc1: // UNORM_INT8X2
  case 0xc3: // UNORM_INT16X1
  case 0xc7: // SNORM_INT8X2
  case 0xc9: // SNORM_INT16X1
    return {16, false};
  case 0xb2: // Y444_PLANAR8
  case 0xb4: // YUV444_8bit_SemiPlanar
    return {24, false};
  case 0x50: // UNORM_INT_101010_2
  case 0xa3: // P210
  case 0xa4: // P216
  case 0xa6: // Y210
  case 0xa7: // Y216
  case 0xa8: // AYUV
  case 0xa9: // Y410
  case 0xc2: // UNORM_INT8X4
  case 0xc4: // UNORM_INT16X2
  case 0xc8: // SNORM_INT8X4
  case 0xca: // SNORM_INT16X2
    return {32, false};
  case 0xb3: // Y444_PLANAR10
  case 0xb5: // YUV444_16bit_SemiPlanar
    return {48, false};
  case 0xb1: // Y416
  case 0xc5: // UNORM_INT16X4
  case 0xcb: // SNORM_INT16X4
    return {64, false};
  default:
    return {};
  }
}

std::uint64_t arrayBytes(const graphprof_seam_shape &shape, ArrayElement element) noexcept {
  if (shape.flags & (sparse | deferredMapping))
    return 0;
  const bool layers = (shape.flags & (layered | cubemap)) != 0;
  std::uint64_t width = shape.width, height = std::max<std::uint64_t>(shape.height, 1),
                depth = std::max<std::uint64_t>(shape.depth, 1);
  std::uint64_t bytes = 0;
  for (unsigned level = 0; level < std::max(shape.levels, 1U); ++level) {
    bytes += bytesOf(width, height, depth, element);
    if (width <= 1 && height == 1 && (layers || depth == 1))
      break; // CUDA makes no more levels than this
    width = std::max<std::uint64_t>(width / 2, 1);
    height = std::max<std::uint64_t>(height / 2, 1);
    depth = layers ? depth : std::max<std::uint64_t>(depth / 2, 1);
  }
  return bytes;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The size of an array as the program asked for it, without what the device adds for its own
// layout. Knows CUDA's numbers of formats and flags only.

#ifndef GRAPHPROF_SESSION_MEMORY_ARRAYBYTES_H
#define GRAPHPROF_SESSION_MEMORY_ARRAYBYTES_H

#include <cstdint>

#include "graphprof/detail/seam.h"

namespace graphprof {

/// The size of one element.
struct ArrayElement {
  unsigned bits = 0; ///< 0: unknown
  /// Block-compressed: blocks of 4 x 4 elements.
  bool inBlocks = false;
};

/// The element of a cudaChannelFormatKind (runtime API). `channelBits`: the bits of all channels
/// together.
[[nodiscard]] ArrayElement elementOfKind(int kind, int channelBits) noexcept;

/// The element of a CUarray_format (driver API).
[[nodiscard]] ArrayElement elementOfFormat(int format, unsigned channels) noexcept;

/// The bytes of all levels together. 0 if the array has no memory of its own, because memory is
/// mapped later (sparse, deferred mapping).
[[nodiscard]] std::uint64_t arrayBytes(const graphprof_seam_shape &shape,
                                       ArrayElement element) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_SESSION_MEMORY_ARRAYBYTES_H

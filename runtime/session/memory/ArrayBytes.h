// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How many bytes an array's elements take, as it was asked for: without what the device adds for
// its own layout. Knows CUDA's numbers for formats and flags, and nothing else of it.

#ifndef GRAPHPROF_SESSION_MEMORY_ARRAYBYTES_H
#define GRAPHPROF_SESSION_MEMORY_ARRAYBYTES_H

#include <cstdint>

#include "graphprof/detail/seam.h"

namespace graphprof {

/// What one element takes.
struct ArrayElement {
  unsigned bits = 0; ///< 0: nobody knows
  /// Block-compressed: 4 x 4 elements are kept or left out together.
  bool inBlocks = false;
};

/// As the runtime API describes it: a cudaChannelFormatKind, and the bits of all channels together.
[[nodiscard]] ArrayElement elementOfKind(int kind, int channelBits) noexcept;

/// As the driver API describes it: a CUarray_format, and how many channels.
[[nodiscard]] ArrayElement elementOfFormat(int format, unsigned channels) noexcept;

/// Of all levels together; 0 where nothing is allocated with the array, because its memory is
/// mapped later (sparse, deferred mapping).
[[nodiscard]] std::uint64_t arrayBytes(const graphprof_seam_shape &shape,
                                       ArrayElement element) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_SESSION_MEMORY_ARRAYBYTES_H

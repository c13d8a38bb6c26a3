// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one thread writes while another one reads its neighbour costs both the way between their
// processors: what belongs to different threads begins a line of its own.

#ifndef GRAPHPROF_CACHELINE_H
#define GRAPHPROF_CACHELINE_H

#include <cstddef>

namespace graphprof {

/// Bytes. Two lines of most processors' caches, which are fetched in pairs. Not
/// std::hardware_destructive_interference_size, which differs between compilers.
inline constexpr std::size_t cacheLine = 128;

} // namespace graphprof

#endif // GRAPHPROF_CACHELINE_H

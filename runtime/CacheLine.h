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

/// Begins to fetch what will be written soon, at `memory`, from the processor that has it: who
/// writes first waits for it at the next lock.
inline void fetchToWrite(const void *memory, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += cacheLine / 2) {
    const char *const line = static_cast<const char *>(memory) + at;
#ifdef __x86_64__
    asm volatile("prefetchw %0" : : "m"(*line)); // the builtin only reads, but for newer processors
#else
    __builtin_prefetch(line, 1);
#endif
  }
}

} // namespace graphprof

#endif // GRAPHPROF_CACHELINE_H

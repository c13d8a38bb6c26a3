// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// If one thread writes to a cache line that another thread reads, the line travels between their
// processors. So data of different threads begins on lines of its own.

#ifndef GRAPHPROF_CACHELINE_H
#define GRAPHPROF_CACHELINE_H

#include <cstddef>

namespace graphprof {

/// Bytes. Two lines of most processors' caches, which fetch lines in pairs. Unlike
/// std::hardware_destructive_interference_size, this does not differ between compilers.
inline constexpr std::size_t cacheLine = 128;

/// Starts to fetch `memory`, which will be written soon, from the processor that holds it.
/// Otherwise the first write stalls, and the next lock waits for it.
inline void fetchToWrite(const void *memory, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += cacheLine / 2) {
    const char *const line = static_cast<const char *>(memory) + at;
#ifdef __x86_64__
    asm volatile("prefetchw %0" : : "m"(*line)); // the builtin only reads, except on new processors
#else
    __builtin_prefetch(line, 1);
#endif
  }
}

} // namespace graphprof

#endif // GRAPHPROF_CACHELINE_H

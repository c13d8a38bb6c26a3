// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The L2 cache: the bytes of device memory in it. The least recently used ones are evicted first.
// Fills, copies, and kernels that report their use go through it.

#ifndef CUDASIM_SRC_L2_H
#define CUDASIM_SRC_L2_H

#include <cstddef>
#include <cstdint>
#include <list>

namespace cudasim {

class L2 {
public:
  explicit L2(std::size_t bytes) : capacity_(bytes) {}

  // Uses `bytes` bytes at `data`. Returns how many were not in the cache. Afterwards they are, or
  // as many of the last ones as fit.
  std::size_t use(const void *data, std::size_t bytes);
  void clear() { lines_.clear(); }

private:
  struct Lines {
    std::uintptr_t begin, end;
  };
  std::size_t take(std::uintptr_t begin, std::uintptr_t end);

  std::size_t capacity_;
  std::list<Lines> lines_; // without overlaps, most recently used first
};

} // namespace cudasim

#endif // CUDASIM_SRC_L2_H

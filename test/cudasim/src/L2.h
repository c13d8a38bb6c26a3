// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The L2 cache: which bytes of device memory are in it, the ones used longest ago leaving first.
// Fills, copies and what kernels say they use go through it.

#ifndef CUDASIM_SRC_L2_H
#define CUDASIM_SRC_L2_H

#include <cstddef>
#include <cstdint>
#include <list>

namespace cudasim {

class L2 {
public:
  explicit L2(std::size_t bytes) : capacity_(bytes) {}

  // Uses `bytes` from `data` on: returns how many of them were not there. They are now, or as many
  // of the last ones as there is room for.
  std::size_t use(const void *data, std::size_t bytes);
  void clear() { lines_.clear(); }

private:
  struct Lines {
    std::uintptr_t begin, end;
  };
  std::size_t take(std::uintptr_t begin, std::uintptr_t end);

  std::size_t capacity_;
  std::list<Lines> lines_; // none overlapping another, those used last in front
};

} // namespace cudasim

#endif // CUDASIM_SRC_L2_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Host memory that the device writes to, as one context has it.

#ifndef GRAPHPROF_CLOCK_PINNEDPOOL_H
#define GRAPHPROF_CLOCK_PINNEDPOOL_H

#include <cstddef>
#include <cstdint>

#include "BlockPool.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// A piece of pinned host memory, with its address on both sides.
struct Pinned {
  std::uint64_t *host = nullptr;
  driver::DevicePointer device = 0;
  std::size_t words = 0;
  bool zeroed = true; ///< never written
};

/// Any thread may call any member.
class PinnedPool {
public:
  /// At least `words` 64-bit words, zeroed or not, in the current context. The host pointer is null
  /// if there is no memory.
  Pinned take(std::size_t words);
  void giveBack(Pinned memory) noexcept;

private:
  BlockPool<Pinned> pool_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_PINNEDPOOL_H

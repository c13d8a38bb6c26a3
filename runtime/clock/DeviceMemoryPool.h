// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory on the device, as one context has it.

#ifndef GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H
#define GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H

#include <cstddef>

#include "BlockPool.h"
#include "cuda/DriverApi.h"

namespace graphprof {

/// A piece of device memory.
struct DeviceMemory {
  driver::DevicePointer address = 0;
  std::size_t words = 0;
};

/// Any thread may call any member.
class DeviceMemoryPool {
public:
  /// At least `words` 64-bit words, with any content, in the current context. The address is 0 if
  /// there is no memory.
  DeviceMemory take(std::size_t words);
  void giveBack(DeviceMemory memory) noexcept;

private:
  BlockPool<DeviceMemory> pool_;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H

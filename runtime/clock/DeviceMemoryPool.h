// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory on the device, as one context has it.

#ifndef GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H
#define GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H

#include <cstddef>

#include "BlockPool.h"
#include "Mutex.h"
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
  /// The same without a call to the driver, which could wait for what runs on the device: from what
  /// was given back or reserved.
  DeviceMemory takeReady(std::size_t words) EXCLUDES(mutex_);
  /// Reserves memory for takeReady() in the current context, once.
  void reserve() EXCLUDES(mutex_);
  void giveBack(DeviceMemory memory) noexcept;

private:
  BlockPool<DeviceMemory> pool_;
  Mutex mutex_;
  bool hasReserved_ GUARDED_BY(mutex_) = false;
  DeviceMemory reserved_ GUARDED_BY(mutex_); // what is left
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H

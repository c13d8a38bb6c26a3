// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Memory on the device, as one context has it.

#ifndef GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H
#define GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H

#include <cstddef>
#include <cstdint>

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
  void giveBack(DeviceMemory memory) noexcept;

private:
  BlockPool<DeviceMemory> pool_;
};

/// What stamps write in long graphs (StampLayout.h): an array that is loaded with the stamp
/// kernels, so that taking some of it makes no call to the driver, which could wait for what runs
/// on the device. Any thread may call any member.
class StampEntries {
public:
  /// All of it. Its words are zero, or times of earlier replays.
  void setMemory(const DeviceMemory &all) EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    left_ = all;
  }
  /// At least `words` 64-bit words. The address is 0 if there are not as many left.
  DeviceMemory take(std::size_t words) EXCLUDES(mutex_) {
    return pool_.take(words, [this](std::size_t rounded) -> DeviceMemory {
      const MutexLock lock(mutex_);
      if (left_.words < rounded)
        return {};
      const DeviceMemory taken{left_.address, rounded};
      left_.address += rounded * sizeof(std::uint64_t);
      left_.words -= rounded;
      return taken;
    });
  }
  void giveBack(const DeviceMemory &memory) noexcept { pool_.giveBack(memory); }

private:
  BlockPool<DeviceMemory> pool_;
  Mutex mutex_;
  DeviceMemory left_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DEVICEMEMORYPOOL_H

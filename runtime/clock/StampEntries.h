// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The device memory that stamps write in long graphs (StampLayout.h), as one context has it: an
// array that is loaded with the stamp kernels, so that taking some of it makes no call to the
// driver, which could wait for what runs on the device.

#ifndef GRAPHPROF_CLOCK_STAMPENTRIES_H
#define GRAPHPROF_CLOCK_STAMPENTRIES_H

#include <cstddef>
#include <cstdint>

#include "BlockPool.h"
#include "Mutex.h"
#include "clock/DeviceMemoryPool.h"

namespace graphprof {

/// Any thread may call any member.
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

#endif // GRAPHPROF_CLOCK_STAMPENTRIES_H

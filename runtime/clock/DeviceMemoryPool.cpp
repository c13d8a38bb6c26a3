// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/DeviceMemoryPool.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "Thrown.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::size_t smallestMemoryWords = 1024;

// Never freed, because that can synchronize.
DeviceMemory allocated(std::size_t words) {
  const driver::RelaxedCapture relaxed; // otherwise the call invalidates a global-mode capture
  DeviceMemory memory{0, words};
  if (!relaxed || !ok(cu().memAlloc(&memory.address, words * sizeof(std::uint64_t))))
    return {};
  return memory;
}

} // namespace

DeviceMemory DeviceMemoryPool::take(std::size_t words) {
  const std::size_t rounded = std::bit_ceil(std::max(words, smallestMemoryWords));
  {
    const MutexLock lock(mutex_);
    if (const auto found = free_.find(rounded); found != free_.end()) {
      const DeviceMemory memory = found->second;
      free_.erase(found);
      return memory;
    }
  }
  return allocated(rounded);
}

void DeviceMemoryPool::giveBack(DeviceMemory memory) noexcept {
  (void)survived([&] { // if not, it is never used again
    const MutexLock lock(mutex_);
    free_.emplace(memory.words, memory);
  });
}

} // namespace graphprof

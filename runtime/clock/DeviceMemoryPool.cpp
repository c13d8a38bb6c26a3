// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/DeviceMemoryPool.h"

#include <cstdint>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

DeviceMemory allocated(std::size_t words) {
  const driver::RelaxedCapture relaxed; // otherwise the call invalidates a global-mode capture
  DeviceMemory memory{0, words};
  if (!relaxed || !ok(cu().memAlloc(&memory.address, words * sizeof(std::uint64_t))))
    return {};
  return memory;
}

} // namespace

DeviceMemory DeviceMemoryPool::take(std::size_t words) { return pool_.take(words, allocated); }

void DeviceMemoryPool::giveBack(DeviceMemory memory) noexcept { pool_.giveBack(memory); }

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/DeviceMemoryPool.h"

#include <cstdint>
#include <utility>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::size_t reservedWords = std::size_t{256} * 1024; // 2 MiB, which CUDA takes at once

DeviceMemory allocated(std::size_t words) {
  const driver::RelaxedCapture relaxed; // otherwise the call invalidates a global-mode capture
  DeviceMemory memory{0, words};
  if (!relaxed || !ok(cu().memAlloc(&memory.address, words * sizeof(std::uint64_t))))
    return {};
  return memory;
}

} // namespace

DeviceMemory DeviceMemoryPool::take(std::size_t words) { return pool_.take(words, allocated); }

DeviceMemory DeviceMemoryPool::takeReady(std::size_t words) {
  return pool_.take(words, [this](std::size_t rounded) -> DeviceMemory {
    const MutexLock lock(mutex_);
    if (reserved_.words < rounded)
      return {};
    const DeviceMemory taken{reserved_.address, rounded};
    reserved_.address += rounded * sizeof(std::uint64_t);
    reserved_.words -= rounded;
    return taken;
  });
}

void DeviceMemoryPool::reserve() {
  const MutexLock lock(mutex_);
  if (!std::exchange(hasReserved_, true))
    reserved_ = allocated(reservedWords);
}

void DeviceMemoryPool::giveBack(DeviceMemory memory) noexcept { pool_.giveBack(memory); }

} // namespace graphprof

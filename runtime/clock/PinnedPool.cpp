// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/PinnedPool.h"

#include <algorithm>
#include <bit>

#include <sys/mman.h>

#include "Thrown.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

constexpr std::size_t smallestPinnedWords = 1024;

// Memory of the process, registered with CUDA. The harvest thread may still read it after the
// program has reset the device, which frees CUDA's own allocations. Never freed, because that can
// synchronize.
Pinned pinned(std::size_t words) {
  const std::size_t bytes = words * sizeof(std::uint64_t);
  void *host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (host == MAP_FAILED)
    return {};
  const driver::RelaxedCapture relaxed; // otherwise the call invalidates a global-mode capture
  Pinned memory;
  if (!relaxed || !ok(cu().memHostRegister(
                      host, bytes, driver::hostRegisterPortable | driver::hostRegisterDeviceMap))) {
    munmap(host, bytes);
    return {};
  }
  if (!ok(cu().memHostGetDevicePointer(&memory.device, host, 0)))
    return {}; // it stays mapped, because CUDA holds it now
  memory.host = static_cast<std::uint64_t *>(host);
  memory.words = words;
  return memory;
}

} // namespace

Pinned PinnedPool::take(std::size_t words) {
  const std::size_t rounded = std::bit_ceil(std::max(words, smallestPinnedWords));
  {
    const MutexLock lock(mutex_);
    if (const auto found = free_.find(rounded); found != free_.end()) {
      const Pinned memory = found->second;
      free_.erase(found);
      return memory;
    }
  }
  return pinned(rounded);
}

void PinnedPool::giveBack(Pinned memory) noexcept {
  memory.zeroed = false;
  (void)survived([&] { // if not, it is never used again
    const MutexLock lock(mutex_);
    free_.emplace(memory.words, memory);
  });
}

} // namespace graphprof

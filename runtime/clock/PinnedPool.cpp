// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/PinnedPool.h"

#include <sys/mman.h>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Memory of the process, registered with CUDA. The harvest thread may still read it after the
// program has reset the device, which frees CUDA's own allocations.
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

Pinned PinnedPool::take(std::size_t words) { return pool_.take(words, pinned); }

void PinnedPool::giveBack(Pinned memory) noexcept {
  memory.zeroed = false;
  pool_.giveBack(memory);
}

} // namespace graphprof

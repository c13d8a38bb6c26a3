// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The simulation of the kernels of graphprof::bench (runtime/bench/BenchKernels.cu). The gate does
// not wait, because simulated kernels run when they are launched.

#include "Device.h"
#include "cudasim/cudasim.h"

namespace {

constexpr std::uint64_t shortNs = 1'000;
constexpr std::uint64_t flushBytesPerNs = 2'000;

template <class T> T &parameter(void **params, int index) {
  return *static_cast<T *>(params[index]);
}

void clock(void **params, std::uint64_t startNs, std::uint64_t) {
  auto *reading = parameter<unsigned long long *>(params, 0);
  __atomic_store_n(&reading[0], startNs, __ATOMIC_RELEASE);
  __atomic_store_n(&reading[1], cudasim::smCyclesAt(startNs), __ATOMIC_RELEASE);
}

std::uint64_t flush(void **params) {
  const std::size_t bytes = parameter<unsigned long long>(params, 1) * 16;
  cudasim::useL2(parameter<const void *>(params, 0), bytes);
  return shortNs + bytes / flushBytesPerNs;
}

[[maybe_unused]] const bool registered = [] {
  const std::size_t address = sizeof(void *), number = sizeof(unsigned long long);
  cudasim::registerKernel("graphprof_gate", {address, address, number}, {}, shortNs);
  cudasim::registerKernel("graphprof_sm_clock", {address}, clock, shortNs);
  cudasim::registerKernel("graphprof_flush", {address, number, address}, {}, flush);
  return true;
}();

} // namespace

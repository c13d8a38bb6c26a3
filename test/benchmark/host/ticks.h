// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A clock that is cheap enough to surround every call: the processor's counter if there is one.

#ifndef GRAPHPROF_BENCHMARK_HOST_TICKS_H
#define GRAPHPROF_BENCHMARK_HOST_TICKS_H

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace benchmark::host {

inline std::int64_t ticks() noexcept {
#if defined(__x86_64__)
  return static_cast<std::int64_t>(__rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

/// The length of a tick. Measured for 20 ms at the first call.
inline double nsPerTick() {
  static const double measured = [] {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const std::int64_t first = ticks();
    while (Clock::now() - begin < std::chrono::milliseconds(20))
      ;
    const std::int64_t last = ticks();
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    return took.count() / static_cast<double>(last - first);
  }();
  return measured;
}

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_TICKS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The host's clock: the axis of all times in graphprof.

#ifndef GRAPHPROF_CLOCK_HOSTCLOCK_H
#define GRAPHPROF_CLOCK_HOSTCLOCK_H

#include <cstdint>
#include <ctime>

namespace graphprof {

namespace internal {

inline std::int64_t readClockNs(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// The Unix epoch on the monotonic clock's axis: of several readings the one that took least time.
/// The first may take 20 us, and other processes' times are joined with ours by the epoch.
inline std::int64_t readEpochNs() noexcept {
  std::int64_t epochNs = 0, shortestNs = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t before = readClockNs(CLOCK_MONOTONIC), machine = readClockNs(CLOCK_REALTIME),
                       tookNs = readClockNs(CLOCK_MONOTONIC) - before;
    if (tookNs >= shortestNs)
      continue;
    shortestNs = tookNs;
    epochNs = machine - (before + tookNs / 2);
  }
  return epochNs;
}

} // namespace internal

/// Nanoseconds since the Unix epoch, counted by the monotonic clock after the first call. So
/// setting the machine's clock neither stretches nor reorders times.
inline std::int64_t hostNowNs() noexcept {
  static const std::int64_t epochNs = internal::readEpochNs();
  return epochNs + internal::readClockNs(CLOCK_MONOTONIC);
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_HOSTCLOCK_H

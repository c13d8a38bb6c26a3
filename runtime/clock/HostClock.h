// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The host's clock: the axis on which every time of graphprof's lies.

#ifndef GRAPHPROF_CLOCK_HOSTCLOCK_H
#define GRAPHPROF_CLOCK_HOSTCLOCK_H

#include <cstdint>
#include <ctime>

namespace graphprof {

namespace detail {

inline std::int64_t readClockNs(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

} // namespace detail

/// Nanoseconds since the Unix epoch. Counted on by the monotonic clock from the first call on:
/// somebody who sets the machine's clock neither stretches nor reorders what is measured.
inline std::int64_t hostNowNs() noexcept {
  static const std::int64_t epochNs =
      detail::readClockNs(CLOCK_REALTIME) - detail::readClockNs(CLOCK_MONOTONIC);
  return epochNs + detail::readClockNs(CLOCK_MONOTONIC);
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_HOSTCLOCK_H

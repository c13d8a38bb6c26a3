// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The host's clock: the axis on which every time of graphprof's lies.

#ifndef GRAPHPROF_CLOCK_HOSTCLOCK_H
#define GRAPHPROF_CLOCK_HOSTCLOCK_H

#include <cstdint>
#include <ctime>

namespace graphprof {

/// Nanoseconds since the Unix epoch (CLOCK_REALTIME, which the device's timer follows too).
inline std::int64_t hostNowNs() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_HOSTCLOCK_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing events at hand for one thread, which takes them from their device's pool and gives them
// back many at a time: the pool has one lock. Knows nothing of what the events are for.

#ifndef GRAPHPROF_CLOCK_EVENTCACHE_H
#define GRAPHPROF_CLOCK_EVENTCACHE_H

#include <array>
#include <cstddef>

#include "clock/Device.h"

namespace graphprof {

/// Holds events of one device at a time. It does not give them back when it goes: whoever has it
/// says so, unless the process is a forked child, whose locks may be held for ever.
class EventCache {
public:
  /// An event of `device`; null where CUDA refuses, or there is no memory.
  driver::Event take(Device &device) noexcept;
  /// Keeps `event`, which is the device's.
  void put(Device &device, driver::Event event) noexcept;
  /// Gives all back to the pool.
  void clear() noexcept;

private:
  void holdsOf(Device &device) noexcept;

  static constexpr std::size_t mostAtHand = 64;
  Device *device_ = nullptr;
  std::size_t count_ = 0;
  std::array<driver::Event, mostAtHand> events_{}; // the first of them
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EVENTCACHE_H

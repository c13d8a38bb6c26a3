// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing events for one thread. The thread takes many from the device's pool at a time, and gives
// many back, because the pool has one lock. Does not know what the events are for.

#ifndef GRAPHPROF_CLOCK_EVENTCACHE_H
#define GRAPHPROF_CLOCK_EVENTCACHE_H

#include <array>
#include <cstddef>

#include "clock/Device.h"

namespace graphprof {

/// Holds events of one device at a time. Its destructor does not give them back: the owner calls
/// clear(), except in a forked child, where the pool's lock may be held for ever.
class EventCache {
public:
  /// An event of `device`. Null if CUDA refuses or there is no memory.
  driver::Event take(Device &device) noexcept;
  /// Keeps `event`, which belongs to `device`.
  void put(Device &device, driver::Event event) noexcept;
  /// Gives all events back to the pool.
  void clear() noexcept;

private:
  void holdsOf(Device &device) noexcept;

  static constexpr std::size_t mostAtHand = 64;
  Device *device_ = nullptr;
  std::size_t count_ = 0;
  std::array<driver::Event, mostAtHand> events_{}; // the first count_ are used
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EVENTCACHE_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing events of one device. They are never destroyed.

#ifndef GRAPHPROF_CLOCK_EVENTPOOL_H
#define GRAPHPROF_CLOCK_EVENTPOOL_H

#include <cstddef>
#include <span>
#include <vector>

#include "Mutex.h"
#include "cuda/DriverApi.h"

namespace graphprof {

class Device;

/// Any thread may call any member. A null event: CUDA refuses, or there is no memory.
class EventPool {
public:
  explicit EventPool(const Device &device) : device_(device) {}

  driver::Event take() noexcept EXCLUDES(mutex_);
  /// Takes as many free events as `into` holds. If none is free, makes one, or none for the reasons
  /// above. Returns the number of events.
  std::size_t take(std::span<driver::Event> into) noexcept EXCLUDES(mutex_);
  void giveBack(driver::Event event) noexcept EXCLUDES(mutex_) { giveBack({&event, 1}); }
  void giveBack(std::span<const driver::Event> events) noexcept EXCLUDES(mutex_);

  /// The event that all timing nodes hold until a launch replaces it.
  driver::Event placeholder() EXCLUDES(mutex_);
  [[nodiscard]] bool isPlaceholder(driver::Event event) EXCLUDES(mutex_);

private:
  const Device &device_;
  Mutex mutex_;
  std::size_t made_ GUARDED_BY(mutex_) = 0;
  // Has capacity for all that were made, so that giving back needs no memory.
  std::vector<driver::Event> free_ GUARDED_BY(mutex_);
  driver::Event placeholder_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EVENTPOOL_H

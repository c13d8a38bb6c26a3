// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/EventCache.h"

#include <span>

namespace graphprof {

namespace {

constexpr std::size_t takenAtOnce = 16;

} // namespace

void EventCache::holdsOf(Device &device) noexcept {
  if (device_ == &device)
    return;
  clear();
  device_ = &device;
}

driver::Event EventCache::take(Device &device) noexcept {
  holdsOf(device);
  if (count_ == 0)
    count_ = device.events().take(std::span(events_).first(takenAtOnce));
  return count_ == 0 ? nullptr : events_[--count_];
}

void EventCache::put(Device &device, driver::Event event) noexcept {
  holdsOf(device);
  if (count_ == events_.size())
    clear();
  events_[count_++] = event;
}

void EventCache::clear() noexcept {
  if (device_ && count_ > 0)
    device_->events().giveBack(std::span(events_).first(count_));
  count_ = 0;
}

} // namespace graphprof

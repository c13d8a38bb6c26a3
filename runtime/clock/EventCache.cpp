// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/EventCache.h"

namespace graphprof {

namespace {

constexpr std::size_t takenAtOnce = 16;
constexpr std::size_t mostAtHand = 64;

} // namespace

void EventCache::holdsOf(Device &device) {
  if (device_ == &device)
    return;
  clear();
  events_.reserve(mostAtHand);
  device_ = &device;
}

driver::Event EventCache::take(Device &device) {
  holdsOf(device);
  if (events_.empty())
    device.takeEvents(takenAtOnce, events_);
  if (events_.empty())
    return nullptr;
  const driver::Event event = events_.back();
  events_.pop_back();
  return event;
}

void EventCache::put(Device &device, driver::Event event) {
  holdsOf(device);
  if (events_.size() == mostAtHand)
    clear();
  events_.push_back(event);
}

void EventCache::clear() {
  if (device_ && !events_.empty())
    device_->returnEvents(events_);
  events_.clear();
}

} // namespace graphprof

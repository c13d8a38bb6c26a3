// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/StampControls.h"

#include "clock/GrowingCapacity.h"

namespace graphprof {

std::optional<std::uint32_t> ControlCounts::take(driver::DevicePointer controls) {
  const MutexLock lock(mutex_);
  std::uint32_t &taken = taken_[controls];
  return taken < stampControls ? std::optional(taken++) : std::nullopt;
}

void ControlCounts::forget(driver::DevicePointer controls) {
  const MutexLock lock(mutex_);
  taken_.erase(controls);
}

template <class Item> std::optional<std::uint32_t> StampControls::add(std::vector<Item> &free) {
  reserveAtLeast(free, own_ + 1);
  const auto index = counts_.take(address_);
  if (index)
    ++own_;
  return index;
}

StampControls::Control StampControls::take() {
  const MutexLock lock(mutex_);
  if (free_.empty())
    return {add(free_).value_or(none), 0};
  const Control control = free_.back();
  free_.pop_back();
  return control;
}

void StampControls::giveBack(Control control) noexcept {
  const MutexLock lock(mutex_);
  free_.push_back(control);
}

std::uint32_t StampControls::takeForBody() {
  const MutexLock lock(mutex_);
  if (freeOfBodies_.empty())
    return add(freeOfBodies_).value_or(none);
  const std::uint32_t index = freeOfBodies_.back();
  freeOfBodies_.pop_back();
  return index;
}

void StampControls::giveBackOfBody(std::uint32_t index) noexcept {
  const MutexLock lock(mutex_);
  freeOfBodies_.push_back(index);
}

} // namespace graphprof

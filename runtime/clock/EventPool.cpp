// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/EventPool.h"

#include <algorithm>

#include "Thrown.h"
#include "clock/Device.h"
#include "clock/GrowingCapacity.h"
#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

driver::Event EventPool::take() noexcept {
  driver::Event event = nullptr;
  take({&event, 1});
  return event;
}

std::size_t EventPool::take(std::span<driver::Event> into) noexcept {
  std::size_t taken = 0;
  const bool hasRoom = survived([&] {
    const MutexLock lock(mutex_);
    if (free_.empty()) {
      reserveAtLeast(free_, made_ + 1);
      ++made_;
      return;
    }
    taken = std::min(into.size(), free_.size());
    const auto first = free_.end() - static_cast<std::ptrdiff_t>(taken);
    std::copy(first, free_.end(), into.begin());
    free_.erase(first, free_.end());
  });
  if (taken > 0 || !hasRoom)
    return taken;
  // A thread that has only launched so far has no context.
  const driver::CurrentContext current(device_.context());
  return current.valid() && ok(cu().eventCreate(into.data(), driver::eventDefault)) ? 1 : 0;
}

void EventPool::giveBack(std::span<const driver::Event> events) noexcept {
  const MutexLock lock(mutex_);
  free_.insert(free_.end(), events.begin(), events.end());
}

driver::Event EventPool::placeholder() {
  {
    const MutexLock lock(mutex_);
    if (placeholder_)
      return placeholder_;
  }
  const driver::Event event = take();
  const MutexLock lock(mutex_);
  if (!placeholder_)
    placeholder_ = event;
  else if (event)           // another thread made one meanwhile
    free_.push_back(event); // its capacity suffices
  return placeholder_;
}

bool EventPool::isPlaceholder(driver::Event event) {
  const MutexLock lock(mutex_);
  return event && event == placeholder_;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/Recording.h"

#include <algorithm>

namespace graphprof {

void Recording::permit(bool on) noexcept {
  const MutexLock lock(mutex_);
  permitted_ = on;
  decide();
}

void Recording::onlyRequested() noexcept {
  const MutexLock lock(mutex_);
  everything_ = false;
  decide();
}

void Recording::listened(bool more) noexcept {
  const MutexLock lock(mutex_);
  listeners_ = more ? listeners_ + 1 : listeners_ - 1;
  decide();
}

void Recording::request(const void *who, Request what) {
  const MutexLock lock(mutex_);
  const auto known = std::find_if(requests_.begin(), requests_.end(),
                                  [who](const auto &one) { return one.first == who; });
  if (known != requests_.end())
    known->second = what;
  else
    requests_.emplace_back(who, what);
  decide();
}

void Recording::withdraw(const void *who) noexcept {
  const MutexLock lock(mutex_);
  std::erase_if(requests_, [who](const auto &one) { return one.first == who; });
  decide();
}

void Recording::decide() noexcept {
  const auto wanted = [this](bool Request::*what) REQUIRES(mutex_) {
    return permitted_ && std::any_of(requests_.begin(), requests_.end(),
                                     [what](const auto &one) { return one.second.*what; });
  };
  const bool everything = permitted_ && everything_ && listeners_ > 0;
  device_.store(everything || wanted(&Request::device), std::memory_order_relaxed);
  host_.store(everything || wanted(&Request::host), std::memory_order_relaxed);
  spans_.store(wanted(&Request::spans), std::memory_order_relaxed);
  memory_.store(wanted(&Request::memory), std::memory_order_relaxed);
}

} // namespace graphprof

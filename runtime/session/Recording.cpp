// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Recording.h"

#include <algorithm>

namespace graphprof {

void Recording::permit(bool on) noexcept {
  const MutexLock lock(mutex_);
  permitted_ = on;
  decide();
}

void Recording::onlyWanted() noexcept {
  const MutexLock lock(mutex_);
  everything_ = false;
  decide();
}

void Recording::listened(bool more) noexcept {
  const MutexLock lock(mutex_);
  listeners_ = more ? listeners_ + 1 : listeners_ - 1;
  decide();
}

void Recording::want(const void *who, Wish wish) {
  const MutexLock lock(mutex_);
  const auto known = std::find_if(wishes_.begin(), wishes_.end(),
                                  [who](const auto &one) { return one.first == who; });
  if (known != wishes_.end())
    known->second = wish;
  else
    wishes_.emplace_back(who, wish);
  decide();
}

void Recording::forget(const void *who) noexcept {
  const MutexLock lock(mutex_);
  std::erase_if(wishes_, [who](const auto &one) { return one.first == who; });
  decide();
}

void Recording::decide() noexcept {
  const auto wanted = [this](bool Wish::*what) REQUIRES(mutex_) {
    return permitted_ && std::any_of(wishes_.begin(), wishes_.end(),
                                     [what](const auto &one) { return one.second.*what; });
  };
  const bool everything = permitted_ && everything_ && listeners_ > 0;
  device_.store(everything || wanted(&Wish::device), std::memory_order_relaxed);
  host_.store(everything || wanted(&Wish::host), std::memory_order_relaxed);
  spans_.store(wanted(&Wish::spans), std::memory_order_relaxed);
  memory_.store(wanted(&Wish::memory), std::memory_order_relaxed);
}

} // namespace graphprof

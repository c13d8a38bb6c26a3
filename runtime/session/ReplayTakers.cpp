// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/ReplayTakers.h"

#include <algorithm>

namespace graphprof {

void ReplayTakers::add(const void *who, Take take) {
  const MutexLock lock(mutex_);
  takers_.emplace_back(who, std::move(take));
  count_ = takers_.size();
}

void ReplayTakers::remove(const void *who) noexcept {
  const MutexLock lock(mutex_);
  std::erase_if(takers_, [who](const auto &taker) { return taker.first == who; });
  count_ = takers_.size();
}

bool ReplayTakers::take(const Replay &replay) noexcept {
  if (count_.load(std::memory_order_acquire) == 0)
    return false;
  const MutexLock lock(mutex_);
  return std::any_of(takers_.begin(), takers_.end(),
                     [&](const auto &taker) { return taker.second(replay); });
}

} // namespace graphprof

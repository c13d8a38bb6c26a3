// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "services/HeldSteps.h"

#include <algorithm>

#include "services/Steps.h"

namespace graphprof {

std::shared_ptr<HeldSteps::Holder> HeldSteps::join() {
  auto joins = std::make_shared<Holder>();
  const MutexLock lock(mutex_);
  holders_.push_back(joins);
  return joins;
}

// The step comes first: see the race above.
std::int64_t HeldSteps::first() noexcept {
  std::int64_t first = steps_.seenFromNow(false).first;
  const MutexLock lock(mutex_);
  std::erase_if(holders_, [](const auto &holder) { return holder.use_count() == 1; });
  for (const auto &holder : holders_)
    first = std::min(first, holder->first_.load());
  return first;
}

} // namespace graphprof

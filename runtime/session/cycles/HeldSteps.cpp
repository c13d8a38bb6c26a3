// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/cycles/HeldSteps.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

#include "session/cycles/Steps.h"

namespace graphprof {

HeldSteps &HeldSteps::instance() noexcept {
  alignas(HeldSteps) static std::array<std::byte, sizeof(HeldSteps)> memory;
  static HeldSteps *const held = new (memory.data()) HeldSteps;
  return *held;
}

std::shared_ptr<HeldSteps::Holder> HeldSteps::join() {
  auto joins = std::make_shared<Holder>();
  const MutexLock lock(mutex_);
  holders_.push_back(joins);
  return joins;
}

// The step comes first: see the race above.
std::int64_t HeldSteps::first() noexcept {
  std::int64_t first = Steps::instance().seenFromNow(false).first;
  const MutexLock lock(mutex_);
  std::erase_if(holders_, [](const auto &holder) { return holder.use_count() == 1; });
  for (const auto &holder : holders_)
    first = std::min(first, holder->first_.load());
  return first;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Steps.h"

namespace graphprof {

Steps &Steps::instance() {
  static Steps *const steps = new Steps;
  return *steps;
}

void Steps::open() noexcept {
  const std::lock_guard lock(mutex_);
  if (open_++ > 0 || current() != none)
    return;
  guarded_ = true;
  current_.store(begun_++, std::memory_order_relaxed);
}

void Steps::close() noexcept {
  const std::lock_guard lock(mutex_);
  if (--open_ > 0 || !guarded_)
    return;
  guarded_ = false;
  current_.store(none, std::memory_order_relaxed);
}

void Steps::next() noexcept {
  const std::lock_guard lock(mutex_);
  if (open_ == 0)
    current_.store(begun_++, std::memory_order_relaxed);
}

} // namespace graphprof

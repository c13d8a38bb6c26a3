// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Virtual host time, one value for each thread.

#include "Clock.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>

namespace cudasim {

namespace {

bool followsRealTime() {
  static const bool follows = [] {
    const char *const asked = std::getenv("CUDASIM_REAL_TIME");
    return !asked || asked != std::string_view("0");
  }();
  return follows;
}

} // namespace

std::uint64_t Clock::leastNow() {
  using std::chrono::steady_clock;
  static const steady_clock::time_point began = steady_clock::now();
  if (!followsRealTime())
    return 0;
  const std::chrono::nanoseconds elapsed = steady_clock::now() - began;
  return kStartNs + static_cast<std::uint64_t>(elapsed.count());
}

std::uint64_t &Clock::threadNow() {
  thread_local std::uint64_t nowNs = 0;
  thread_local std::uint64_t epoch = 0;
  if (epoch != epoch_) {
    epoch = epoch_;
    nowNs = latest_;
  }
  return nowNs;
}

std::uint64_t Clock::now() { return threadNow(); }

void Clock::spend(std::uint64_t ns) {
  std::uint64_t &now = threadNow();
  now = std::max(now + ns, leastNow());
  latest_ = std::max(latest_, now);
}

void Clock::waitUntil(std::uint64_t deviceNs) {
  std::uint64_t &now = threadNow();
  now = std::max(now, deviceNs);
  latest_ = std::max(latest_, now);
  seen_ = std::max(seen_, deviceNs);
}

bool Clock::reached(std::uint64_t deviceNs) {
  if (deviceNs > std::max(threadNow(), seen_))
    return false;
  waitUntil(deviceNs);
  return true;
}

void Clock::reset() {
  seen_ = latest_ = kStartNs;
  ++epoch_;
}

} // namespace cudasim

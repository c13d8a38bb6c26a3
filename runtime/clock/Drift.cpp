// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Drift.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace graphprof {

namespace {

// No two clocks drift faster than one in a thousand, plus the uncertainty of a look.
constexpr std::int64_t fastest = 1000;
constexpr std::int64_t slackNs = 1000;
// A change is spread over this time, unless it is too large to be hidden in a trace.
constexpr std::int64_t rampNs = 100'000'000;
constexpr std::int64_t largestRampNs = 50'000;
// Bounds this close tell how fast the clocks part, if they are far enough behind others: the rate
// is that over the last one to two `longNs`.
constexpr std::int64_t exactNs = 5000;
constexpr std::int64_t shortNs = 50'000'000, longNs = 1'000'000'000;
// This many looks that agree with each other overrule the past.
constexpr int enough = 4;

bool isDrift(std::int64_t change, std::int64_t overNs) {
  return std::abs(change) <= slackNs + overNs / fastest;
}

} // namespace

Drift::Correction Drift::correction() const {
  const MutexLock lock(mutex_);
  return correction_;
}

void Drift::aligned(std::int64_t hostNs) {
  const MutexLock lock(mutex_);
  lastNs_ = hostNs;
  base_ = later_ = {hostNs, 0};
}

void Drift::looked(std::int64_t deviceNs, std::int64_t notBeforeNs, std::int64_t notAfterNs,
                   bool afterPause) {
  const MutexLock lock(mutex_);
  const std::int64_t least = notBeforeNs - deviceNs;
  const std::int64_t most = notAfterNs == whenever ? whenever : notAfterNs - deviceNs;
  const std::int64_t now = correction_.after.at(deviceNs);
  const std::int64_t proven = std::clamp(now, least, most);
  bool isJump = std::abs(proven - now) > largestRampNs;
  if (!isDrift(proven - now, notBeforeNs - lastNs_)) {
    const std::int64_t again = std::clamp(doubted_, least, most);
    const bool agrees = doubts_ > 0 && isDrift(again - doubted_, notBeforeNs - doubtedNs_);
    doubts_ = agrees ? doubts_ + 1 : 1;
    doubted_ = proven;
    doubtedNs_ = notBeforeNs;
    if (doubts_ < enough)
      return;
    isJump = true;
  }
  doubts_ = 0;
  lastNs_ = notBeforeNs;
  const bool isExact = most != whenever && most - least <= exactNs;
  if (isJump)
    base_ = later_ = {deviceNs, proven};
  if (proven != now)
    follow({deviceNs, proven}, isJump || afterPause, isExact);
  if (isExact && deviceNs - later_.deviceNs >= longNs)
    base_ = std::exchange(later_, {deviceNs, proven});
}

void Drift::follow(Known now, bool atOnce, bool isExact) {
  Line line{now.deviceNs, now.ns, correction_.after.rate};
  const std::int64_t overNs = now.deviceNs - base_.deviceNs;
  if (isExact && overNs >= shortNs)
    line.rate = std::clamp(static_cast<double>(now.ns - base_.ns) / static_cast<double>(overNs),
                           -1.0 / fastest, 1.0 / fastest);
  const Line until{now.deviceNs, correction_.at(now.deviceNs), correction_.after.rate};
  correction_ = {.from = now.deviceNs,
                 .until = atOnce ? now.deviceNs : now.deviceNs + rampNs,
                 .before = atOnce ? line : until,
                 .after = line};
}

} // namespace graphprof

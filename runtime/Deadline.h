// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#ifndef GRAPHPROF_DEADLINE_H
#define GRAPHPROF_DEADLINE_H

#include <chrono>
#include <cstdint>

namespace graphprof {

/// The end of a wait that asks again and again: by the clock and, since that may stand still or go
/// back (libfaketime), by count.
class Deadline {
public:
  using Nanoseconds = std::chrono::nanoseconds;
  /// The least time from one question to the next, where nothing sleeps in between.
  static constexpr Nanoseconds atOnce{10};

  /// `between`: from one question to the next, at least.
  explicit Deadline(Nanoseconds patience, Nanoseconds between = atOnce)
      : until_(Clock::now() + patience), questions_(patience / between + 1) {}

  [[nodiscard]] bool isOver() { return --questions_ < 0 || Clock::now() >= until_; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point until_;
  std::int64_t questions_;
};

} // namespace graphprof

#endif // GRAPHPROF_DEADLINE_H

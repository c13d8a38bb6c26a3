// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The intervals in which something was on.

#ifndef GRAPHPROF_SESSION_CYCLES_INTERVALS_H
#define GRAPHPROF_SESSION_CYCLES_INTERVALS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace graphprof {

/// Half-open intervals [begin, end) in nanoseconds, in ascending order. The last one may still be
/// on. One thread at a time.
class Intervals {
public:
  [[nodiscard]] bool on() const { return !intervals_.empty() && intervals_.back().endNs == never; }
  /// Times never decrease. Switching on what is on, or off what is off, does nothing.
  void switchOn(std::int64_t nowNs) {
    if (!on())
      intervals_.push_back({nowNs, never});
  }
  void switchOff(std::int64_t nowNs) {
    if (on())
      intervals_.back().endNs = nowNs;
  }
  [[nodiscard]] bool contain(std::int64_t ns) const {
    const auto behind = std::upper_bound(
        intervals_.begin(), intervals_.end(), ns,
        [](std::int64_t time, const Interval &interval) { return time < interval.beginNs; });
    return behind != intervals_.begin() && ns < std::prev(behind)->endNs;
  }
  [[nodiscard]] std::size_t size() const { return intervals_.size(); }

private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  struct Interval {
    std::int64_t beginNs, endNs;
  };
  std::vector<Interval> intervals_;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_INTERVALS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How far a device's clock has drifted from the host's since the alignment, and how fast it drifts:
// on H100s by 10 to 20 us a second. Each look at the device's clock proves bounds. The correction
// changes only if it lies outside them. Knows only numbers.

#ifndef GRAPHPROF_CLOCK_DRIFT_H
#define GRAPHPROF_CLOCK_DRIFT_H

#include <cstdint>

#include "Mutex.h"

namespace graphprof {

/// Any thread may call any member. All times are nanoseconds.
class Drift {
public:
  /// What is added to the device's times: a line, because clocks drift steadily.
  struct Line {
    std::int64_t fromNs = 0, ns = 0; ///< `ns` is added to the time `fromNs`,
    double rate = 0;                 ///< and this much for each nanosecond after it

    [[nodiscard]] std::int64_t at(std::int64_t deviceNs) const {
      return ns + static_cast<std::int64_t>(rate * static_cast<double>(deviceNs - fromNs));
    }
  };
  /// One line becomes the next one gradually, so that the order of times is kept.
  struct Correction {
    std::int64_t from = 0, until = 0; ///< in the device's time
    Line before, after;

    [[nodiscard]] std::int64_t at(std::int64_t deviceNs) const {
      if (deviceNs >= until)
        return after.at(deviceNs);
      if (deviceNs <= from)
        return before.at(deviceNs);
      const double share = static_cast<double>(deviceNs - from) / static_cast<double>(until - from);
      const std::int64_t earlier = before.at(deviceNs);
      return earlier +
             static_cast<std::int64_t>(share * static_cast<double>(after.at(deviceNs) - earlier));
    }
  };
  [[nodiscard]] Correction correction() const;

  /// The clocks were aligned at host time `hostNs`.
  void aligned(std::int64_t hostNs);
  /// The device's clock read `deviceNs` between the host times `notBeforeNs` and `notAfterNs`
  /// (whenever: the moment of the answer is unknown). `afterPause`: but for what was launched just
  /// before, no time was taken for a while. So the correction may change at once, for that, too.
  void looked(std::int64_t deviceNs, std::int64_t notBeforeNs, std::int64_t notAfterNs,
              bool afterPause = false);
  static constexpr std::int64_t whenever = INT64_MAX;

private:
  // What the device's clock was found to be off.
  struct Known {
    std::int64_t deviceNs = 0, ns = 0;
  };
  void follow(Known now, bool atOnce, bool isExact) REQUIRES(mutex_);

  mutable Mutex mutex_;
  Correction correction_ GUARDED_BY(mutex_);
  // The rate is measured since `base_`. `later_` takes its place when there is a still later one.
  Known base_ GUARDED_BY(mutex_), later_ GUARDED_BY(mutex_);
  // The host time of the last look that was accepted.
  std::int64_t lastNs_ GUARDED_BY(mutex_) = 0;
  // Looks that no drift explains. They occur after a machine was suspended, or on a simulated
  // device.
  int doubts_ GUARDED_BY(mutex_) = 0;
  std::int64_t doubted_ GUARDED_BY(mutex_) = 0; // the correction that these looks require
  std::int64_t doubtedNs_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DRIFT_H

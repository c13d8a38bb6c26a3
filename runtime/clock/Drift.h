// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How far a device's clock has drifted from the host's since the alignment. Each look at the
// device's clock proves bounds. The correction changes only if it lies outside them. Knows only
// numbers.

#ifndef GRAPHPROF_CLOCK_DRIFT_H
#define GRAPHPROF_CLOCK_DRIFT_H

#include <cstdint>

#include "Mutex.h"

namespace graphprof {

/// Any thread may call any member. All times are nanoseconds.
class Drift {
public:
  /// What is added to the device's times. It changes gradually, so that the order of times is kept.
  struct Correction {
    std::int64_t from = 0, until = 0; ///< in the device's time
    std::int64_t before = 0, after = 0;

    [[nodiscard]] std::int64_t at(std::int64_t deviceNs) const {
      if (deviceNs >= until)
        return after;
      if (deviceNs <= from)
        return before;
      return before + (after - before) * ((deviceNs - from) / 1000) / ((until - from) / 1000);
    }
  };
  [[nodiscard]] Correction correction() const;

  /// The clocks were aligned at host time `hostNs`.
  void aligned(std::int64_t hostNs);
  /// The device's clock read `deviceNs` between the host times `notBeforeNs` and `notAfterNs`
  /// (whenever: the moment of the answer is unknown).
  void looked(std::int64_t deviceNs, std::int64_t notBeforeNs, std::int64_t notAfterNs);
  static constexpr std::int64_t whenever = INT64_MAX;

private:
  mutable Mutex mutex_;
  Correction correction_ GUARDED_BY(mutex_);
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

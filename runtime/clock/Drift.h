// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How far a device's clock has run off the host's since the two were aligned. Looks at the device's
// clock prove between which bounds it lies; the correction is moved only where it lies beyond. It
// knows numbers only.

#ifndef GRAPHPROF_CLOCK_DRIFT_H
#define GRAPHPROF_CLOCK_DRIFT_H

#include <cstdint>

#include "Mutex.h"

namespace graphprof {

/// All members may be called from any thread. Nanoseconds throughout.
class Drift {
public:
  /// What is to be added to the device's times. A change of it comes little by little, so that the
  /// order of times stays as it was.
  struct Correction {
    std::int64_t from = 0, until = 0; ///< of the device's times
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

  /// The clocks were aligned at `hostNs`.
  void aligned(std::int64_t hostNs);
  /// The device's clock stood at `deviceNs` no earlier than `notBeforeNs` and no later than
  /// `notAfterNs` of the host's; whenever: nobody saw the answer come.
  void looked(std::int64_t deviceNs, std::int64_t notBeforeNs, std::int64_t notAfterNs);
  static constexpr std::int64_t whenever = INT64_MAX;

private:
  mutable Mutex mutex_;
  Correction correction_ GUARDED_BY(mutex_);
  // of the last look that was heeded, on the host's clock
  std::int64_t lastNs_ GUARDED_BY(mutex_) = 0;
  // Looks that contradict all that a drift can be: of a machine that was suspended, or a device
  // that is simulated.
  int doubts_ GUARDED_BY(mutex_) = 0;
  std::int64_t doubted_ GUARDED_BY(mutex_) = 0; // the correction that they ask for
  std::int64_t doubtedNs_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_DRIFT_H

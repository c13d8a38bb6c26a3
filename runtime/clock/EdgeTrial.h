// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Measures once how stamps read on a device: a graph of a few kernels of known length, with stamps
// alternately behind a kernel and at the begin of the next. CUDA calls launch completion a best
// effort, so this shows whether it is useful. It also shows how late each kind of stamp reads, so
// that times of both kinds can be compared. Knows clocks, but not the program's graphs.

#ifndef GRAPHPROF_CLOCK_EDGETRIAL_H
#define GRAPHPROF_CLOCK_EDGETRIAL_H

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "Mutex.h"
#include "clock/Clock.h"

namespace graphprof {

class EdgeTrial {
public:
  explicit EdgeTrial(Device &device);
  ~EdgeTrial();
  EdgeTrial(const EdgeTrial &) = delete;
  EdgeTrial &operator=(const EdgeTrial &) = delete;

  /// How late stamps read; nullopt if those on launch completion come late, or nothing is known
  /// yet. The first call runs the trial in the current context, which is the device's, and waits
  /// for it for at most `patienceNs`. On a busy device a later call finds the result. Safe during a
  /// capture.
  std::optional<StampLags> lags() {
    const auto found = outcome();
    return found && found->isOfUse ? std::optional(found->lags) : std::nullopt;
  }
  static constexpr std::int64_t patienceNs = 3'000'000;

  struct Outcome {
    StampLags lags;
    bool isOfUse; ///< stamps on launch completion come early
  };
  /// Also returns what was measured if they come late. nullopt: nothing is known yet.
  std::optional<Outcome> outcome();

  /// The result of a replay of the trial: the time of each boundary's stamp, the root's first, and
  /// the begin of each kernel. Kernel k is between boundaries k and k + 1, and lasts `lengthNs`.
  struct Replay {
    std::vector<std::int64_t> stampsNs, beginsNs;
    bool sharesNodes = false; ///< the device supports SharedWithBegin
  };
  /// What follows from a replay; nullopt if nothing was read.
  static std::optional<Outcome> outcomeOf(const Replay &replay, std::int64_t lengthNs);
  /// Boundaries with even numbers are on the launch completion of the kernel behind them. Of the
  /// others every second one, and the last, is SharedWithBegin, if the device supports that.
  static bool isAtLaunch(std::size_t boundary) { return boundary % 2 == 0; }
  static bool isShared(std::size_t boundary) { return boundary % 4 == 3; }

private:
  struct Run;
  bool begin() REQUIRES(mutex_);
  /// Returns false if it has not finished.
  bool look() REQUIRES(mutex_);

  Device &device_;
  Mutex mutex_;
  bool tried_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<Run> run_ GUARDED_BY(mutex_); // while it runs
  std::optional<Outcome> outcome_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EDGETRIAL_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What stamps read on a device, tried once: a few kernels of known length in a graph, with a stamp
// behind one and at the begin of the next by turns. CUDA calls launch completion a best effort, so
// whether it is of use is seen here; and how late each kind of stamp reads, so that times of both
// kinds can be compared. It knows clocks; it knows nothing of the program's graphs.

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

  /// How late stamps read; nullopt where those on launch completion come late, or nothing is known
  /// yet. The first call runs the trial, in the current context, the device's, and waits for it, at
  /// most `patienceNs`; on a busy device a later call finds the answer. Safe during a capture.
  std::optional<StampLags> lags() {
    const auto found = outcome();
    return found && found->isOfUse ? std::optional(found->lags) : std::nullopt;
  }
  static constexpr std::int64_t patienceNs = 3'000'000;

  struct Outcome {
    StampLags lags;
    bool isOfUse; ///< stamps on launch completion come early
  };
  /// The same with what was measured where it is of no use; nullopt: nothing is known yet.
  std::optional<Outcome> outcome();

  /// What a replay of the trial said: by boundary, the root's first, when its stamp was; and when
  /// each kernel began. Kernel k lies between boundaries k and k + 1, and lasts `lengthNs`.
  struct Replay {
    std::vector<std::int64_t> stampsNs, beginsNs;
  };
  /// What follows from that; nullopt where nothing was read.
  static std::optional<Outcome> outcomeOf(const Replay &replay, std::int64_t lengthNs);
  /// Boundaries with an even number hang on the launch completion of the kernel behind them; the
  /// last one is Around, where the device has that.
  static bool isAtLaunch(std::size_t boundary) { return boundary % 2 == 0; }

private:
  struct Run;
  bool begin() REQUIRES(mutex_);
  /// False: not finished yet.
  bool look() REQUIRES(mutex_);

  Device &device_;
  Mutex mutex_;
  bool tried_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<Run> run_ GUARDED_BY(mutex_); // while it is under way
  std::optional<Outcome> outcome_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_EDGETRIAL_H

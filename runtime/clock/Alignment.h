// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Maps a device's times to the host's axis: aligned once, then corrected as the clocks drift. It
// knows the device's timer (for stamps) and its events, but no graphs, launches or regions.
//
// Where the timer runs, events are placed by it: a stamp between two events, all on the device,
// says more than two clocks that were each asked from the host.
//
// Threads that launch correct the drift, a few times a second, because the harvest of stamps makes
// no CUDA call.

#ifndef GRAPHPROF_CLOCK_ALIGNMENT_H
#define GRAPHPROF_CLOCK_ALIGNMENT_H

#include <atomic>
#include <cstdint>
#include <span>

#include "CacheLine.h"
#include "Mutex.h"
#include "clock/Drift.h"
#include "cuda/DriverApi.h"
#include "graphprof/record.h"

namespace graphprof {

class Device;

/// The step of a timer in ns, as far as consecutive readings tell; 0 if they are too few. A step
/// that is too large makes graphprof use events instead of stamps, which cost much more, so it must
/// be proven: one time in four, two readings of a timer of 32 ns are a multiple of 128 ns apart.
[[nodiscard]] std::int64_t timerStepOf(std::span<const std::uint64_t> readings);

class Alignment {
public:
  explicit Alignment(Device &device) : device_(device) {}

  /// Measures, once, the offsets of the device's timer and of its events. Waits for a tiny kernel
  /// and an event on a stream of its own, at most two milliseconds each. Uses relaxed capture mode,
  /// because the program's first capture may be in progress. `timer` reads the device's timer; null
  /// if it does not run.
  void align(driver::Kernel timer);
  /// The step of the device's timer in ns, as measured while aligning; 0: unknown.
  [[nodiscard]] std::int64_t timerStepNs() const { return timerStepNs_.load(); }

  /// Checks the clock if the last check was a while ago. Call this after a launch, with the host's
  /// time. Mostly a comparison; a check takes some microseconds, at most `patienceNs`.
  void follow(Clock clock, std::int64_t nowNs) noexcept {
    if (nowNs >= (clock == Clock::Stamp ? stampLook_ : eventLook_).load(std::memory_order_relaxed))
      look(clock, nowNs);
  }
  static constexpr std::int64_t firstLookNs = 30'000'000, lookIntervalNs = 250'000'000;
  static constexpr std::int64_t patienceNs = 15'000;

  /// Converts stamps to the host's axis, all with the same offset and correction.
  struct StampAxis {
    std::int64_t offsetNs;
    Drift::Correction correction;

    [[nodiscard]] std::int64_t toHost(std::uint64_t stampNs) const {
      const std::int64_t ns = static_cast<std::int64_t>(stampNs) + offsetNs;
      return ns + correction.at(ns);
    }
  };
  [[nodiscard]] StampAxis stampAxis() const {
    return {stampOffsetNs_.load(std::memory_order_relaxed), stampDrift_.correction()};
  }

  /// Places a finished event on the host's axis. Returns false if that is not possible.
  bool eventToHost(driver::Event event, std::int64_t &ns);

private:
  void alignStamps(driver::Kernel timer) REQUIRES(mutex_);
  bool makeLook(driver::Function timer) REQUIRES(mutex_);
  void prepareLook(unsigned asked) REQUIRES(mutex_);
  bool tie() REQUIRES(mutex_);
  bool tieOnce(std::int64_t &shortestNs) REQUIRES(mutex_);
  void anchor() REQUIRES(mutex_);
  [[nodiscard]] Drift &eventDrift() REQUIRES(mutex_) { return tied_ ? stampDrift_ : eventDrift_; }
  void look(Clock clock, std::int64_t nowNs) noexcept;
  void lookAtTimer(bool afterPause) REQUIRES(mutex_);
  void lookAtEvent(bool afterPause) REQUIRES(mutex_);
  bool sinceAnchor(driver::Event event, std::int64_t &ns) const REQUIRES(mutex_);
  void anchorAt(driver::Event event, std::int64_t ns) REQUIRES(mutex_);

  Device &device_;
  std::atomic<std::int64_t> stampOffsetNs_{0};
  std::atomic<std::int64_t> timerStepNs_{0};
  // When the next check is due. Read at every launch.
  alignas(cacheLine) std::atomic<std::int64_t> stampLook_{INT64_MAX}, eventLook_{INT64_MAX};
  alignas(cacheLine) Drift stampDrift_, eventDrift_;

  Mutex mutex_;
  bool aligned_ GUARDED_BY(mutex_) = false;
  driver::Stream stream_ GUARDED_BY(mutex_) = nullptr;

  // Asks the timer: a graph of one kernel that answers questions, a word each. (Repeated launches
  // outside graphs would slow down every graph of the process.)
  driver::Exec look_ GUARDED_BY(mutex_) = nullptr;
  std::span<std::uint64_t> questions_ GUARDED_BY(mutex_), answers_ GUARDED_BY(mutex_);
  bool asked_ GUARDED_BY(mutex_) = false; // and no answer was seen yet
  std::int64_t askedNs_ GUARDED_BY(mutex_) = 0;
  std::int64_t lookAfterNs_ GUARDED_BY(mutex_) = firstLookNs; // the next one; grows

  // Events are placed relative to a recent event, the anchor: elapsed times are floats, exact to a
  // few nanoseconds for some seconds only.
  driver::Event anchor_ GUARDED_BY(mutex_) = nullptr;
  std::int64_t anchorNs_ GUARDED_BY(mutex_) = 0;
  bool tied_ GUARDED_BY(mutex_) = false; // anchorNs_ is a stamp's, and so is the correction
  driver::Event lookEvent_ GUARDED_BY(mutex_) = nullptr; // recorded, but not seen yet
  std::int64_t recordedNs_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_ALIGNMENT_H

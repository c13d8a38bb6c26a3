// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a device's times lie on the host's axis: aligned once, and followed as the clocks drift. It
// knows the device's timer (for stamps) and its events; nothing of graphs, launches or regions.
//
// Following is done on the program's threads, by whoever launches, a few times a second: the
// harvest of stamps makes no CUDA call.

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

/// The step of a timer, ns, as far as readings of it in a row tell; 0 where they are too few. A
/// step that is too large sends a program from stamps to events, which cost much more, so it is
/// claimed on evidence only: two readings of a timer of 32 ns lie a multiple of 128 ns apart one
/// time in four.
[[nodiscard]] std::int64_t timerStepOf(std::span<const std::uint64_t> readings);

class Alignment {
public:
  explicit Alignment(Device &device) : device_(device) {}

  /// Learns where the device's timer and events lie, once. Waits for a tiny kernel on a stream of
  /// its own, at most two milliseconds each. Runs under relaxed capture mode: the program's first
  /// capture may be going on. `timer` reads the device's timer; null where it does not run.
  void align(driver::Kernel timer);
  /// The step of the device's timer as far as it was seen while aligning, ns; 0: not known.
  [[nodiscard]] std::int64_t timerStepNs() const { return timerStepNs_.load(); }

  /// Looks where the clock is now, if the last look is a while ago. After a launch, with the host's
  /// time: mostly a comparison, else some microseconds, at most `patienceNs`.
  void follow(Clock clock, std::int64_t nowNs) noexcept {
    if (nowNs >= (clock == Clock::Stamp ? stampLook_ : eventLook_).load(std::memory_order_relaxed))
      look(clock, nowNs);
  }
  static constexpr std::int64_t lookIntervalNs = 250'000'000;
  static constexpr std::int64_t patienceNs = 15'000;

  /// Stamps on the host's axis, all by the same rule.
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

  /// A finished event on the host's axis. False where it cannot be said.
  bool eventToHost(driver::Event event, std::int64_t &ns);

private:
  void alignStamps(driver::Kernel timer) REQUIRES(mutex_);
  bool makeLook(driver::Function timer) REQUIRES(mutex_);
  void anchor() REQUIRES(mutex_);
  void look(Clock clock, std::int64_t nowNs) noexcept;
  void lookAtTimer() REQUIRES(mutex_);
  void lookAtEvent() REQUIRES(mutex_);
  bool sinceAnchor(driver::Event event, std::int64_t &ns) const REQUIRES(mutex_);
  void anchorAt(driver::Event event, std::int64_t ns) REQUIRES(mutex_);

  Device &device_;
  std::atomic<std::int64_t> stampOffsetNs_{0};
  std::atomic<std::int64_t> timerStepNs_{0};
  // When the next is due: asked at every launch.
  alignas(cacheLine) std::atomic<std::int64_t> stampLook_{INT64_MAX}, eventLook_{INT64_MAX};
  alignas(cacheLine) Drift stampDrift_, eventDrift_;

  Mutex mutex_;
  bool aligned_ GUARDED_BY(mutex_) = false;
  driver::Stream stream_ GUARDED_BY(mutex_) = nullptr;

  // The look at the timer: a graph of one kernel that writes the time to a word. (Launched outside
  // of a graph again and again it would slow every graph of the process down.)
  driver::Exec look_ GUARDED_BY(mutex_) = nullptr;
  std::uint64_t *answer_ GUARDED_BY(mutex_) = nullptr;
  bool asked_ GUARDED_BY(mutex_) = false; // and no answer was seen
  std::int64_t askedNs_ GUARDED_BY(mutex_) = 0;

  // Events are placed by an anchor, one that is not long past: elapsed times are floats, exact to a
  // few nanoseconds only for some seconds.
  driver::Event anchor_ GUARDED_BY(mutex_) = nullptr;
  std::int64_t anchorNs_ GUARDED_BY(mutex_) = 0;
  driver::Event lookEvent_ GUARDED_BY(mutex_) = nullptr; // recorded, and not seen yet
  std::int64_t recordedNs_ GUARDED_BY(mutex_) = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_CLOCK_ALIGNMENT_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The process's count of steps. It knows nothing of what is recorded in them.
//
// Threads: steps begin and end under a lock; asking for the current one is a load. Which of them is
// a thread's own only that thread asks.

#ifndef GRAPHPROF_SESSION_CYCLES_STEPS_H
#define GRAPHPROF_SESSION_CYCLES_STEPS_H

#include <atomic>
#include <cstdint>

#include "Mutex.h"

namespace graphprof {

/// Whoever wants to know of steps. Called in order, under the lock of Steps: asks for the current
/// step, if for anything, and does not wait.
class StepListener {
public:
  virtual ~StepListener() = default;
  /// Step `step` begins; where there was one before, it ends.
  virtual void begun(std::int64_t step) noexcept = 0;
  /// Step `step` has ended, and no other one has begun.
  virtual void ended(std::int64_t step) noexcept = 0;
};

class Steps {
public:
  /// Leaked on purpose: guards may stand in static objects.
  static Steps &instance() noexcept;

  /// A guard opens or closes. The first one of several that are open at once begins a step, unless
  /// next() has begun one; the last one ends what the first began.
  void open() noexcept EXCLUDES(mutex_);
  void close() noexcept EXCLUDES(mutex_);
  /// Ends the current step and begins the next, unless a guard is open.
  void next() noexcept EXCLUDES(mutex_);

  /// Was there ever one, or a guard?
  [[nodiscard]] bool used() const noexcept { return used_.load(); }

  /// Ends the current step that next() began, unless a guard is open.
  void finish() noexcept EXCLUDES(mutex_);

  /// The current step is about to end, by next() or finish(), and what is recorded of it ends now.
  /// Does nothing while a guard is open.
  void ending() noexcept EXCLUDES(mutex_);

  /// `listener` hears of every step from now on; null: nobody does. It stays.
  void tell(StepListener *listener) noexcept EXCLUDES(mutex_);
  /// The same for one that shows steps. It hears of a step's end first, and of its begin last: it
  /// may hear twice of an end.
  void show(StepListener *listener) noexcept EXCLUDES(mutex_);

  /// From 0; -1: none.
  [[nodiscard]] std::int64_t current() const noexcept {
    return current_.load(std::memory_order_relaxed);
  }
  /// Is this thread in a step of its own: one of its guards is open, or its next() began the
  /// current step?
  [[nodiscard]] bool onThisThread() const noexcept;
  /// Of what somebody sees from now on, who calls next() first or does not: the first step, and the
  /// first one that begins.
  struct Seen {
    std::int64_t first, begun;
  };
  [[nodiscard]] Seen seenFromNow(bool next) noexcept EXCLUDES(mutex_);

  static constexpr std::int64_t none = -1;

private:
  void begin() noexcept REQUIRES(mutex_);
  void end() noexcept REQUIRES(mutex_);
  void endShown() noexcept REQUIRES(mutex_);

  struct Own {
    std::uint64_t open = 0;    // guards
    std::int64_t begun = none; // by next()
  };
  static thread_local Own own;

  std::atomic<bool> used_{false}; // set before the lock is taken
  Mutex mutex_;
  std::uint64_t open_ GUARDED_BY(mutex_) = 0;
  bool guarded_ GUARDED_BY(mutex_) = false; // the current step is a guard's
  std::int64_t begun_ GUARDED_BY(mutex_) = 0;
  StepListener *listener_ GUARDED_BY(mutex_) = nullptr, *shown_ GUARDED_BY(mutex_) = nullptr;
  std::atomic<std::int64_t> current_{none}; // set under mutex_
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_STEPS_H

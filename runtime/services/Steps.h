// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Counts the process's steps. Does not know what is recorded in them.
//
// Threads: steps begin and end under a lock; reading the current step is a load. Only a thread
// itself asks which steps are its own.

#ifndef GRAPHPROF_SERVICES_STEPS_H
#define GRAPHPROF_SERVICES_STEPS_H

#include <atomic>
#include <cstdint>

#include "Mutex.h"

namespace graphprof {

/// Is told of steps, in order, under the lock of Steps. It may only ask for the current step, and
/// must not wait.
class StepListener {
public:
  virtual ~StepListener() = default;
  /// Step `step` begins, and the one before it, if any, ends.
  virtual void begun(std::int64_t step) noexcept = 0;
  /// Step `step` has ended, and no other one has begun.
  virtual void ended(std::int64_t step) noexcept = 0;
};

class Steps {
public:
  /// A guard opens or closes. If several are open at once, the first one begins a step, unless
  /// next() has begun one. The last one ends the step that the first began.
  void open() noexcept EXCLUDES(mutex_);
  void close() noexcept EXCLUDES(mutex_);
  /// Ends the current step and begins the next, unless a guard is open.
  void next() noexcept EXCLUDES(mutex_);

  /// Was there ever a step, or a guard?
  [[nodiscard]] bool used() const noexcept { return used_.load(); }

  /// Ends the current step that next() began, unless a guard is open.
  void finish() noexcept EXCLUDES(mutex_);

  /// next() or finish() is about to end the current step. Ends what is recorded of it. Does nothing
  /// while a guard is open.
  void ending() noexcept EXCLUDES(mutex_);

  /// Tells `listener` of every step from now on; null: tells nobody. The listener must not be
  /// destroyed.
  void tell(StepListener *listener) noexcept EXCLUDES(mutex_);
  /// The same for a listener that shows steps. It is told of a step's end first and of its begin
  /// last. It may be told twice of an end.
  void show(StepListener *listener) noexcept EXCLUDES(mutex_);

  /// The current step, from 0; -1: none. Sequentially consistent: see HeldSteps.
  [[nodiscard]] std::int64_t current() const noexcept { return current_.load(); }
  /// Is this thread in a step of its own? It is if one of its guards is open, or if its next()
  /// began the current step.
  [[nodiscard]] bool onThisThread() const noexcept;
  /// The first step that an observer sees from now on, and the first that begins. `next`: the
  /// observer calls next() first.
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
    std::uint64_t open = 0;    // open guards of this thread
    std::int64_t begun = none; // the last step that next() began
  };
  static thread_local Own own;

  std::atomic<bool> used_{false}; // set before the lock is taken
  Mutex mutex_;
  std::uint64_t open_ GUARDED_BY(mutex_) = 0;
  bool guarded_ GUARDED_BY(mutex_) = false; // a guard began the current step
  std::int64_t begun_ GUARDED_BY(mutex_) = 0;
  StepListener *listener_ GUARDED_BY(mutex_) = nullptr, *shown_ GUARDED_BY(mutex_) = nullptr;
  std::atomic<std::int64_t> current_{none}; // set under mutex_
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_STEPS_H

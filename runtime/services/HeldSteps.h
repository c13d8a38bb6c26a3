// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// To which steps the program's threads may still add copies: those that are open, or that have
// ended and are not handed over yet. So the harvest knows of which steps everything has come. Does
// not know what a copy is.

#ifndef GRAPHPROF_SERVICES_HELDSTEPS_H
#define GRAPHPROF_SERVICES_HELDSTEPS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "Mutex.h"

namespace graphprof {

class Steps;

/// The race of a thread that begins a copy with one that ends the step: the holder holds every step
/// before it asks for the current one, and the asker of first() asks for the current step before it
/// looks at the holders; all sequentially consistent. So either the asker sees the holder, or the
/// holder sees a step that is not before the asker's.
class HeldSteps {
public:
  explicit HeldSteps(Steps &steps) : steps_(steps) {}

  /// Holds back one step and all that follow. One thread at a time.
  class Holder {
  public:
    /// Holds all steps. Ask for the current step after this.
    void holdAll() noexcept { first_.store(0); }
    void hold(std::int64_t step) noexcept { first_.store(step); }
    void release() noexcept { first_.store(free); }
    [[nodiscard]] bool holds() const noexcept {
      return first_.load(std::memory_order_relaxed) != free;
    }

  private:
    friend class HeldSteps;
    static constexpr std::int64_t free = INT64_MAX;
    std::atomic<std::int64_t> first_{free};
  };

  /// A new holder, which exists for as long as the caller keeps it.
  [[nodiscard]] std::shared_ptr<Holder> join() EXCLUDES(mutex_);

  /// The first step that may still get something: the current one or, if there is none, the next
  /// one, or one that is held before those.
  [[nodiscard]] std::int64_t first() noexcept EXCLUDES(mutex_);

private:
  Steps &steps_;
  Mutex mutex_;
  std::vector<std::shared_ptr<Holder>> holders_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_HELDSTEPS_H

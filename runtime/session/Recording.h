// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The recording switch: whether launches take the profiled exec, from what everybody wants. It
// knows neither who that is nor why.
//
//   recording = the program has not switched it off (graphprof::stop())
//               and (somebody listens and nobody says when to record, or somebody wants it now)
//
// Who says when: a schedule of the environment's, or a graphprof::profile of the program's. Before
// there is one, everything is recorded from the start. Who listens: outputs, callbacks.

#ifndef GRAPHPROF_SESSION_RECORDING_H
#define GRAPHPROF_SESSION_RECORDING_H

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "Mutex.h"

namespace graphprof {

/// Threads: asking is a load, made at every launch; the rest takes a lock, makes no other call
/// under it, and wakes nobody.
class Recording {
public:
  /// What somebody wants recorded.
  struct Wish {
    bool device = false; ///< replays, and regions outside graphs
    bool host = false;   ///< regions of which only the host's time is known
    bool spans = false;  ///< what threads do, by the host's clock (graphprof/host_span.h)
    bool memory = false; ///< allocations and frees
  };

  [[nodiscard]] bool device() const noexcept { return device_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool host() const noexcept { return host_.load(std::memory_order_relaxed); }
  /// Only where somebody wants them.
  [[nodiscard]] bool hostSpans() const noexcept { return spans_.load(std::memory_order_relaxed); }
  /// Regions outside graphs, in any of these ways.
  [[nodiscard]] bool regions() const noexcept { return device() || host() || hostSpans(); }
  [[nodiscard]] bool memory() const noexcept { return memory_.load(std::memory_order_relaxed); }

  /// The program's own switch. It is on at first.
  void permit(bool on) noexcept;
  [[nodiscard]] bool permitted() const noexcept { return permitted_.load(); }
  /// From now on only what somebody wants is recorded.
  void onlyWanted() noexcept;
  /// One more, or less, to listen.
  void listened(bool more) noexcept;
  /// `who` wants this from now on, instead of what it wanted before; nothing at first.
  void want(const void *who, Wish wish);
  /// `who` wants nothing any more.
  void forget(const void *who) noexcept;

private:
  void decide() noexcept REQUIRES(mutex_);

  Mutex mutex_;
  bool everything_ GUARDED_BY(mutex_) = true;
  std::size_t listeners_ GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<const void *, Wish>> wishes_ GUARDED_BY(mutex_);
  // Set under mutex_.
  std::atomic<bool> permitted_{true};
  std::atomic<bool> device_{false}, host_{false}, spans_{false}, memory_{false};
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_RECORDING_H

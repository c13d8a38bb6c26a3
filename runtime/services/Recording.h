// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The recording switch: decides from all requests whether launches take the profiled exec. It knows
// neither who makes a request nor why.
//
//   recording = the program has not switched it off (graphprof::stop())
//               and (somebody listens and nobody says when to record, or somebody wants it now)
//
// A schedule of the environment or a graphprof::profile of the program says when. Before there is
// one, everything is recorded. Outputs and callbacks listen.

#ifndef GRAPHPROF_SERVICES_RECORDING_H
#define GRAPHPROF_SERVICES_RECORDING_H

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "Mutex.h"

namespace graphprof {

/// Threads: a query is one load, made at every launch. Everything else takes a lock, calls nothing
/// under it, and wakes nobody.
class Recording {
public:
  /// What somebody asks to have recorded.
  struct Request {
    bool device = false; ///< replays, and regions outside graphs
    bool host = false;   ///< regions of which only the host's time is known
    bool spans = false;  ///< what threads do, by the host's clock (graphprof/host_span.h)
    bool memory = false; ///< allocations and frees
  };

  [[nodiscard]] bool device() const noexcept { return device_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool host() const noexcept { return host_.load(std::memory_order_relaxed); }
  /// On only if somebody requests host spans.
  [[nodiscard]] bool hostSpans() const noexcept { return spans_.load(std::memory_order_relaxed); }
  /// Whether regions outside graphs are recorded in any of these ways.
  [[nodiscard]] bool regions() const noexcept { return device() || host() || hostSpans(); }
  [[nodiscard]] bool memory() const noexcept { return memory_.load(std::memory_order_relaxed); }

  /// The program's own switch, initially on.
  void permit(bool on) noexcept;
  [[nodiscard]] bool permitted() const noexcept { return permitted_.load(); }
  /// Records from now on only what is requested.
  void onlyRequested() noexcept;
  /// A listener was added, or removed.
  void listened(bool more) noexcept;
  /// Sets what `who` requests from now on. Initially that is nothing.
  void request(const void *who, Request what);
  /// Removes the request of `who`.
  void withdraw(const void *who) noexcept;

private:
  void decide() noexcept REQUIRES(mutex_);

  Mutex mutex_;
  bool everything_ GUARDED_BY(mutex_) = true;
  std::size_t listeners_ GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<const void *, Request>> requests_ GUARDED_BY(mutex_);
  // Set under mutex_.
  std::atomic<bool> permitted_{true};
  std::atomic<bool> device_{false}, host_{false}, spans_{false}, memory_{false};
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_RECORDING_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The host spans of all threads, on their way to the session: each thread notes its own without a
// lock, the harvest thread takes them, names them, and hands them on. Knows nothing of CUDA, and of
// who wants them nothing either: who notes one asks Recording::hostSpans() first.

#ifndef GRAPHPROF_SESSION_HOST_HOSTSPANS_H
#define GRAPHPROF_SESSION_HOST_HOSTSPANS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "Mutex.h"
#include "session/host/HostSpanQueue.h"

namespace graphprof {

class Session;

class HostSpans {
public:
  /// Leaked on purpose: spans may end while static destructors run.
  static HostSpans &instance() noexcept;

  /// A span of this thread has ended, now. Counts it as lost where too many of this thread wait.
  void push(HostEvent event) noexcept;
  /// This thread, for a span that may end on another one.
  [[nodiscard]] std::shared_ptr<const HostThread> thisThread();
  /// Was there ever one?
  [[nodiscard]] bool used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// What is called, on the thread that notes a span, when many wait.
  void wakeWith(void (*wake)() noexcept) noexcept { wake_.store(wake); }

  /// Hands on what has ended. On one thread at a time.
  void harvest(Session &session);
  /// Has one not been handed on that was noted, and ended before `hostNs`?
  [[nodiscard]] bool outBefore(std::int64_t hostNs);
  /// Gives up on what waits; returns how many.
  [[nodiscard]] std::size_t abandon();

private:
  struct OfThread;
  struct Taken {
    std::shared_ptr<const HostThread> thread;
    std::vector<HostEvent> events;
  };

  HostSpans() = default;
  [[nodiscard]] OfThread &ofThisThread();
  [[nodiscard]] std::vector<Taken> take() REQUIRES(mutex_);
  static void hand(const std::vector<Taken> &taken, Session &session);

  std::atomic<bool> used_{false};
  std::atomic<void (*)() noexcept> wake_{nullptr};
  Mutex mutex_; // held to take from the queues, too
  std::vector<std::shared_ptr<OfThread>> threads_ GUARDED_BY(mutex_);
  // when the first of those ended that are being handed on
  std::int64_t handingNs_ GUARDED_BY(mutex_) = INT64_MAX;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_HOST_HOSTSPANS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The host spans of all threads, on their way to the session. Each thread notes its own without a
// lock. The harvest thread takes them, names them and hands them on. Does not know CUDA, nor who
// wants spans: ask Recording::hostSpans() before you push one.

#ifndef GRAPHPROF_HOST_HOSTSPANS_H
#define GRAPHPROF_HOST_HOSTSPANS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "Mutex.h"
#include "host/HostSpanQueue.h"

namespace graphprof {

class ReplaySink;
class Services;

class HostSpans {
public:
  explicit HostSpans(Services &services) : services_(services) {}

  /// A span of this thread has ended now. Counts it as lost if too many of this thread wait.
  void push(HostEvent event) noexcept;
  /// Describes this thread, for a span that may end on another one.
  [[nodiscard]] std::shared_ptr<const HostThread> thisThread();
  /// Was a span ever pushed?
  [[nodiscard]] bool used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// Sets the function that is called, on the pushing thread, if many spans wait.
  void wakeWith(void (*wake)() noexcept) noexcept { wake_.store(wake); }

  /// Hands the spans that have ended to `sink`. Call it on one thread at a time. Returns false if
  /// some of them wait on, for lack of memory.
  bool harvest(ReplaySink &sink);
  /// Is there a span that ended before `hostNs` and has not been handed on?
  [[nodiscard]] bool outBefore(std::int64_t hostNs);
  /// Discards what waits and returns how many spans that was.
  [[nodiscard]] std::size_t abandon();

private:
  struct OfThread;
  struct Taken {
    std::shared_ptr<const HostThread> thread;
    std::vector<HostEvent> events;
  };

  [[nodiscard]] OfThread &ofThisThread();
  // Returns whether it took everything.
  [[nodiscard]] bool take(std::vector<Taken> &taken) REQUIRES(mutex_);
  void hand(const std::vector<Taken> &taken, ReplaySink &sink);

  Services &services_;
  std::atomic<bool> used_{false};
  std::atomic<void (*)() noexcept> wake_{nullptr};
  Mutex mutex_; // also held while spans are taken from the queues
  std::vector<std::shared_ptr<OfThread>> threads_ GUARDED_BY(mutex_);
  // The first end among the spans that are being handed on.
  std::int64_t handingNs_ GUARDED_BY(mutex_) = INT64_MAX;
};

} // namespace graphprof

#endif // GRAPHPROF_HOST_HOSTSPANS_H

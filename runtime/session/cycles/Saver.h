// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The thread on which traces are finished while the program goes on with its next step. Work waits
// here until everything that was launched before it has been handed on. Knows nothing of traces,
// and asks the harvest only whether it has come so far.

#ifndef GRAPHPROF_SESSION_CYCLES_SAVER_H
#define GRAPHPROF_SESSION_CYCLES_SAVER_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>

#include "Mutex.h"

namespace graphprof {

/// Never destroyed. Its thread starts with the first work and runs until the process ends.
class Saver {
public:
  /// `handedOn(hostNs)` returns whether everything launched before `hostNs` has been handed on.
  explicit Saver(std::function<bool(std::int64_t)> handedOn) : handedOn_(std::move(handedOn)) {}
  Saver(const Saver &) = delete;
  Saver &operator=(const Saver &) = delete;

  /// Runs `work` when everything launched before `hostNs` has been handed on. Work runs one at a
  /// time, in the order in which it is added, and does not throw.
  void add(std::int64_t hostNs, std::function<void()> work) EXCLUDES(mutex_);
  /// Is the caller on this thread?
  [[nodiscard]] bool isThisThread() const noexcept {
    return std::this_thread::get_id() == thread_.load();
  }
  /// Waits until no work is left, for at most `timeoutMs`. Returns false at once on its own thread.
  bool flush(std::int64_t timeoutMs) EXCLUDES(mutex_);

private:
  struct Work {
    std::int64_t hostNs;
    std::function<void()> work;
  };

  void run() EXCLUDES(mutex_);
  [[nodiscard]] bool isHandedOn(std::int64_t hostNs) noexcept;
  void await(std::int64_t hostNs);

  const std::function<bool(std::int64_t)> handedOn_;
  Mutex mutex_; // nothing is called while it is held
  Condition changed_;
  std::deque<Work> waiting_ GUARDED_BY(mutex_); // the thread works on the first
  bool started_ GUARDED_BY(mutex_) = false;
  std::atomic<std::thread::id> thread_;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_SAVER_H

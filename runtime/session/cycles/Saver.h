// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The thread on which traces are finished: what a step ended is saved here once everything that was
// launched before has been handed on, while the program goes on with its next step. It knows
// nothing of traces, and of the harvest only the question whether it has come so far.

#ifndef GRAPHPROF_SESSION_CYCLES_SAVER_H
#define GRAPHPROF_SESSION_CYCLES_SAVER_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>

#include "Mutex.h"

namespace graphprof {

/// Never destroyed: its thread starts with the first work and runs until the process ends.
class Saver {
public:
  /// `handedOn(hostNs)`: has everything been handed on that was launched before?
  explicit Saver(std::function<bool(std::int64_t)> handedOn) : handedOn_(std::move(handedOn)) {}
  Saver(const Saver &) = delete;
  Saver &operator=(const Saver &) = delete;

  /// Has `work` done once everything that was launched before `hostNs` has been handed on. Work is
  /// done in the order in which it is added, one at a time. It does not throw.
  void add(std::int64_t hostNs, std::function<void()> work) EXCLUDES(mutex_);
  /// Is this its thread?
  [[nodiscard]] bool isThisThread() const noexcept {
    return std::this_thread::get_id() == thread_.load();
  }
  /// Waits until nothing is left to do, at most `timeoutMs`. False at once on its own thread.
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
  Mutex mutex_; // nothing is called under it
  Condition changed_;
  std::deque<Work> waiting_ GUARDED_BY(mutex_); // the first is in the thread's hands
  bool started_ GUARDED_BY(mutex_) = false;
  std::atomic<std::thread::id> thread_;
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_SAVER_H

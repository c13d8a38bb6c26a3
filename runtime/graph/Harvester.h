// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The harvest thread: turns finished replays and eager regions into records, off the program's
// threads. For stamps it reads host memory only; for events it queries them, relaxed, so that it
// can disturb no capture.

#ifndef GRAPHPROF_GRAPH_HARVESTER_H
#define GRAPHPROF_GRAPH_HARVESTER_H

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "graph/Eager.h"
#include "graph/Pair.h"

namespace graphprof {

class Session;

class Harvester {
public:
  /// Leaked on purpose; its thread starts with the first work.
  static Harvester &instance();

  void add(std::shared_ptr<Pair> pair);
  EagerQueue &eager() { return eager_; }
  /// There is something to harvest. Called after every profiled launch: a store and a load while
  /// the thread is awake.
  void wake() noexcept;
  /// Waits until nothing is out, at most `timeoutMs`. False at once on the harvest thread itself.
  bool flush(std::int64_t timeoutMs);
  /// Has everything been handed on that was launched, or had begun outside graphs and has ended, or
  /// was a host span that ended, before `hostNs`? That time has passed.
  [[nodiscard]] bool handedOn(std::int64_t hostNs);
  /// Is nothing out? In this order: asked about first, idle_ might be of before a pass that has
  /// taken the work.
  [[nodiscard]] bool idle() const noexcept { return !work_.load() && idle_.load(); }
  /// Counts what is still out as unfinished and forgets it: at exit.
  void abandon(Session &session);

private:
  void run();
  std::size_t pass(); // what is still out

  EagerQueue eager_;
  std::timed_mutex passMutex_; // held during a pass
  std::mutex mutex_;           // guards pairs_, and the sleep
  std::vector<std::shared_ptr<Pair>> pairs_;
  std::condition_variable sleeper_;
  std::atomic<bool> used_{false};   // wake() was called, ever
  std::atomic<bool> work_{false};   // set by wake(), taken by the thread before a pass
  std::atomic<bool> asleep_{false}; // the thread waits on sleeper_
  std::atomic<bool> idle_{true};    // nothing was out after the last pass
  std::atomic<std::thread::id> thread_;
  std::once_flag started_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVESTER_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The harvest thread: turns finished replays and eager regions into records, off the program's
// threads. For stamps it reads host memory only; for events it queries them, relaxed, so that it
// can disturb no capture. Where no thread can be made, who flushes harvests.

#ifndef GRAPHPROF_GRAPH_HARVEST_HARVESTER_H
#define GRAPHPROF_GRAPH_HARVEST_HARVESTER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "Mutex.h"
#include "graph/harvest/Eager.h"
#include "graph/launch/Pair.h"

namespace graphprof {

class Session;

class Harvester {
public:
  /// Leaked on purpose; its thread starts with the first work.
  static Harvester &instance() noexcept;

  void add(std::shared_ptr<Pair> pair) EXCLUDES(mutex_);
  /// The program has destroyed the exec of `pair`, which keeps its rings until it is harvested.
  /// Where the harvest lags so far behind that too many do, the oldest are given up, counted.
  void leaving(const std::shared_ptr<Pair> &pair) noexcept EXCLUDES(mutex_);
  EagerQueue &eager() { return eager_; }
  /// There is something to harvest. Called after every profiled launch: a store and a load while
  /// the thread is awake.
  void wake() noexcept;
  /// Waits until nothing is out, at most `timeoutMs`. False at once for who is called by the
  /// harvest.
  bool flush(std::int64_t timeoutMs) noexcept;
  /// Has everything been handed on that was launched, or had begun outside graphs and has ended, or
  /// was a host span that ended, before `hostNs`? That time has passed.
  [[nodiscard]] bool handedOn(std::int64_t hostNs);
  /// Is nothing out? In this order: asked about first, idle_ might be of before a pass that has
  /// taken the work.
  [[nodiscard]] bool idle() const noexcept { return !work_.load() && idle_.load(); }

  /// Has `work` called on the harvest thread, soon, once; takes no lock. False where there is no
  /// such thread.
  bool onThread(void (*work)() noexcept) noexcept;
  /// How long the harvest thread has worked: while that grows, it gets on.
  [[nodiscard]] std::chrono::nanoseconds worked() const noexcept;
  /// Counts what is still out as unfinished and forgets it: at exit.
  void abandon(Session &session) EXCLUDES(passMutex_);

private:
  enum class Thread : std::uint8_t { None, Starting, Runs, Refused };
  void start() noexcept;
  void run() noexcept;
  /// Harvests once, on whatever thread; how much is still out.
  std::size_t harvest() noexcept EXCLUDES(passMutex_);
  std::size_t pass(Session &session) REQUIRES(passMutex_);
  [[nodiscard]] std::vector<std::shared_ptr<Pair>> pairs() EXCLUDES(mutex_);
  [[nodiscard]] bool isPassing() const noexcept {
    return passing_.load() == std::this_thread::get_id();
  }
  /// Is this the thread that harvests, also since there is no other?
  [[nodiscard]] bool harvestsItself() const noexcept {
    return thread_.load() == Thread::Refused || id_.load() == std::this_thread::get_id();
  }

  EagerQueue eager_;
  TimedMutex passMutex_ ACQUIRED_BEFORE(mutex_); // held during a pass
  Mutex mutex_;
  std::vector<std::shared_ptr<Pair>> pairs_ GUARDED_BY(mutex_);
  std::deque<std::weak_ptr<Pair>> leaving_ GUARDED_BY(mutex_); // the oldest first

  std::atomic<bool> used_{false};   // wake() was called, ever
  std::atomic<bool> work_{false};   // set by wake(), taken before a pass
  std::atomic<bool> asleep_{false}; // the thread waits for work_
  std::atomic<bool> idle_{true};    // nothing was out after the last pass
  std::atomic<Thread> thread_{Thread::None};
  std::atomic<std::thread::id> id_;      // the thread's
  std::atomic<std::thread::id> passing_; // who is in a pass
  std::atomic<clockid_t> clock_{0};      // the thread's, once it runs
  std::atomic<void (*)() noexcept> asked_{nullptr};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVEST_HARVESTER_H

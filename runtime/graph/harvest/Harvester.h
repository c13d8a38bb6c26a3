// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The harvest thread: turns finished replays and eager regions into records, off the program's
// threads. For stamps it only reads host memory. Events it queries in relaxed mode, so that it
// disturbs no capture. If no thread can be started, flush() harvests on its caller's thread.

#ifndef GRAPHPROF_GRAPH_HARVEST_HARVESTER_H
#define GRAPHPROF_GRAPH_HARVEST_HARVESTER_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "Mutex.h"
#include "graph/harvest/Eager.h"
#include "graph/harvest/SettledSteps.h"
#include "graph/launch/Pair.h"

namespace graphprof {

class Deadline;
class HeldSteps;
class HostSpans;
class ReplaySink;
class Services;

class Harvester {
public:
  /// Its thread starts with the first work and never ends, so this must not be destroyed then.
  Harvester(Services &services, ReplaySink &sink, HostSpans &spans, HeldSteps &steps)
      : services_(services), sink_(sink), spans_(spans), steps_(steps), eager_(services, sink) {}

  void add(std::shared_ptr<Pair> pair) EXCLUDES(mutex_);
  /// The program has destroyed the exec of `pair`, which keeps its rings until it is harvested. If
  /// too many are waiting, the oldest are given up and counted.
  void leaving(const std::shared_ptr<Pair> &pair) noexcept EXCLUDES(mutex_);
  EagerQueue &eager() { return eager_; }
  /// There is something to harvest. Called after every profiled launch: a store and a load while
  /// the thread is awake.
  void wake() noexcept;
  /// Waits until nothing is outstanding, for at most `timeoutMs`. Returns false at once if the
  /// harvest itself is the caller.
  bool flush(std::int64_t timeoutMs) noexcept;
  /// Waits until nothing is outstanding that was launched on these devices, and no region outside
  /// graphs, for at most `timeoutMs`. Counts what is left of the devices' as unfinished.
  void finishOn(std::span<Device *const> devices, std::int64_t timeoutMs) EXCLUDES(passMutex_);
  /// Whether everything before `hostNs`, a time in the past, has been handed on: launches, regions
  /// outside graphs that began before it and have ended, host spans that ended before it.
  [[nodiscard]] bool handedOn(std::int64_t hostNs);
  /// Is nothing outstanding? work_ must be read first: if idle_ were, its value could be from
  /// before a pass that has taken the work since.
  [[nodiscard]] bool idle() const noexcept { return !work_.load() && idle_.load(); }

  /// The oldest recorded replay of each exec that has any in flight. Makes CUDA calls, before
  /// `deadline` or, if the driver holds them up, without a bound. Not for the harvest thread.
  /// nullopt: a pass of the harvest takes too long.
  [[nodiscard]] std::optional<std::vector<ReplayInFlight>> inFlight(Deadline &deadline)
      EXCLUDES(passMutex_);
  /// Calls `tell` on the harvest thread when a recorded replay has been in flight for `afterNs`,
  /// and again only after none was. Call this before anything is launched.
  void watchFor(std::int64_t afterNs, void (*tell)() noexcept) {
    stuckAfterNs_ = afterNs;
    tellStuck_ = tell;
  }

  /// Calls `work` on the harvest thread, soon, once. Takes no lock. Returns false if there is no
  /// such thread.
  bool onThread(void (*work)() noexcept) noexcept;
  /// The CPU time of the harvest thread. While it grows, the thread makes progress.
  [[nodiscard]] std::chrono::nanoseconds worked() const noexcept;
  /// Counts what is outstanding as unfinished, and forgets it. At exit.
  void abandon() EXCLUDES(passMutex_);

private:
  enum class Thread : std::uint8_t { None, Starting, Runs, Refused };
  void start() noexcept;
  void run() noexcept;
  /// Harvests once, on the caller's thread. Returns how much is still outstanding.
  std::size_t harvest() noexcept EXCLUDES(passMutex_);
  std::size_t pass() REQUIRES(passMutex_);
  [[nodiscard]] std::vector<std::shared_ptr<Pair>> pairs() EXCLUDES(mutex_);
  void watch(std::span<const PendingLaunches::Oldest> unfinished) REQUIRES(passMutex_);
  /// Adds `pair`, and takes the oldest of those that leave, if they are too many now.
  [[nodiscard]] std::vector<std::shared_ptr<Pair>> tooManyWith(const std::shared_ptr<Pair> &pair)
      EXCLUDES(mutex_);
  [[nodiscard]] bool isPassing() const noexcept {
    return passing_.load() == std::this_thread::get_id();
  }
  /// Does the calling thread harvest, because it is the harvest thread or there is none?
  [[nodiscard]] bool harvestsItself() const noexcept {
    return thread_.load() == Thread::Refused || id_.load() == std::this_thread::get_id();
  }

  Services &services_;
  ReplaySink &sink_;
  HostSpans &spans_;
  HeldSteps &steps_;

  EagerQueue eager_;
  StreamOrder order_;                            // used by the pass
  TimedMutex passMutex_ ACQUIRED_BEFORE(mutex_); // held during a pass
  SettledSteps settled_ GUARDED_BY(passMutex_);
  std::int64_t stuckAfterNs_ = 0; // 0: nobody is told
  void (*tellStuck_)() noexcept = nullptr;
  bool isStuck_ GUARDED_BY(passMutex_) = false; // and that was told
  Mutex mutex_;
  std::vector<std::shared_ptr<Pair>> pairs_ GUARDED_BY(mutex_);
  std::deque<std::weak_ptr<Pair>> leaving_ GUARDED_BY(mutex_); // oldest first

  std::atomic<bool> used_{false};   // wake() was ever called
  std::atomic<bool> work_{false};   // set by wake(), cleared before a pass
  std::atomic<bool> asleep_{false}; // the thread waits for work_
  std::atomic<bool> idle_{true};    // nothing was outstanding after the last pass
  std::atomic<Thread> thread_{Thread::None};
  std::atomic<std::thread::id> id_;      // of the thread
  std::atomic<std::thread::id> passing_; // the thread that makes a pass
  std::atomic<clockid_t> clock_{0};      // of the thread, once it runs
  std::atomic<void (*)() noexcept> asked_{nullptr};
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_HARVEST_HARVESTER_H

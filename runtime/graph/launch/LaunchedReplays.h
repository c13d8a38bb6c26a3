// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The replays of one exec that were launched, from the launch until their records are with the
// session. Knows nothing of which exec a launch takes: that is the pair's business.
//
// Threads: the program's threads push what they launch into `pending`, under the pair's lock; the
// harvest thread takes it from there. Launches can be long, and neither side waits for the other.

#ifndef GRAPHPROF_GRAPH_LAUNCH_LAUNCHEDREPLAYS_H
#define GRAPHPROF_GRAPH_LAUNCH_LAUNCHEDREPLAYS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "CacheLine.h"
#include "Mutex.h"
#include "graph/launch/PendingLaunches.h"
#include "graph/launch/Readings.h"

namespace graphprof {

class Session;

class LaunchedReplays {
public:
  /// `exec`: the running number that its records name.
  explicit LaunchedReplays(std::uint64_t exec) : exec_(exec) {}
  LaunchedReplays(const LaunchedReplays &) = delete;
  LaunchedReplays &operator=(const LaunchedReplays &) = delete;

  /// Hands every finished replay to the session, in launch order. Returns how many launched replays
  /// are still out.
  std::size_t harvest(Session &session) EXCLUDES(mutex_);
  /// Gives up on what is still out, at exit; returns how many. Not beside harvest().
  std::size_t abandon() EXCLUDES(mutex_);

  /// Who holds it keeps the harvest away. Taken before the pair's.
  [[nodiscard]] Mutex &mutex() RETURN_CAPABILITY(mutex_) { return mutex_; }

private:
  /// Hands on what the launch wrote; false, and nothing, where it has not finished.
  bool read(const PendingLaunch &note, const TimesSource &source, Session &session)
      REQUIRES(mutex_);
  void tryToConsume(const PendingLaunch &note, const TimesSource &source, Session &session) noexcept
      REQUIRES(mutex_);
  void consume(const PendingLaunch &note, const TimesSource &source, Session &session)
      REQUIRES(mutex_);

  const std::uint64_t exec_;
  alignas(cacheLine) Mutex mutex_;
  WarmBodies warmBodies_ GUARDED_BY(mutex_);
  std::vector<std::int64_t> times_ GUARDED_BY(mutex_); // of one replay
  std::vector<Iterations> ran_ GUARDED_BY(mutex_);

public:
  PendingLaunches pending; ///< launched and not harvested, in order
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_LAUNCHEDREPLAYS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The launched replays of one exec, from the launch until the session has their records. Does not
// know which exec a launch takes: the pair decides that.
//
// Threads: the program's threads push launches into `pending` under the pair's lock. The harvest
// thread takes them from there. Launches can be long, and neither side waits for the other.

#ifndef GRAPHPROF_GRAPH_LAUNCH_LAUNCHEDREPLAYS_H
#define GRAPHPROF_GRAPH_LAUNCH_LAUNCHEDREPLAYS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "CacheLine.h"
#include "Mutex.h"
#include "graph/launch/BusyTimes.h"
#include "graph/launch/InFlight.h"
#include "graph/launch/PendingLaunches.h"
#include "graph/launch/RecordBuilder.h"
#include "graph/launch/StreamOrder.h"

namespace graphprof {

class Deadline;
struct Replay;
class ReplaySink;
class Services;

class LaunchedReplays {
public:
  /// `exec`: the number of the exec in the records; `cudaExec`: the driver's. `plan` is told how
  /// long replays took.
  LaunchedReplays(Services &services, std::uint64_t exec, std::uint32_t cudaExec,
                  RecordingPlan &plan)
      : services_(services), exec_(exec), cudaExec_(cudaExec), plan_(plan) {}
  LaunchedReplays(const LaunchedReplays &) = delete;
  LaunchedReplays &operator=(const LaunchedReplays &) = delete;

  /// What the replays of all execs need to be in order with what ran outside graphs.
  struct Turn {
    StreamOrder &order;
    /// Hands on what was begun outside graphs before this host time and has finished, so that most
    /// of it is placed before what comes behind it.
    std::function<void(std::int64_t hostNs)> earlier;
  };
  /// Hands every finished replay to `sink`, in launch order. Returns how many are still
  /// outstanding.
  std::size_t harvest(ReplaySink &sink, const Turn &turn) EXCLUDES(mutex_);
  /// The oldest recorded replay that is outstanding, and how far it has come. Makes no CUDA call
  /// after `deadline` (ReplayBuffer::look()). Not during harvest().
  [[nodiscard]] std::optional<ReplayInFlight> inFlight(Deadline &deadline) EXCLUDES(mutex_);
  /// Discards what is outstanding, at exit, and returns how many. Not during harvest().
  std::size_t abandon() EXCLUDES(mutex_);

  /// Keeps the harvest away while it is held. Taken before the pair's lock.
  [[nodiscard]] Mutex &mutex() RETURN_CAPABILITY(mutex_) { return mutex_; }

private:
  /// Hands on what the launch wrote. Returns false and does nothing if it has not finished.
  bool read(const PendingLaunch &note, const TimingContext &source, ReplaySink &sink,
            const Turn &turn) REQUIRES(mutex_);
  void tryToConsume(const PendingLaunch &note, const TimingContext &source, ReplaySink &sink,
                    const Turn &turn) noexcept REQUIRES(mutex_);
  void consume(const PendingLaunch &note, const TimingContext &source, ReplaySink &sink,
               const Turn &turn) REQUIRES(mutex_);
  /// Hands on how long the kernels with regions inside took, and what is known of their insides.
  void consumeKernels(const PendingLaunch &note, const TimingContext &source, const Replay &replay,
                      ReplaySink &sink) REQUIRES(mutex_);

  /// Learns from a replay's records how long kernels are busy, and shows it in them. Returns false
  /// if they are not to be handed on.
  bool showBusyTimes(const TimingContext &source, RecordBuilder &readings, bool isCold)
      REQUIRES(mutex_);

  Services &services_;
  const std::uint64_t exec_;
  const std::uint32_t cudaExec_;
  RecordingPlan &plan_;
  alignas(cacheLine) Mutex mutex_;
  WarmBodies warmBodies_ GUARDED_BY(mutex_);
  BusyTimes busy_ GUARDED_BY(mutex_);
  std::vector<std::int64_t> times_ GUARDED_BY(mutex_); // of one replay
  std::vector<Iterations> ran_ GUARDED_BY(mutex_);

public:
  PendingLaunches pending; ///< launched and not harvested, in order
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_LAUNCHEDREPLAYS_H

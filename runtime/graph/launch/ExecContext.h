// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What every way of timing the launches of one exec (ExecTiming.h) works with: the program's exec,
// what was launched, and the buffers to which it wrote. Does not know which ways there are.

#ifndef GRAPHPROF_GRAPH_LAUNCH_EXECCONTEXT_H
#define GRAPHPROF_GRAPH_LAUNCH_EXECCONTEXT_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "clock/Clock.h"
#include "clock/Device.h"
#include "cuda/DriverApi.h"
#include "graph/launch/ExecLimit.h"
#include "graph/launch/LaunchOrder.h"
#include "graph/launch/LaunchedReplays.h"
#include "graph/launch/RecordingPlan.h"
#include "graph/registry/TimedGraph.h"
#include "graph/timing/RegionTable.h"

namespace graphprof {

class GraphMemory;
class Pair;
class Services;

/// An exec that writes times, and where.
struct TimedExec {
  driver::Exec exec = nullptr; ///< null: not made
  std::shared_ptr<const RegionTable> table;
  std::shared_ptr<ReplayBuffer> buffer;
  std::shared_ptr<const TimedGraph> part; ///< of a part: the exec is changed through its nodes
  Take take;
  std::shared_ptr<const TimingContext> source; ///< made from these after the first launch
  bool isCold = true;
  bool isRefused = false; ///< it could not be made
  bool isUnread = false;  ///< nobody reads the times of the newest launch
  ExecLimit::Place place;
};

/// The part of a pair that is read without its lock, too.
struct SharedLaunches {
  SharedLaunches(Services &services, std::uint64_t exec, driver::Exec plain);

  RecordingPlan plan;
  LaunchedReplays replays;
  /// The host's time of the newest recorded launch, or of the making of a profiled exec.
  std::atomic<std::int64_t> lastNs{0};
  /// Whether there may be buffers that can be retired as soon as nothing is outstanding.
  std::atomic<bool> mayHaveUnretired{false};

  /// Notes and returns the host's time for a launch that is about to happen.
  std::int64_t note();
};

/// Under the pair's lock.
class ExecContext {
public:
  ExecContext(Services &services, GraphMemory &memory, ExecLimit &limit, driver::Exec plain,
              unsigned long long flags, bool mayRun, SharedLaunches &launches);
  ExecContext(const ExecContext &) = delete;
  ExecContext &operator=(const ExecContext &) = delete;

  Services &services;
  GraphMemory &memory;
  ExecLimit &limit;
  const driver::Exec plain;       ///< the program's
  const unsigned long long flags; ///< that it was instantiated with
  SharedLaunches &launches;
  RecordingPlan &plan; ///< that of `launches`
  LaunchOrder order;
  Device *device = nullptr; ///< of what is timed, or was timed last
  std::weak_ptr<Pair> pair; ///< which takes places of `limit`

  /// `timed` was launched. Cannot fail: without memory, its times are lost, which is counted.
  /// `isSample` as that of Take.
  void launched(TimedExec &timed, const LaunchCall &call, std::int64_t launchNs,
                bool isSample) noexcept;
  /// The buffer is given up. Keeps it until the newest launch has written to it. Returns false
  /// without memory: then it must never be used again.
  [[nodiscard]] bool deferBufferReuse(TimedExec &timed) noexcept;

  /// Room for one more buffer, so that addBuffer() needs no memory.
  void reserveBuffer() { buffers_.reserve(buffers_.size() + 1); }
  /// A buffer that is to be retired when no exec writes to it any more.
  void addBuffer(std::shared_ptr<ReplayBuffer> buffer) { buffers_.push_back(std::move(buffer)); }
  /// Never retires it.
  void dropBuffer(const std::shared_ptr<ReplayBuffer> &buffer) { std::erase(buffers_, buffer); }
  /// Call this when nothing is outstanding. Retires the buffers for which `isInUse(buffer)` is
  /// false.
  template <class InUse> void retireBuffers(InUse isInUse) {
    std::erase_if(buffers_, [&](const std::shared_ptr<ReplayBuffer> &buffer) {
      if (isInUse(buffer.get()))
        return false;
      buffer->retire();
      return true;
    });
  }

private:
  /// Where a launch of that exec writes its times.
  const std::shared_ptr<const TimingContext> &sourceOf(TimedExec &timed) const;

  std::vector<std::shared_ptr<ReplayBuffer>> buffers_; // that are not retired
};

/// What recording costs a graph if it cannot be measured: as on an H100 (docs/performance.md).
[[nodiscard]] ReplayCosts costsOf(const RegionTable &table);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_EXECCONTEXT_H

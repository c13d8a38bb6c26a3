// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The order of the launches of one exec of the program's, which graphprof launches as several. Two
// execs of graphprof must not overlap or change order if two launches of the program's one exec
// would not. So a launch that takes another exec than the last one, in another stream, waits on the
// device for the last one. A profiled launch leaves a mark to wait for. A plain launch leaves none,
// so a switch from plain takes one more plain launch with an event behind it.
//
// Does not know why a launch takes which exec.

#ifndef GRAPHPROF_GRAPH_LAUNCH_LAUNCHORDER_H
#define GRAPHPROF_GRAPH_LAUNCH_LAUNCHORDER_H

#include <cstdint>
#include <memory>

#include "Edge.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "cuda/DriverApi.h"
#include "graph/launch/PairAnswers.h"
#include "graph/launch/PendingLaunches.h"

namespace graphprof {

/// A launch as the host sees it. Times are the host's, in nanoseconds since the Unix epoch.
struct HostLaunch {
  std::uint64_t graph = 0, exec = 0, number = 0; ///< as in its records
  std::int64_t beginNs = 0;
  std::int64_t endNs = 0; ///< when the driver's call returned; 0: no call, or it failed
};

/// A launch that the program asks for.
struct LaunchCall {
  Edge &edge;
  driver::Stream stream;
  std::uint64_t streamId;
  std::uint64_t number; ///< of the exec's launches, from 0
  std::int64_t step;
  bool recording;
  HostLaunch *host;     ///< gets the times of the driver's call; may be null
  std::uint32_t serves; ///< the name that its thread gives it (LaunchNames)
};

/// Launches `exec`. Returns false if the driver refuses. The program's host functions may throw.
bool launchExec(driver::Exec exec, const LaunchCall &call);

/// Under the pair's lock.
class LaunchOrder {
public:
  /// `mayRun`: the exec may have been launched before, in any stream. `pending` must outlive this.
  LaunchOrder(driver::Exec plain, bool mayRun, PendingLaunches &pending);
  LaunchOrder(const LaunchOrder &) = delete;
  LaunchOrder &operator=(const LaunchOrder &) = delete;

  /// A launch comes. Call this once for each, before the others.
  void begin(const LaunchCall &call);
  /// Whether nothing marks the end of the last launch, which was plain, for one of another exec: so
  /// this one must be plain, too, and leave a mark.
  [[nodiscard]] bool lacksMark(const LaunchCall &call) const;
  /// Makes a launch of another exec, which writes to `buffer`, wait for the last launch. Returns
  /// false if the driver refuses.
  [[nodiscard]] bool waitForLast(const LaunchCall &call, const ReplayBuffer *buffer);
  /// `exec` was launched, and writes to `buffer`.
  void launched(const LaunchCall &call, driver::Exec exec, std::shared_ptr<ReplayBuffer> buffer);

  /// Launches the program's own exec, with a mark behind it if `mark`. `device` makes the mark's
  /// event; null: none.
  internal::Launch launchPlain(const LaunchCall &call, bool mark, Device *device);
  /// The program launched its own exec.
  void launchedPlain(driver::Stream stream, Device *device);
  /// The program launches its own exec, which runs nobody knows when: no later launch may overtake
  /// it.
  void launchedLater() noexcept;
  /// Whether a launch was in another stream than the one before.
  [[nodiscard]] bool changesStreams() const { return changesStreams_; }

  /// Nothing is outstanding.
  void forgetLast() noexcept { lastBuffer_.reset(); }
  /// No more launches come.
  void giveBackMark(Device *device) noexcept;

private:
  [[nodiscard]] bool isElsewhere(const LaunchCall &call) const {
    return lastExec_ && call.streamId != lastStream_;
  }
  /// If nothing is outstanding, every profiled launch has finished, and its buffer may be in use
  /// elsewhere already.
  [[nodiscard]] bool runsElsewhere(const LaunchCall &call) const {
    return isElsewhere(call) && lastBuffer_ && pending_.any();
  }
  bool mark(driver::Stream stream, Device *device) noexcept;

  const driver::Exec plain_;
  PendingLaunches &pending_;
  driver::Exec lastExec_ = nullptr;          // of the last launch; null: no launch yet
  std::shared_ptr<ReplayBuffer> lastBuffer_; // of that launch, if it was profiled
  std::uint64_t lastStream_ = 0;             // id
  driver::Event plainMark_ = nullptr;        // recorded behind the last plain launch, if
  bool plainMarked_ = false;
  bool changesStreams_ = false;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_LAUNCHORDER_H

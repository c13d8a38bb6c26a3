// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Everything that a process has of graphprof, in one object: each part gets what it needs through
// its constructor. Only what the program calls (api, calls, bench) and what ends with the process
// (this folder) ask for the process' own.

#ifndef GRAPHPROF_PROCESS_PROCESS_H
#define GRAPHPROF_PROCESS_PROCESS_H

#include <memory>

#include "backend/Backends.h"
#include "clock/Devices.h"
#include "clock/HostClock.h"
#include "graph/Execs.h"
#include "graph/Follower.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graph/memory/GraphMemory.h"
#include "host/HostSpans.h"
#include "process/BackendRegions.h"
#include "process/StartedRanges.h"
#include "services/HeldSteps.h"
#include "services/Steps.h"
#include "session/Session.h"
#include "session/windows/Windows.h"

namespace graphprof {

/// Members are made in this order, and depend on those above them.
struct Process {
  /// That of this process. Made at first use and never destroyed, because replays may arrive, and
  /// threads and spans end, while static destructors run. Disabled if there is no memory for it.
  static Process &instance() noexcept;
  /// Call this in a forked child that continues as a process of its own. From then on instance() is
  /// another one with the same configuration and backends, which has recorded nothing. The parent's
  /// stays as it is, because another thread may have held its locks. Returns false without memory
  /// for it.
  [[nodiscard]] static bool renew() noexcept;

  Process(Config config, std::shared_ptr<Backends> backends);
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;

  const std::shared_ptr<Backends> backends; ///< that libraries have registered
  Session session;
  Windows windows{session, hostNowNs};
  Steps steps;
  HeldSteps heldSteps{steps};
  HostSpans hostSpans{session};
  StartedRanges startedRanges{session, windows, hostSpans};
  Harvester harvester{session, session, hostSpans, heldSteps};
  Devices devices;
  GraphMemory graphMemory{session, session};
  Execs execs{session, harvester, graphMemory};
  Graphs graphs{session, devices};
  Follower follower{session, graphs, execs, harvester};
  /// Whether the program's launches are counted as steps, or the first of each exec is measured.
  const bool watchesLaunches{session.config().stepsAreLaunches || graphMemory.isOn()};
  BackendRegions backendRegions{session, heldSteps};
};

inline Process &process() noexcept { return Process::instance(); }

} // namespace graphprof

#endif // GRAPHPROF_PROCESS_PROCESS_H

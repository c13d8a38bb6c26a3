// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The settings from the environment: every GRAPHPROF_ variable, read in one place.

#ifndef GRAPHPROF_SERVICES_CONFIG_H
#define GRAPHPROF_SERVICES_CONFIG_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphprof/copies.h"
#include "graphprof/schedule.h"

namespace graphprof {

/// Which clock times graphs. Auto: stamps if the device's timer is fine enough, else events.
enum class ClockChoice : std::uint8_t { Auto, Stamp, Event };

/// What stamps wait for. Auto: for each boundary the cheapest edge with a true time.
enum class EdgeChoice : std::uint8_t { Auto, Completion };

struct Config {
  bool enabled = true;                   ///< GRAPHPROF_ENABLED=0|1
  ClockChoice clock = ClockChoice::Auto; ///< GRAPHPROF_CLOCK=auto|stamp|event
  std::string backend; ///< GRAPHPROF_BACKEND=cuda|host|NAME; empty: cuda, or host without a GPU
  EdgeChoice edges = EdgeChoice::Auto; ///< GRAPHPROF_EDGES=auto|completion
  bool nodes = false;                  ///< GRAPHPROF_NODES=0|1: times every node of graphs
  bool memory = false;                 ///< GRAPHPROF_MEMORY=0|1: allocations and frees
  /// GRAPHPROF_HOST_SPANS=0|1: what threads do, in outputs that are written while the program runs
  bool hostSpans = false;
  CopyOptions copies{}; ///< GRAPHPROF_COPIES=auto|selective|manual[,d2h][,d2d]
  std::vector<std::string> outputs = {"table"}; ///< GRAPHPROF_OUTPUT=table,replays,trace.json
  bool outputsGiven = false;                    ///< GRAPHPROF_OUTPUT is set
  std::optional<ScheduleArguments> schedule;    ///< GRAPHPROF_SCHEDULE=wait=10,warmup=1,active=5
  bool stepsAreLaunches = false;                ///< GRAPHPROF_STEP=launches|launches:GRAPH
  std::uint64_t stepGraph = 0; ///< launches of this graph, by number; 0: of any graph
  /// GRAPHPROF_REGIONS=GLOB,... and GRAPHPROF_DOMAINS: which NVTX ranges are taken; empty: all
  std::vector<std::string> nvtxRegions, nvtxDomains;
  std::size_t ringDepth = 0; ///< GRAPHPROF_RING_DEPTH: replays a ring holds, 0: chosen by size
  std::size_t maxQueue =
      65'536; ///< GRAPHPROF_MAX_QUEUE: launches of an exec, and eager regions, that wait to be read
  std::size_t maxRecords =
      1'000'000;                    ///< GRAPHPROF_MAX_RECORDS: records an output may keep in memory
  std::size_t maxRegions = 100'000; ///< GRAPHPROF_MAX_REGIONS: regions and timed nodes of a graph
  std::size_t maxExecs = 0;         ///< GRAPHPROF_MAX_EXECS: execs timed at once; 0: any number
  std::size_t maxName = 1'024;      ///< GRAPHPROF_MAX_NAME: bytes of a region's name
  std::int64_t exitTimeoutMs =
      5'000; ///< GRAPHPROF_EXIT_TIMEOUT: longest wait at exit for launched replays
  /// Set by `graphprof run`, which reports itself if nothing was recorded, so that its children
  /// need not.
  bool underRun = false;
  /// Of a forked child, whose parent has said the complaints.
  bool forked = false;
  std::vector<std::string> complaints; ///< messages about wrong values, a line each, for stderr
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_CONFIG_H

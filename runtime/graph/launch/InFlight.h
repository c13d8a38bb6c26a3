// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A recorded replay that has not finished, and how far it has come. Plain data.

#ifndef GRAPHPROF_GRAPH_LAUNCH_INFLIGHT_H
#define GRAPHPROF_GRAPH_LAUNCH_INFLIGHT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "clock/Clock.h"
#include "graph/launch/Take.h"
#include "graph/timing/RegionTable.h"

namespace graphprof {

struct ReplayInFlight {
  std::uint64_t exec = 0, number = 0; ///< as in records
  int device = -1;
  std::uint64_t stream = 0;
  std::int64_t launchNs = 0;
  std::size_t behind = 0; ///< later recorded launches of the exec, which wait for this one
  Take take;
  std::shared_ptr<const RegionTable> table;
  ReplayBuffer::Progress progress = ReplayBuffer::Progress::Unknown;
  std::vector<std::int64_t> times; ///< by boundary, where it has begun
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_INFLIGHT_H

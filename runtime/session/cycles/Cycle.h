// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One cycle of a schedule, from its preparation until it is saved. Only Cycles uses it.

#ifndef GRAPHPROF_SESSION_CYCLES_CYCLE_H
#define GRAPHPROF_SESSION_CYCLES_CYCLE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "session/cycles/CycleData.h"
#include "session/cycles/Cycles.h"
#include "session/cycles/Intervals.h"

namespace graphprof {

inline constexpr std::array<ProfilerActivity, 2> everyActivity = {ProfilerActivity::CPU,
                                                                  ProfilerActivity::CUDA};

struct Cycles::Cycle {
  // Guarded by Cycles::mutex_.
  std::string traceId;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::array<Intervals, everyActivity.size()> intervals; // by activity
  std::uint64_t number = 0;
  std::int64_t firstStep = -1, lastStep = -1;

  CycleData data;

  explicit Cycle(CycleBound &bound) : data(bound) {}
  Intervals &of(ProfilerActivity activity) { return intervals[static_cast<std::size_t>(activity)]; }
  /// What a thread did between the two.
  [[nodiscard]] bool contains(std::int64_t beginNs, std::int64_t endNs) {
    const Intervals &recorded = of(ProfilerActivity::CPU);
    return recorded.contain(beginNs) && recorded.contain(endNs);
  }
};

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_CYCLE_H

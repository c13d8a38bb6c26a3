// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Counts what was lost. Whoever loses something raises a count; the counts know nobody.

#ifndef GRAPHPROF_SERVICES_COUNTERS_H
#define GRAPHPROF_SERVICES_COUNTERS_H

#include <atomic>
#include <cstdint>

#include "graphprof/control.h"

namespace graphprof {

/// Any thread may raise them. Losses explains each.
struct Counters {
  using Count = std::atomic<std::uint64_t>;
  Count overrun{0}, notQueued{0}, unfinished{0}, incomplete{0}, notMarked{0}, notInstantiated{0},
      notMirrored{0}, notLaunched{0}, invalidated{0}, eager{0}, dropped{0}, namesCut{0},
      hostSpans{0}, crowdedOut{0}, notSampled{0}, plainKernels{0}, insideKernels{0};

  [[nodiscard]] Losses losses() const noexcept {
    return Losses{.overrun = overrun,
                  .not_queued = notQueued,
                  .unfinished = unfinished,
                  .incomplete = incomplete,
                  .beyond_limit = notMarked,
                  .not_instantiated = notInstantiated,
                  .not_mirrored = notMirrored,
                  .not_launched = notLaunched,
                  .invalidated = invalidated,
                  .regions_outside_graphs_failed = eager,
                  .dropped = dropped,
                  .names_truncated = namesCut,
                  .host_spans = hostSpans,
                  .evicted = crowdedOut,
                  .not_sampled = notSampled,
                  .plain_kernels = plainKernels,
                  .inside_kernels = insideKernels};
  }
};

} // namespace graphprof

#endif // GRAPHPROF_SERVICES_COUNTERS_H

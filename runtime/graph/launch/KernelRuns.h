// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turns what kernels' timed twins wrote in one replay into times of the regions inside, in
// nanoseconds. Makes no CUDA call.

#ifndef GRAPHPROF_GRAPH_LAUNCH_KERNELRUNS_H
#define GRAPHPROF_GRAPH_LAUNCH_KERNELRUNS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock/Clock.h"
#include "output/data/KernelRun.h"

namespace graphprof {

/// Adds to `run` the warps of `readings`, and what they spent in which region. A warp that wrote
/// more than there was room for, or ran for longer than its clock tells, is left out as a whole:
/// its times would be too short. Returns how many times were lost that way. `buffer` maps the
/// device's times. `withSpans`: also when the warps were where.
///
/// The readings of a block stand together. Its warps are placed by the clock that they share,
/// because the timer's steps may be longer than what they wait for each other.
std::size_t addWarps(KernelRun &run, const std::vector<WarpReading> &readings, ReplayBuffer &buffer,
                     bool withSpans);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LAUNCH_KERNELRUNS_H

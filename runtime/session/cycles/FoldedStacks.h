// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From records to folded stacks, the text that flame graphs are drawn from. Writes no file.

#ifndef GRAPHPROF_SESSION_CYCLES_FOLDEDSTACKS_H
#define GRAPHPROF_SESSION_CYCLES_FOLDEDSTACKS_H

#include <span>
#include <string>

#include "graphprof/activity.h"
#include "output/Output.h"

namespace graphprof {

/// A line for each place of a region among regions, in alphabetical order: the names from the
/// outermost to the region, with ';' between them, a space, and its own time without that in which
/// regions directly inside it ran, in nanoseconds, summed over all executions. A place without any
/// is left out, as torch.profiler's export_stacks does, which the format is from. Of the host:
/// `spans`, in a trace's order, or where there are none the records with host time.
[[nodiscard]] std::string foldedStacks(std::span<const Replay> replays,
                                       std::span<const HostSpan> spans, ProfilerActivity activity);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_FOLDEDSTACKS_H

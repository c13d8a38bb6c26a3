// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Turns records into folded stacks, the text from which flame graphs are drawn. Writes no file.

#ifndef GRAPHPROF_SESSION_CYCLES_FOLDEDSTACKS_H
#define GRAPHPROF_SESSION_CYCLES_FOLDEDSTACKS_H

#include <span>
#include <string>

#include "graphprof/activity.h"
#include "output/Output.h"

namespace graphprof {

/// Returns a line for each path of nested regions, in alphabetical order: the names from the
/// outermost region inwards, separated by ';', then a space and the own time in nanoseconds, summed
/// over all executions. A region's own time excludes the regions directly inside it. Paths without
/// own time are left out, as in torch.profiler's export_stacks, which defines the format. Cold
/// replays are left out; a path that occurs in no other is below a frame "(cold)". For the
/// host the lines come from `spans`, in a trace's order; without spans, from the records with host
/// time.
[[nodiscard]] std::string foldedStacks(std::span<const Replay> replays,
                                       std::span<const HostSpan> spans, ProfilerActivity activity);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_CYCLES_FOLDEDSTACKS_H

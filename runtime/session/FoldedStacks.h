// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From records to folded stacks, the text that flame graphs are drawn from. Writes no file.

#ifndef GRAPHPROF_SESSION_FOLDEDSTACKS_H
#define GRAPHPROF_SESSION_FOLDEDSTACKS_H

#include <span>
#include <string>

#include "graphprof/activity.h"
#include "output/Output.h"

namespace graphprof {

/// A line for each place of a region among regions, in alphabetical order: the names from the
/// outermost to the region, with ';' between them, a space, and its own time without that of the
/// regions directly inside it, in whole microseconds, summed over all executions. A place with less
/// than one is left out, as torch.profiler's export_stacks does, which the format is from.
[[nodiscard]] std::string foldedStacks(std::span<const Replay> replays, ProfilerActivity activity);

} // namespace graphprof

#endif // GRAPHPROF_SESSION_FOLDEDSTACKS_H

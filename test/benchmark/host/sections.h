// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The sections of the benchmark. Each throws if a count is wrong.

#ifndef GRAPHPROF_BENCHMARK_HOST_SECTIONS_H
#define GRAPHPROF_BENCHMARK_HOST_SECTIONS_H

namespace benchmark::host {

/// Quick: only checks that everything runs and that the counts are right.
enum class Effort : unsigned char { Quick, Full };

void regions(Effort effort);  ///< outside graphs: disabled, stopped, recording
void launches(Effort effort); ///< idle and recording, by the number of regions
void threads(Effort effort);  ///< launching different execs at once
void harvest(Effort effort);  ///< on the background thread
void outputs(Effort effort);  ///< writing files
void captures(Effort effort); ///< marking, splitting, instantiating
void memory(Effort effort);   ///< copies and allocations outside of steps
void startUp(Effort effort);  ///< from loading to the first capture
void edges(Effort effort);    ///< what stamps read on this device

/// The code of the process that startUp() starts: writes its times to standard output.
void startUpChild();
/// The argument that selects it.
inline constexpr const char *startUpArgument = "--start-up-child";

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_SECTIONS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Reads results of benchmarks.

#ifndef GRAPHPROF_TOOL_RECORDINGS_BENCHMARKS_H
#define GRAPHPROF_TOOL_RECORDINGS_BENCHMARKS_H

#include <istream>
#include <string>

#include "output/RecordingListener.h"
#include "output/data/KeptSites.h"

namespace graphprof {

/// What a program of benchmarks wrote with --json, as one run. A sample is an execution outside
/// graphs. Returns why the file cannot be read at all; empty: it was read. Damage ends the reading,
/// and the run's end says so.
[[nodiscard]] std::string readBenchmarks(std::istream &stream, RecordingListener &listener,
                                         KeptSites &sites);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_RECORDINGS_BENCHMARKS_H

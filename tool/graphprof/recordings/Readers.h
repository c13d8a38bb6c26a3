// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Readers of the formats that are texts. Each hands on one run. A line that makes no sense ends the
// reading, and the run's end says so.

#ifndef GRAPHPROF_TOOL_RECORDINGS_READERS_H
#define GRAPHPROF_TOOL_RECORDINGS_READERS_H

#include <istream>
#include <string>

#include "output/RecordingListener.h"
#include "output/data/KeptSites.h"

namespace graphprof {

/// Return why the file cannot be read at all; empty: it was read.
[[nodiscard]] std::string readJsonLines(std::istream &stream, RecordingListener &listener,
                                        KeptSites &sites);
[[nodiscard]] std::string readCsv(std::istream &stream, RecordingListener &listener,
                                  KeptSites &sites);
/// What a program of benchmarks wrote with --json. A sample is an execution outside graphs.
[[nodiscard]] std::string readBenchmarks(std::istream &stream, RecordingListener &listener,
                                         KeptSites &sites);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_RECORDINGS_READERS_H

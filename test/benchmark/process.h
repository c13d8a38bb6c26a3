// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Runs each technique in its own process. What a technique leaves in a process (loaded code, an
// attached CUPTI, graphs with branches) can slow down all launches of the process, those of the
// untimed graph included. So a process has only one technique and the untimed graph, and the
// untimed graphs of the processes are compared, too.

#ifndef GRAPHPROF_BENCHMARK_PROCESS_H
#define GRAPHPROF_BENCHMARK_PROCESS_H

#include <string>
#include <vector>

#include "measurement.h"

namespace benchmark {

/// Runs this program again, with `environment` ("NAME=value", separated by blanks) and `arguments`,
/// and adds the name of the file for the results. Throws if that process fails, which has reported
/// the reason on stderr.
std::vector<Comparison> runProcess(const std::string &environment, const std::string &arguments);

/// Called in that process: writes its results to the file.
void handOver(const std::string &path, const std::vector<Comparison> &comparisons);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_PROCESS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A process for each technique. What a technique leaves in a process (loaded code, an attached
// CUPTI, graphs with branches) can slow everything down that this process launches, the untimed
// graph that the technique is compared with included. So each technique is measured in a process
// that has nothing but it and the untimed graph, and the processes' untimed graphs are compared,
// too.

#ifndef GRAPHPROF_BENCHMARK_PROCESS_H
#define GRAPHPROF_BENCHMARK_PROCESS_H

#include <string>
#include <vector>

#include "measurement.h"

namespace benchmark {

/// Runs this program again, with `environment` ("NAME=value", separated by blanks) and `arguments`,
/// to which the name of the file is added that it hands its results over in. Throws where that
/// process fails: it has said why on stderr.
std::vector<Comparison> runProcess(const std::string &environment, const std::string &arguments);

/// The other side: hands over what was measured here.
void handOver(const std::string &path, const std::vector<Comparison> &comparisons);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_PROCESS_H

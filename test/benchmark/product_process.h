// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof takes its clock from the environment when the program starts. So the clock that this
// process does not have is measured in a second process, which runs the same program, compares
// graphprof with the untimed graph of its own, and hands the results over in a file.

#ifndef GRAPHPROF_BENCHMARK_PRODUCT_PROCESS_H
#define GRAPHPROF_BENCHMARK_PRODUCT_PROCESS_H

#include <string>
#include <vector>

#include "measurement.h"

namespace benchmark {

/// Runs this program again with GRAPHPROF_CLOCK=event and `arguments`, to which the file's name is
/// added, and returns what it hands over: for each workload the results of the techniques, without
/// the untimed graph. Throws where that process fails.
std::vector<std::vector<Result>> resultsOfEventProcess(const std::string &arguments);

/// The other side: hands over what was measured here.
void handOver(const std::string &path, const std::vector<Comparison> &comparisons);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_PRODUCT_PROCESS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The benchmark's reports: tables for people, JSON for programs.

#ifndef GRAPHPROF_BENCHMARK_REPORT_H
#define GRAPHPROF_BENCHMARK_REPORT_H

#include <string>
#include <vector>

#include "measurement.h"

namespace benchmark {

/// The place and time of the measurement.
struct Setting {
  std::string date; ///< ISO 8601, UTC
  std::string device;
  std::string driver;                  ///< the driver's own version, such as 580.159.03
  std::string cudaDriver, cudaRuntime; ///< CUDA versions, such as 13.0
};

/// Reads the current device's properties, and the clock.
[[nodiscard]] Setting currentSetting();

void printSetting(const Setting &setting);

/// Prints a table, with a line for each technique, to stdout.
void printTable(const Comparison &comparison);

/// Prints a table of ratios to the untimed graph, with their middle halves, a line for each
/// workload.
void printRatios(const std::vector<Comparison> &comparisons);

/// Writes all results, with quartiles and each region's reading. Throws if the file cannot be
/// written.
void writeJson(const std::string &path, const Setting &setting,
               const std::vector<Comparison> &comparisons);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_REPORT_H

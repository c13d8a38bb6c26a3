// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the benchmark says: tables for people, JSON for everything else. Measures nothing.

#ifndef GRAPHPROF_BENCHMARK_REPORT_H
#define GRAPHPROF_BENCHMARK_REPORT_H

#include <string>
#include <vector>

#include "measurement.h"

namespace benchmark {

/// Where and when the figures were measured.
struct Setting {
  std::string date; ///< ISO 8601, UTC
  std::string device;
  std::string driver;                  ///< the driver's own version, such as 580.159.03
  std::string cudaDriver, cudaRuntime; ///< CUDA versions, such as 13.0
};

/// Reads the current device's, and the clock.
[[nodiscard]] Setting currentSetting();

void printSetting(const Setting &setting);

/// One table on stdout: a line a technique.
void printTable(const Comparison &comparison);

/// Everything, with quartiles and each region's reading. Throws where the file cannot be written.
void writeJson(const std::string &path, const Setting &setting,
               const std::vector<Comparison> &comparisons);

} // namespace benchmark

#endif // GRAPHPROF_BENCHMARK_REPORT_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The parts of a program of benchmarks: what is registered, what a run found, and how that is
// shown, written and compared. CommandLine.cpp puts them together.

#ifndef GRAPHPROF_BENCH_SUITE_SUITE_H
#define GRAPHPROF_BENCH_SUITE_SUITE_H

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "graphprof/bench_result.h"
#include "graphprof/bench_state.h"

namespace graphprof::bench_suite {

/// Those of the program.
std::deque<bench_definition> &definitions();
/// Every combination of the axes' values, the last axis changing first; of none one, empty.
[[nodiscard]] std::vector<std::vector<bench_parameter>>
pointsOf(const std::vector<bench_definition::Axis> &axes);

/// One point that was run.
struct Finding {
  std::string name;                                      ///< with its parameters
  std::string benchmark;                                 ///< without
  std::vector<std::pair<std::string, std::string>> axes; ///< names with texts, in order
  std::string skipped, failed;                           ///< why, or empty
  bench_result result;                                   ///< where neither
  [[nodiscard]] bool measured() const { return skipped.empty() && failed.empty(); }
};

/// Words of the files and the command line.
[[nodiscard]] const char *word(bench_timer timer);
[[nodiscard]] const char *word(cold_l2 method);

/// "12.345 us": in the unit that shows three digits.
[[nodiscard]] std::string timeText(double ms);
/// A table of one benchmark's points, and below it what has to be known about them.
[[nodiscard]] std::string table(const std::vector<Finding> &findings);

/// All of it, samples included; and one line a point.
[[nodiscard]] std::string json(const std::vector<Finding> &findings);
[[nodiscard]] std::string csv(const std::vector<Finding> &findings);
/// What json() wrote: throws std::runtime_error with the reason where it did not.
[[nodiscard]] std::vector<Finding> parsed(const std::string &json);

/// Beside what another run found.
struct Comparison {
  std::string text;    ///< a table
  bool slower = false; ///< is some point?
};
[[nodiscard]] Comparison compared(const std::vector<Finding> &before,
                                  const std::vector<Finding> &now);

} // namespace graphprof::bench_suite

#endif // GRAPHPROF_BENCH_SUITE_SUITE_H

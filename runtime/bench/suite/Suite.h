// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The parts of a benchmark program: registered benchmarks, the findings of a run, and how these are
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

/// All benchmarks of the program.
std::deque<bench_definition> &definitions();
/// Every combination of the axes' values; the last axis changes first. Without axes, one empty
/// point.
[[nodiscard]] std::vector<std::vector<bench_parameter>>
pointsOf(const std::vector<bench_definition::Axis> &axes);

/// The result of one point.
struct Finding {
  std::string name;                                      ///< with the parameters
  std::string benchmark;                                 ///< without the parameters
  std::vector<std::pair<std::string, std::string>> axes; ///< names and texts, in order
  std::string skipped, failed;                           ///< the reason, or empty
  bench_result result;                                   ///< valid if neither
  [[nodiscard]] bool measured() const { return skipped.empty() && failed.empty(); }
};

/// Words for files and the command line.
[[nodiscard]] const char *word(bench_timer timer);
[[nodiscard]] const char *word(cold_l2 method);

/// A table of one benchmark's points, followed by remarks about them.
[[nodiscard]] std::string table(const std::vector<Finding> &findings);
/// Those of the remarks that a user must see who wants no table: not of what was skipped.
[[nodiscard]] std::string complaints(const std::vector<Finding> &findings);

/// json() writes everything, including the samples. csv() writes a line for each point.
[[nodiscard]] std::string json(const std::vector<Finding> &findings);
[[nodiscard]] std::string csv(const std::vector<Finding> &findings);
/// Reads what json() wrote. Throws std::runtime_error with the reason if `json` is something else.
[[nodiscard]] std::vector<Finding> parsed(const std::string &json);

/// Findings compared with those of another run.
struct Comparison {
  std::string text;    ///< a table
  bool slower = false; ///< is any point slower?
};
[[nodiscard]] Comparison compared(const std::vector<Finding> &before,
                                  const std::vector<Finding> &now);

} // namespace graphprof::bench_suite

#endif // GRAPHPROF_BENCH_SUITE_SUITE_H

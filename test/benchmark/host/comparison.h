// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compares an operation with and without graphprof. The two alternate, so that other load on the
// machine affects both. Does not use CUDA.

#ifndef GRAPHPROF_BENCHMARK_HOST_COMPARISON_H
#define GRAPHPROF_BENCHMARK_HOST_COMPARISON_H

#include <functional>
#include <string>
#include <vector>

#include "../statistics.h"

namespace benchmark::host {

struct Comparison {
  std::string what;
  std::string aim; ///< of what is added; empty: none

  /// Each performs `batch` operations, which are timed.
  std::function<void(int)> plain, timed;
  /// Called before a batch of timed(), before a batch of plain(), and after each of either. Not
  /// timed.
  std::function<void()> before = [] {}, beforePlain = [] {}, after = [] {};

  int batch = 64;
  /// Each round has a batch without graphprof, one with it, and another one with it that counts
  /// driver calls.
  int rounds = 101;
  /// Whether timed() makes the calls of plain(), too, besides graphprof's own driver calls.
  bool plainInside = true;
  /// Whether operations are long enough to take graphprof's share of each one alone. The median of
  /// a batch then leaves out those that waited for a processor.
  bool each = false;
  /// The number of parts of an operation, if the cost of a part is reported.
  double parts = 1;
};

/// Nanoseconds for each operation, or each part of it.
struct Figure {
  std::string what, aim;
  Summary plainNs, timedNs;
  Summary addedNs;         ///< timed less plain, of the same round
  double driverCalls = -1; ///< of graphprof's own; negative: not counted
  Summary ownNs;           ///< what graphprof takes outside of the driver and the program's calls
};

/// Runs the comparison. The first round is a warm-up.
[[nodiscard]] Figure compare(const Comparison &comparison);

/// Prints the figures as a table, in microseconds if `unit` is "us".
void print(const std::string &title, const std::string &unit, const std::vector<Figure> &figures);

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_COMPARISON_H

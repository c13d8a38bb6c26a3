// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Two ways to do the same, with graphprof and without, side by side: they alternate, so that what
// else the machine does hits both. Knows no CUDA.

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

  /// Each makes `batch` operations; that is what is timed.
  std::function<void(int)> plain, timed;
  /// Before a batch of timed(), before one of plain(), and behind each of both: not timed.
  std::function<void()> before = [] {}, beforePlain = [] {}, after = [] {};

  int batch = 64;
  /// A round without graphprof, one with it, and one more with it in which its calls of the driver
  /// are counted.
  int rounds = 101;
  /// Does timed() make the calls of plain() too, besides the driver calls of graphprof's own?
  bool plainInside = true;
  /// Are operations so long that each is looked at alone for graphprof's own share? The median of a
  /// batch then leaves out those in which the thread had to wait for a processor.
  bool each = false;
  /// What one operation is divided into, where the cost is that of a part.
  double parts = 1;
};

/// Nanoseconds an operation, or a part of it.
struct Figure {
  std::string what, aim;
  Summary plainNs, timedNs;
  Summary addedNs;         ///< timed less plain, of the same round
  double driverCalls = -1; ///< of graphprof's own; negative: not counted
  Summary ownNs;           ///< what graphprof takes outside of the driver and the program's calls
};

/// The first round counts for nothing.
[[nodiscard]] Figure compare(const Comparison &comparison);

/// The figures as a table; in microseconds where `unit` says "us".
void print(const std::string &title, const std::string &unit, const std::vector<Figure> &figures);

} // namespace benchmark::host

#endif // GRAPHPROF_BENCHMARK_HOST_COMPARISON_H

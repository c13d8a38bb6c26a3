// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How sure the ratio of two sides is, for many regions at once. Knows numbers, not regions.

#ifndef GRAPHPROF_TOOL_DIFF_UNCERTAINTY_H
#define GRAPHPROF_TOOL_DIFF_UNCERTAINTY_H

#include <cstddef>
#include <vector>

#include "Blocks.h"

namespace graphprof {

/// The two sides of one region: the processes in which it was measured, by their number.
struct Pairing {
  std::vector<const Blocks *> before, after; ///< null: not measured in that process
};

struct Interval {
  double ratio = 1, low = 1, high = 1; ///< after / before
};

/// One for each pairing. Together they hold with probability 1 - `alpha`. If a side has one process
/// only, they hold for these processes, not for the program.
[[nodiscard]] std::vector<Interval> intervals(const std::vector<Pairing> &pairings, double alpha);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_UNCERTAINTY_H

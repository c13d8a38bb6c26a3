// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How sure the ratio of two sides is, for many regions at once. Knows numbers, not regions.

#ifndef GRAPHPROF_TOOL_DIFF_UNCERTAINTY_H
#define GRAPHPROF_TOOL_DIFF_UNCERTAINTY_H

#include <cstddef>
#include <optional>
#include <vector>

#include "ProcessTimes.h"

namespace graphprof {

/// The two sides of one region: of each process, by its number, one figure.
struct Pairing {
  std::vector<std::optional<ProcessFigure>> before, after; ///< nothing: not measured there
  double least = 0; ///< the smallest change that matters, relative
  /// The sides' processes recorded other executions, such as the whole of their replays and parts
  /// of them. Which ones these are is the same in each process of a side, so that processes do not
  /// show how much hangs on it.
  bool otherExecutions = false;
};

/// What an interval is made of.
struct Spread {
  double variance = 0, freedom = 0; ///< of one process's logarithm; what moderates it is in it
  double common = 0;                ///< the variance of what all regions of a process share
  double ownFreedom = 0;            ///< degrees of freedom of the processes alone
  double before = 0, after = 0;     ///< processes
  double chosen = 0;                ///< the variance by which executions were recorded
};

/// How often regions keep one of several times for the life of a process, as far as a family tells.
struct Modes {
  std::size_t regions = 0; ///< of the family
  std::size_t seen = 0;    ///< regions that do, in these processes
  double amplitude = 0;    ///< changes up to this may be one, as a logarithm

  /// Whether all processes of one side having one mode, and all of the other the other, is too
  /// unlikely to be what happened.
  [[nodiscard]] bool excludedBy(double before, double after, double alpha) const;
};

/// The probabilities that something misses, of all intervals that hold together.
struct Certainty {
  double alpha = 0;  ///< of anything
  double region = 0; ///< of what is a region's own, in one interval
  double common = 0; ///< of what the processes of a family share
};
/// `families`: how many regions each has; `figures`: how many intervals a region has.
[[nodiscard]] Certainty certaintyOf(double alpha, const std::vector<std::size_t> &families,
                                    std::size_t figures);

struct Interval {
  double ratio = 1, low = 1, high = 1; ///< after / before
  Spread spread;
  Modes modes;
  Certainty certainty;
  bool mayBeModes = false; ///< it reaches to no change for that reason only

  /// The smallest change, as a ratio, that would have been seen; in four of five comparisons.
  [[nodiscard]] double seen() const;
  /// How many more processes a side would decide whether something changed by `least`, a ratio
  /// above 1. Nothing: more than 1000.
  [[nodiscard]] std::optional<std::size_t> moreToSee(double least) const;
};

/// One for each pairing of a family, that is of regions of which one tells something of the other.
/// If a side has one process only, they hold for these processes, not for the program.
[[nodiscard]] std::vector<Interval> intervals(const std::vector<Pairing> &pairings,
                                              const Certainty &certainty);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_UNCERTAINTY_H

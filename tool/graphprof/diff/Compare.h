// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compares two sides region by region, with a verdict and an interval for each.
//
// The same program reads other times in the next process: where its memory lies, which
// multiprocessors its blocks get and which clock the device has hold for a process's life. So what
// repeats is the process: each gives one mean, one median and one P95 of a region, and intervals
// come from how these vary from process to process. With three processes a side this says little
// of one region, so these are added:
//
//   - what all regions of a process have in common (its clock) is taken out, and counted apart;
//   - the variance of one region is estimated together with that of regions that take as long (the
//     moderated t of limma: Smyth, Statistical Applications in Genetics 3, 2004), unless it is far
//     larger;
//   - all intervals together hold with the asked probability, not each alone (Bonferroni);
//   - a region may keep one of several times for a process's life. Where so few processes could all
//     have drawn the slow one on one side, and the fast one on the other, an interval reaches to no
//     change;
//   - families are apart: what runs in graphs and outside, often and hardly ever. One tells nothing
//     of the other.
//
// A region is slower if an interval, of its mean or its median, lies above 1 and the change is more
// than both limits. It is the same if both intervals are within them, and come from more than one
// process a side.

#ifndef GRAPHPROF_TOOL_DIFF_COMPARE_H
#define GRAPHPROF_TOOL_DIFF_COMPARE_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "Match.h"
#include "Side.h"

namespace graphprof {

enum class Verdict : unsigned char { Slower, Faster, Undecided, NotComparable, New, Gone, Same };
/// "slower", "not comparable", ...
[[nodiscard]] std::string_view word(Verdict verdict);

struct Floors {
  double threshold = 0.02;    ///< relative; a change must be larger than this
  double floorNs = 300;       ///< and than this
  double single = 0.10;       ///< in place of `threshold`, if a side has one recording only
  double singleFloorNs = 500; ///< likewise
  double alpha = 0.02;        ///< the probability that any interval misses
  /// Differences that are said but do not stop the comparison: "gpu", "driver", "clock".
  std::set<std::string, std::less<>> across;
};

/// How long a region was busy on both sides, up to its kernels' own ends, and the gaps behind it.
struct BusyFinding {
  double beforeNs = -1, afterNs = -1;                  ///< of one execution; negative: not known
  double beforeGapNs = -1, afterGapNs = -1;            ///< likewise; their mean
  std::uint64_t beforeReplays = 0, afterReplays = 0;   ///< which tell, of all processes
  std::size_t beforeProcesses = 0, afterProcesses = 0; ///< in which it is known
  /// By the rule for durations, if it is known on both sides, and these compare. No ratio: a side
  /// knows it of one process only, so that it stays undecided. A process has one value, the median
  /// of few replays, and nothing says how sure that is but the values of other processes.
  std::optional<Verdict> verdict;
  double ratio = 0, low = 0, high = 0; ///< after / before, with its interval; 0: none

  [[nodiscard]] bool isKnown() const { return beforeNs >= 0 || afterNs >= 0; }
  [[nodiscard]] bool isChanged() const {
    return verdict == Verdict::Slower || verdict == Verdict::Faster;
  }
};

/// A mean, median or P95 on both sides.
struct FigureFinding {
  double beforeNs = -1, afterNs = -1; ///< of one execution; negative: not there, or not measured
  /// How processes of a side differ: their standard deviation, relative; negative: there is one.
  double beforeNoise = -1, afterNoise = -1;
  double ratio = 0, low = 0, high = 0; ///< after / before, with its interval; 0: none
  Verdict verdict = Verdict::Undecided;
};

struct Finding {
  Verdict verdict = Verdict::Undecided;
  std::string path;        ///< of the newer side, if it is there
  std::string renamedFrom; ///< its path on the other side, if that has another name for it
  std::string source, kind;
  std::array<FigureFinding, allMeasures.size()> figures{};
  std::uint64_t beforeCount = 0, afterCount = 0; ///< measured executions
  std::string why;         ///< why it is not comparable, or what else differs; may be empty
  double perReplayNs = -1; ///< of what is new or gone in a graph: in all its executions of a replay
  /// Of what is undecided: the smallest change, relative, that would have been seen, and about how
  /// many more processes a side would show one of `least`; 0: not known, more than 1000.
  double seen = 0, least = 0;
  std::size_t moreProcesses = 0;
  bool mayBeModes = false; ///< all processes of a side may have had the same of several times
  BusyFinding busy;

  [[nodiscard]] const FigureFinding &of(Measure measure) const {
    return figures[static_cast<std::size_t>(measure)];
  }
  [[nodiscard]] FigureFinding &of(Measure measure) {
    return figures[static_cast<std::size_t>(measure)];
  }
  [[nodiscard]] const FigureFinding &mean() const { return of(Measure::Mean); }
  /// The figures that the verdict comes from; none, if it is of both.
  [[nodiscard]] std::vector<Measure> by() const;

  /// By how much a process's time changes with it.
  [[nodiscard]] double impactNs(std::size_t processes) const;
};

struct Comparison {
  /// Slower ones first, then faster, undecided, not comparable, new, gone and same ones; within
  /// these, those that matter most.
  std::vector<Finding> findings;
  /// What holds for the comparison as a whole, a sentence each: other devices, floors.
  std::vector<std::string> remarks;
  bool single = false; ///< a side has one process only

  [[nodiscard]] std::size_t count(Verdict verdict) const;
  /// Of busy times.
  [[nodiscard]] std::size_t countBusy(Verdict verdict) const;
};

[[nodiscard]] Comparison compare(const Side &before, const Side &after, const Floors &floors);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_COMPARE_H

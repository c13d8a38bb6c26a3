// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What one process tells of the times of one region: mean, median and P95 of its executions, and
// how sure each is by these executions alone. Does not know what they are compared with.

#ifndef GRAPHPROF_TOOL_DIFF_PROCESSTIMES_H
#define GRAPHPROF_TOOL_DIFF_PROCESSTIMES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "output/statistics/Distribution.h"

namespace graphprof {

/// The mean is what a user pays; the median is what usually happens; P95 is what sometimes does.
enum class Measure : unsigned char { Mean, Median, P95 };
inline constexpr std::array<Measure, 3> allMeasures = {Measure::Mean, Measure::Median,
                                                       Measure::P95};
/// "mean", "median", "P95".
[[nodiscard]] std::string_view word(Measure measure);

/// A figure of one process.
struct ProcessFigure {
  double ns = 0;
  /// Usually as `ns`. Of the median of executions of which half take one time and half another:
  /// these two, because which of them it is hangs on a single execution.
  double lowNs = 0, highNs = 0;
  double variance = 0; ///< relative, of `ns`; from its executions. 0: unknown
};

struct ProcessTimes {
  std::uint64_t count = 0; ///< 0: not measured in this process
  std::array<ProcessFigure, allMeasures.size()> figures{};

  [[nodiscard]] const ProcessFigure &of(Measure measure) const {
    return figures[static_cast<std::size_t>(measure)];
  }
};

/// Gathers them, in bounded memory.
class GatheredTimes {
public:
  /// The next execution. `bound` is that of all regions of the process.
  void add(std::int64_t ns, SharedBound &bound);
  [[nodiscard]] bool empty() const { return durations_.empty(); }
  [[nodiscard]] ProcessTimes times() const;

private:
  static constexpr std::size_t mostBatches = 128;

  [[nodiscard]] double varianceOfMean() const;

  Distribution durations_;
  // Means of equally many consecutive executions: those that follow each other are alike (clocks,
  // caches), so that single ones vary less than their mean does.
  std::vector<double> batches_;
  std::uint64_t perBatch_ = 1, pending_ = 0;
  double pendingNs_ = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_TOOL_DIFF_PROCESSTIMES_H

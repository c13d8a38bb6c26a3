// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages as text: torch.profiler's table.

#ifndef GRAPHPROF_OUTPUT_STATISTICS_AVERAGETABLE_H
#define GRAPHPROF_OUTPUT_STATISTICS_AVERAGETABLE_H

#include <string>
#include <string_view>
#include <vector>

#include "graphprof/key_averages.h"

namespace graphprof {

/// What a table shows in addition to its rows.
struct AverageTable {
  double selfCpuUs = 0;                    ///< sum over all rows
  double selfDeviceUs = 0, selfColdUs = 0; ///< sums over the rows that are not cold, and that are
  bool withDevice = false, withMemory = false;
  bool roundedLength = false; ///< of a replay, in the remarks
  std::string remarks;        ///< lines below

  /// Without rows the text is empty, as in PyTorch.
  [[nodiscard]] std::string text(const std::vector<FunctionEventAvg> &rows,
                                 const table_options &options) const;
};

/// Whether rows can be sorted by `name`. They can by an empty one.
[[nodiscard]] bool canSortBy(std::string_view name);
/// The keys to sort by, for messages. "cuda" may replace "device".
[[nodiscard]] std::string sortKeys();

/// Whether `unit` is a unit of time. An empty one is: times are then shown in the unit that fits.
[[nodiscard]] bool isTimeUnit(std::string_view unit);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_AVERAGETABLE_H

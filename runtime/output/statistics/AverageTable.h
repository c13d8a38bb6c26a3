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

/// What a table shows beside its rows.
struct AverageTable {
  double selfCpuUs = 0, selfDeviceUs = 0; ///< sums over all rows
  bool withDevice = false, withMemory = false;
  std::string remarks; ///< lines below

  /// Of no rows the text is empty, as PyTorch's is.
  [[nodiscard]] std::string text(const std::vector<FunctionEventAvg> &rows,
                                 const table_options &options) const;
};

/// Whether rows can be sorted by that; by nothing they can.
[[nodiscard]] bool canSortBy(std::string_view name);
/// By what they can, for messages; "cuda" may stand for "device".
[[nodiscard]] std::string sortKeys();

/// Whether times can be shown in that; in none given they are shown as they fit.
[[nodiscard]] bool isTimeUnit(std::string_view unit);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_STATISTICS_AVERAGETABLE_H

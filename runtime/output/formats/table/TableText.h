// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints the rows of a table of regions, for a screen of some width or for a file. Does not know
// where the rows come from.

#ifndef GRAPHPROF_OUTPUT_FORMATS_TABLE_TABLETEXT_H
#define GRAPHPROF_OUTPUT_FORMATS_TABLE_TABLETEXT_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "output/statistics/TableRows.h"

namespace graphprof {

/// Of names that are shortened, in characters; as in torch.profiler.
inline constexpr std::size_t maxNameWidth = 55;

struct TableLook {
  std::string firstHeading = "Region";
  /// How wide a line may be; columns are left out until it is not wider. 0: any width, and columns
  /// of one width.
  std::size_t width = 0;
  bool wholeNames = false; ///< otherwise shortened, to `maxNameWidth`
  std::vector<double> quantiles = {0.5, 0.95};
  bool distribution = false; ///< draws how the durations are distributed
  bool ascii = false;        ///< draws with characters that every terminal has
};

/// "Median", "P95", "P99.9" of 0.5, 0.95, 0.999.
[[nodiscard]] std::string quantileName(double quantile);

/// How the durations are distributed between the least and the 99th percentile, a character a part:
/// what lies beyond is in the last one.
[[nodiscard]] std::string drawing(const Distribution &durations, std::size_t width, bool ascii);

/// Whether the table has the columns "% of path" and "Slack": if the edges of a graph with branches
/// are known. Without branches every node is on the critical path, and none has slack.
[[nodiscard]] bool showsPaths(const std::vector<TableRow> &rows);

/// The heading of a place; empty for regions in graphs, which come first, without one.
[[nodiscard]] std::string_view heading(Place place);

/// A figure of each row. On a narrow screen, those that are least `needed` are left out.
struct ShownColumn {
  std::string heading;
  int needed;
  std::vector<std::string> cells;
};
/// All behind the rows' names.
[[nodiscard]] std::vector<ShownColumn> shownColumns(const std::vector<TableRow> &rows,
                                                    const TableLook &look);
[[nodiscard]] std::string tableText(const std::vector<TableRow> &rows, const TableLook &look);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_TABLE_TABLETEXT_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is shown of a report. Does not read recordings and computes nothing.

#ifndef GRAPHPROF_TOOL_REPORT_SHOWREPORT_H
#define GRAPHPROF_TOOL_REPORT_SHOWREPORT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "Collected.h"
#include "figures/Document.h"
#include "figures/Json.h"
#include "output/formats/table/TableText.h"

namespace graphprof {

/// "region", "site", "kernel", "graph", "step", "rank".
[[nodiscard]] std::string_view word(GroupBy by);

/// Its tables are those that a program ends with. `mostGraphs`: how many graphs have a row that
/// says what memory they took.
[[nodiscard]] std::string reportText(const Collected &all, GroupBy by,
                                     const std::vector<TableRow> &rows, TableLook look,
                                     std::size_t mostGraphs = SIZE_MAX);
/// For Markdown.
[[nodiscard]] Document reportDocument(const Collected &all, GroupBy by,
                                      const std::vector<TableRow> &rows, const TableLook &look);
[[nodiscard]] OrderedJson reportJson(const Collected &all, GroupBy by,
                                     const std::vector<TableRow> &rows,
                                     const std::vector<double> &quantiles);
/// The rows, and what was lost: of the kind "loss".
[[nodiscard]] FigureTable reportTable(const Collected &all, const std::vector<TableRow> &rows,
                                      const std::vector<double> &quantiles);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_REPORT_SHOWREPORT_H

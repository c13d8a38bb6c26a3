// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A report as text, JSON, CSV and Markdown. Does not read recordings and computes nothing.

#ifndef GRAPHPROF_TOOL_REPORT_PRINT_H
#define GRAPHPROF_TOOL_REPORT_PRINT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "Collected.h"
#include "output/formats/table/TableText.h"

namespace graphprof {

/// "region", "site", "kernel", "graph", "step", "rank".
[[nodiscard]] std::string_view word(GroupBy by);

/// One line for each run: its file, program, device, driver, and what is missing of it.
[[nodiscard]] std::string runsText(const std::vector<RunFacts> &runs, std::string_view before);

/// `mostGraphs`: how many graphs have a row that says what memory they took.
[[nodiscard]] std::string reportText(const Collected &all, GroupBy by,
                                     const std::vector<TableRow> &rows, TableLook look,
                                     std::size_t mostGraphs = SIZE_MAX);
[[nodiscard]] std::string reportMarkdown(const Collected &all, GroupBy by,
                                         const std::vector<TableRow> &rows,
                                         const std::vector<double> &quantiles);
[[nodiscard]] std::string reportJson(const Collected &all, GroupBy by,
                                     const std::vector<TableRow> &rows,
                                     const std::vector<double> &quantiles);
[[nodiscard]] std::string reportCsv(const Collected &all, const std::vector<TableRow> &rows,
                                    const std::vector<double> &quantiles);

/// A cell of a table in Markdown, in which a vertical line and a backtick are text.
[[nodiscard]] std::string markdownCell(std::string_view text);

} // namespace graphprof

#endif // GRAPHPROF_TOOL_REPORT_PRINT_H

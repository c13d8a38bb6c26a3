// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Prints what graphs took of the device's memory, below the table of regions.

#ifndef GRAPHPROF_OUTPUT_FORMATS_TABLE_GRAPHMEMORYTEXT_H
#define GRAPHPROF_OUTPUT_FORMATS_TABLE_GRAPHMEMORYTEXT_H

#include <cstddef>
#include <string>
#include <vector>

#include "output/io/Columns.h"
#include "output/statistics/GraphMemoryRows.h"

namespace graphprof {

/// What a row is called: "graph 3", "decode batch=8", "captured, no exec".
[[nodiscard]] std::string graphMemoryName(const GraphMemoryRows &all,
                                          const GraphMemoryRows::Row &row);

/// The table's headings, and its rows, the last of which is their sum. Of more than `most` graphs
/// those that took most, and a row for the others.
[[nodiscard]] std::vector<std::string> graphMemoryHeadings();
[[nodiscard]] std::vector<Columns::Cells> graphMemoryCells(const GraphMemoryRows &all,
                                                           std::size_t most);
/// What the figures leave open, a sentence each.
[[nodiscard]] std::vector<std::string> graphMemoryRemarks(const GraphMemoryRows &all);

/// All of it. Empty if nothing was measured.
[[nodiscard]] std::string graphMemoryText(const GraphMemoryRows &all, std::size_t most);

} // namespace graphprof

#endif // GRAPHPROF_OUTPUT_FORMATS_TABLE_GRAPHMEMORYTEXT_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/GraphMemoryText.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/io/Text.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

std::string bytesText(const GraphMemoryFigures::Bytes &bytes) {
  return bytes ? formatBytes(*bytes) : std::string(noValue);
}

// Of what was allocated, how much, and by how many allocations.
std::string allocatedText(std::uint64_t times, std::uint64_t bytes) {
  return times == 0 ? std::string(noValue)
                    : fmt::format("{} ({})", formatBytes(static_cast<std::int64_t>(bytes)), times);
}

Columns::Cells cellsOf(std::string name, const GraphMemoryFigures &figures) {
  return {std::move(name),
          std::to_string(figures.execs),
          bytesText(figures.capture),
          bytesText(figures.instantiate),
          bytesText(figures.firstLaunch),
          formatBytes(figures.total()),
          formatBytes(figures.poolBytes),
          allocatedText(figures.allocations, figures.allocatedBytes),
          allocatedText(figures.nodes, figures.nodeBytes),
          formatBytes(figures.ownBytes)};
}

} // namespace

std::string graphMemoryName(const GraphMemoryRows &all, const GraphMemoryRows::Row &row) {
  std::string name = row.key.graph > 0 ? printable(shownGraph(row.serves.get(), row.key.graph))
                     : row.key.isOwn   ? std::string("no graph")
                                       : std::string("captured, no exec");
  if (all.severalDevices())
    name += fmt::format(", device {}", row.key.device);
  if (all.severalRuns())
    name += fmt::format(", run {}", row.key.run + 1);
  return name;
}

std::vector<std::string> graphMemoryHeadings() {
  return {"Memory of graphs", "Execs",     "Capture",      "Instantiate", "First launch", "Total",
          "Graph pool",       "Allocated", "Alloc. nodes", "graphprof"};
}

std::vector<Columns::Cells> graphMemoryCells(const GraphMemoryRows &all, std::size_t most) {
  std::vector<GraphMemoryRows::Row> rows = all.rows();
  GraphMemoryFigures rest;
  std::size_t others = 0;
  if (rows.size() > most) {
    std::ranges::sort(rows, [](const auto &one, const auto &other) {
      const std::int64_t a = one.figures.total(), b = other.figures.total();
      return a != b ? a > b : one.key < other.key;
    });
    for (std::size_t i = most; i < rows.size(); ++i, ++others)
      rest.add(rows[i].figures);
    rows.resize(most);
  }
  std::vector<Columns::Cells> cells;
  cells.reserve(rows.size() + 2);
  for (const GraphMemoryRows::Row &row : rows)
    cells.push_back(cellsOf(graphMemoryName(all, row), row.figures));
  if (others > 0)
    cells.push_back(cellsOf(counted(others, "row more", "rows more"), rest));
  cells.push_back(cellsOf("all", all.total()));
  return cells;
}

std::vector<std::string> graphMemoryRemarks(const GraphMemoryRows &all) {
  std::vector<std::string> remarks;
  const GraphMemoryFigures total = all.total();
  if (total.other)
    remarks.push_back(fmt::format("updates and uploads of execs took {}, which is in the totals",
                                  formatBytes(*total.other)));
  if (total.poolBytes != 0)
    remarks.emplace_back("the graph pool is shared: each byte of it is in the row of the graph "
                         "that made it grow");
  if (total.overlaps)
    remarks.emplace_back("some of it was measured while another thread captured, instantiated or "
                         "launched, too: which of the two rows took it is not certain");
  if (all.leftOut() > 0)
    remarks.push_back(fmt::format("{} not shown: they are of more graphs than are told apart",
                                  counted(all.leftOut(), "step", "steps")));
  return remarks;
}

std::string graphMemoryText(const GraphMemoryRows &all, std::size_t most) {
  if (all.empty())
    return {};
  std::vector<Column> columns;
  for (std::string &heading : graphMemoryHeadings())
    columns.push_back({std::move(heading), 0, columns.empty()});
  const std::vector<Columns::Cells> cells = graphMemoryCells(all, most);
  Columns table(std::move(columns));
  table.fit(cells);
  table.add("graphprof: what each graph took of the device's memory\n");
  table.rule();
  table.headings();
  table.rule();
  for (const Columns::Cells &line : cells)
    table.line(line);
  table.rule();
  std::string text = std::move(table).text();
  for (const std::string &remark : graphMemoryRemarks(all))
    text += remark + '\n';
  return text;
}

} // namespace graphprof

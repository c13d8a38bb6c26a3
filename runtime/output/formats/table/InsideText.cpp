// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/InsideText.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "output/data/Path.h"
#include "output/formats/table/TableText.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/statistics/ByWarmth.h"

namespace graphprof {

namespace {

std::string quantile(const Distribution &durations, double q) {
  return durations.empty() ? std::string(noValue)
                           : formatTime(durations.quantileNs(q), durations.exact());
}

struct Row {
  int depth = 0;
  std::string name;
  std::string_view mark; ///< behind the name
  Columns::Cells figures;
};

std::string nameOf(const InsideKernels::Kernel &kernel) {
  return printable(kernel.path.empty() ? kernel.name : pathInside(kernel.path, kernel.name));
}

// A region comes right behind the one around it and what is inside that.
void addRegions(const InsideFigures &figures, std::size_t parent, std::vector<Row> &rows) {
  for (std::size_t i = 0; i < figures.regions.size(); ++i) {
    const InsideRegion &region = figures.regions[i];
    if (region.parent != parent)
      continue;
    rows.push_back({region.depth + 1,
                    printable(region.scope.name),
                    "",
                    {std::to_string(region.ofWarps.count()), quantile(region.ofWarps, 0.5),
                     quantile(region.ofWarps, 0.95), formatPercent(figures.percentOf(region)),
                     fmt::format("{:.4g}", region.iterationsOfWarp())}});
    addRegions(figures, i, rows);
  }
}

// The rows' first cells.
std::vector<std::string> shownNames(const std::vector<Row> &rows, bool whole) {
  constexpr std::size_t least = 8;
  std::vector<std::string> names;
  std::vector<std::size_t> widths;
  for (const Row &row : rows) {
    const std::size_t taken = indentOf(row.depth) + row.mark.size();
    names.push_back(row.name);
    widths.push_back(whole ? SIZE_MAX : std::max(maxNameWidth, taken + least) - taken);
  }
  names = shortNames(names, widths);
  for (std::size_t i = 0; i < rows.size(); ++i)
    names[i] = std::string(indentOf(rows[i].depth), ' ').append(names[i]).append(rows[i].mark);
  return names;
}

} // namespace

std::string insideText(const InsideKernels &inside, bool wholeNames) {
  if (inside.kernels().empty())
    return {};
  std::vector<Row> rows;
  bool anyWarp = false;
  for (const InsideKernels::Kernel &kernel : inside.kernels()) {
    const InsideFigures &figures = kernel.shown();
    const double ratio = figures.twinRatio();
    rows.push_back({0,
                    nameOf(kernel),
                    kernel.isCold() ? coldMark : "",
                    {std::to_string(figures.kernel.count()), quantile(figures.kernel, 0.5),
                     quantile(figures.kernel, 0.95), "", "", quantile(figures.twin, 0.5),
                     ratio > 0 ? fmt::format("{:.3f}", ratio) : std::string(noValue)}});
    addRegions(figures, KernelRun::none, rows);
    anyWarp = anyWarp || !figures.warps.empty();
  }
  std::vector<Columns::Cells> cells;
  for (const std::string &name : shownNames(rows, wholeNames)) {
    const Columns::Cells &figures = rows[cells.size()].figures;
    cells.emplace_back(1, name).insert(cells.back().end(), figures.begin(), figures.end());
  }
  Columns table({{"Inside kernels", 0, true},
                 {"Count", 0},
                 {"Median", 0},
                 {"P95", 0},
                 {"% of warp", 0},
                 {"Iterations", 0},
                 {"Timed twin", 0},
                 {"Twin/kernel", 0}});
  table.fit(cells);
  table.add("graphprof: time of each region inside kernels\n");
  table.rule();
  table.headings();
  table.rule();
  for (const Columns::Cells &line : cells)
    table.line(line);
  table.rule();
  table.add(anyWarp ? "A kernel's row is of the kernel itself. Those below it are of warps of its "
                      "timed twin, which ran in other replays\n"
                    : "No timed twin of a kernel has run: launch each graph again\n");
  return std::move(table).text();
}

} // namespace graphprof

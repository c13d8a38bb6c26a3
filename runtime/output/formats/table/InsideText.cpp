// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/InsideText.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "output/data/Path.h"
#include "output/io/Columns.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/statistics/ByWarmth.h"

namespace graphprof {

namespace {

std::string quantile(const Distribution &durations, double q) {
  return durations.empty() ? std::string(noValue)
                           : formatTime(durations.quantileNs(q), durations.exact());
}

std::string shown(const InsideKernels::Kernel &kernel) {
  const std::string name = kernel.path.empty() ? kernel.name : pathInside(kernel.path, kernel.name);
  return printable(name) + (kernel.isCold() ? coldMark : "");
}

// A region comes right behind the one around it and what is inside that.
void addRegions(const InsideFigures &figures, std::size_t parent,
                std::vector<Columns::Cells> &rows) {
  for (std::size_t i = 0; i < figures.regions.size(); ++i) {
    const InsideRegion &region = figures.regions[i];
    if (region.parent != parent)
      continue;
    rows.push_back({std::string(2 * static_cast<std::size_t>(region.depth) + 2, ' ') +
                        printable(region.scope.name),
                    std::to_string(region.ofWarps.count()), quantile(region.ofWarps, 0.5),
                    quantile(region.ofWarps, 0.95), formatPercent(figures.percentOf(region)),
                    fmt::format("{:.4g}", region.iterationsOfWarp())});
    addRegions(figures, i, rows);
  }
}

} // namespace

std::string insideText(const InsideKernels &inside) {
  if (inside.kernels().empty())
    return {};
  std::vector<Columns::Cells> rows;
  bool anyWarp = false;
  for (const InsideKernels::Kernel &kernel : inside.kernels()) {
    const InsideFigures &figures = kernel.shown();
    const double ratio = figures.twinRatio();
    rows.push_back({shown(kernel), std::to_string(figures.kernel.count()),
                    quantile(figures.kernel, 0.5), quantile(figures.kernel, 0.95), "", "",
                    quantile(figures.twin, 0.5),
                    ratio > 0 ? fmt::format("{:.3f}", ratio) : std::string(noValue)});
    addRegions(figures, KernelRun::none, rows);
    anyWarp = anyWarp || !figures.warps.empty();
  }
  Columns table({{"Inside kernels", 0, true},
                 {"Count", 0},
                 {"Median", 0},
                 {"P95", 0},
                 {"% of warp", 0},
                 {"Iterations", 0},
                 {"Timed twin", 0},
                 {"Twin/kernel", 0}});
  table.fit(rows);
  table.add("graphprof: time of each region inside kernels\n");
  table.rule();
  table.headings();
  table.rule();
  for (const Columns::Cells &row : rows)
    table.line(row);
  table.rule();
  table.add(anyWarp ? "A kernel's row is of the kernel itself. Those below it are of warps of its "
                      "timed twin, which ran in other replays\n"
                    : "No timed twin of a kernel has run: launch each graph again\n");
  return std::move(table).text();
}

} // namespace graphprof

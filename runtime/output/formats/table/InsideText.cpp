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

// A region comes right behind the one around it and what is inside that. `depth`: of the kernel.
void addRegions(const InsideFigures &figures, std::size_t parent, int depth,
                std::vector<Row> &rows) {
  for (std::size_t i = 0; i < figures.regions.size(); ++i) {
    const InsideRegion &region = figures.regions[i];
    if (region.parent != parent)
      continue;
    rows.push_back({depth + region.depth + 1,
                    printable(region.scope.name),
                    "",
                    {std::to_string(region.ofWarps.count()), quantile(region.ofWarps, 0.5),
                     quantile(region.ofWarps, 0.95), formatPercent(figures.percentOf(region)),
                     fmt::format("{:.4g}", region.iterationsOfWarp())}});
    addRegions(figures, i, depth, rows);
  }
}

// Those of a kernel that is launched in several ways have a share only: warps of different grids
// have no median.
void addRegions(const LaunchesTogether &all, std::size_t parent, std::vector<Row> &rows) {
  for (std::size_t i = 0; i < all.regions.size(); ++i) {
    const LaunchesTogether::Region &region = all.regions[i];
    if (region.parent != parent)
      continue;
    rows.push_back({region.depth + 1,
                    printable(region.scope.name),
                    "",
                    {"", "", "", formatPercent(region.percent)}});
    addRegions(all, i, rows);
  }
}

Row kernelRow(int depth, const std::string &name, std::string_view mark, const Distribution &kernel,
              const Distribution &twin, double ratio) {
  return {depth,
          name,
          mark,
          {std::to_string(kernel.count()), quantile(kernel, 0.5), quantile(kernel, 0.95), "", "",
           quantile(twin, 0.5), ratio > 0 ? fmt::format("{:.3f}", ratio) : std::string(noValue)}};
}

void addLaunch(int depth, const std::string &name, const InsideKernels::Kernel &launch,
               std::vector<Row> &rows) {
  const InsideFigures &figures = launch.shown();
  rows.push_back(kernelRow(depth, name, launch.isCold() ? coldMark : "", figures.kernel,
                           figures.twin, figures.twinRatio()));
  addRegions(figures, KernelRun::none, depth, rows);
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
  bool anyTogether = false;
  for (const std::vector<const InsideKernels::Kernel *> &launches : inside.byKernel()) {
    for (const InsideKernels::Kernel *const launch : launches)
      anyWarp = anyWarp || !launch->shown().warps.empty();
    if (launches.size() == 1) {
      addLaunch(0, nameOf(*launches.front()), *launches.front(), rows);
      continue;
    }
    anyTogether = true;
    const LaunchesTogether all = together(launches);
    const bool isCold = std::ranges::all_of(launches, &InsideKernels::Kernel::isCold);
    rows.push_back(kernelRow(0, nameOf(*launches.front()), isCold ? coldMark : "", all.kernel,
                             all.twin, all.twinRatio()));
    addRegions(all, KernelRun::none, rows);
    for (const InsideKernels::Kernel *const launch : launches)
      addLaunch(1, launch->launch.empty() ? "launch not known" : printable(launch->launch), *launch,
                rows);
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
  if (anyTogether)
    table.add(
        "A kernel that is launched with several grids, blocks or sizes of shared memory has a "
        "row for each; above them, each counts by how long the kernel took in it\n");
  return std::move(table).text();
}

} // namespace graphprof

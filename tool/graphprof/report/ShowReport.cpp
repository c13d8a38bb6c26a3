// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ShowReport.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "figures/Render.h"
#include "figures/Runs.h"
#include "output/data/LossText.h"
#include "output/formats/table/GraphMemoryText.h"
#include "output/formats/table/InsideText.h"
#include "output/formats/table/Table.h"
#include "output/io/Text.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using Holds = FigureColumn::Holds;

std::string placeWord(Place place) {
  return place == Place::Graph ? "graph" : std::string(heading(place));
}

// A member of JSON and a column of CSV: "p50", "p99.9".
std::string quantileKey(double quantile) { return fmt::format("p{:.6g}_ns", 100 * quantile); }

struct Words {
  std::string_view word, heading, title;
};

Words wordsOf(GroupBy by) {
  switch (by) {
  case GroupBy::Region:
    return {"region", "Region", "time of each region"};
  case GroupBy::Site:
    return {"site", "Site", "time of each place in the source"};
  case GroupBy::Kernel:
    return {"kernel", "Kernel", "time of each kernel, copy and memset, by name"};
  case GroupBy::Graph:
    return {"graph", "Graph", "time of the replays of each graph"};
  case GroupBy::Step:
    return {"step", "Step",
            "time on the device in each step, a replay or a region outside graphs at a time"};
  case GroupBy::Rank:
    return {"rank", "Process",
            "time on the device of each process, a replay or a region outside graphs at a time"};
  }
  return {};
}

// What is not in the table, a sentence each.
std::vector<std::string> remarks(const Collected &all) {
  std::vector<std::string> sentences;
  if (all.leftOut() > 0)
    sentences.push_back(fmt::format("{} not shown: they are of more rows than a report tells apart",
                                    counted(all.leftOut(), "record", "records")));
  for (const RunFacts &run : all.runs()) {
    if (!run.notRecorded.below().empty())
      sentences.push_back(run.notRecorded.below());
    sentences.insert(sentences.end(), run.remarks.begin(), run.remarks.end());
  }
  std::ranges::move(lossLines(all.runs()), std::back_inserter(sentences));
  return sentences;
}

std::string shownName(const TableRow &row, GroupBy by) {
  if (row.isRest)
    return counted(row.regions, "row more", "rows more");
  std::string name = row.name;
  if (by == GroupBy::Site && !row.source.empty())
    name += fmt::format(" ({})", row.source);
  return name;
}

// As in Markdown, where blanks do not indent.
std::string markdownName(const TableRow &row, GroupBy by) {
  std::string name;
  for (int i = 0; i < row.depth; ++i)
    name += "&nbsp;&nbsp;";
  name += shownName(row, by);
  if (row.regions > 1 && !row.isRest)
    name += fmt::format(" ×{}", row.regions);
  if (row.place != Place::Graph)
    name += fmt::format(" ({})", heading(row.place));
  return name;
}

Section rowsSection(GroupBy by, const std::vector<TableRow> &rows, const TableLook &look) {
  const std::vector<ShownColumn> columns = shownColumns(rows, look);
  FigureTable table;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.next();
    table.add("", wordsOf(by).heading, markdownName(rows[i], by), Holds::Names);
    for (const ShownColumn &column : columns)
      table.add("", column.heading, column.cells[i]);
  }
  return {rows.empty() ? "" : std::string(wordsOf(by).title), std::move(table)};
}

Section graphMemorySection(const GraphMemoryRows &all) {
  const std::vector<std::string> headings = graphMemoryHeadings();
  FigureTable table;
  for (const Columns::Cells &cells : graphMemoryCells(all, SIZE_MAX)) {
    table.next();
    for (std::size_t i = 0; i < cells.size(); ++i)
      table.add("", headings[i], cells[i], i == 0 ? Holds::Names : Holds::Numbers);
  }
  return {"what each graph took of the device's memory", std::move(table), graphMemoryRemarks(all)};
}

FigureTable rowsTable(const std::vector<TableRow> &rows, const std::vector<double> &quantiles) {
  FigureTable table;
  for (const TableRow &row : rows) {
    const Distribution &times = *row.durations;
    const PathFigures *const path = row.onPath;
    table.next();
    table.add("path", Figure(row.path).onlyIf(!row.isRest));
    table.add("name", Figure(row.name).onlyIf(!row.isRest));
    table.add("regions", row.regions);
    table.add("kind", word(row.kind));
    table.add("where", placeWord(row.place));
    table.add("cold", row.place == Place::Cold);
    table.add("depth", row.depth);
    table.add("source", Figure::text(row.source));
    table.add("count", times.count());
    table.add("not_measured", row.notMeasured);
    table.add("total_ns", Figure::time(times.sumNs()).onlyIf(!times.empty()));
    table.add("mean_ns", Figure::time(times.meanNs()).onlyIf(!times.empty()));
    table.add("min_ns", Figure::time(times.minNs()).onlyIf(row.hasSpread()));
    for (const double quantile : quantiles)
      table.add(quantileKey(quantile),
                Figure::quantile(times, quantile).onlyIf(row.hasQuantiles()));
    table.add("max_ns", Figure::time(times.maxNs()).onlyIf(row.hasSpread()));
    table.add("rounded", row.hasQuantiles() && !times.exact());
    table.add("percent_of_replay", Figure::percent(row.percentOfReplay));
    table.add("percent_of_replays", Figure::percent(row.percentOfReplays));
    table.add("gigabytes_per_s",
              Figure(row.gigabytesPerSecond).onlyIf(row.gigabytesPerSecond >= 0));
    table.add("percent_of_path", path ? Figure::percent(path->percentOfPath()) : Figure());
    table.add("slack_ns",
              path && path->slack.isClaimed() ? Figure::quantile(path->slack.ns, 0.5) : Figure());
    table.add("no_slack", path ? Figure::text(path->slack.whyNot()) : Figure());
    table.add("busy_ns", Figure::time(row.busy.ns));
    table.add("gap_ns", Figure::time(row.busy.gapNs));
    table.add("busy_replays", row.busy.replays);
    table.add("gap_cause", Figure::text(word(row.busy.cause)));
  }
  return table;
}

// What each region inside a kernel begins with.
template <class Region> void addScope(FigureTable &table, const Region &region) {
  table.next();
  table.add("name", region.scope.name);
  table.add("source", fmt::format("{}:{}", region.scope.file, region.scope.line));
  table.add("inside", Figure(region.parent).onlyIf(region.parent != KernelRun::none));
}

// A kernel with regions inside, launched in one way or in several: then these have a share only.
void addKernel(FigureTable &table, const InsideKernels::Kernel &kernel, std::size_t launches,
               bool isCold, const Distribution &times, const Distribution &twin, double ratio) {
  table.next();
  table.add("name", kernel.name);
  table.add("path", Figure::text(kernel.path));
  table.add("launch", Figure::text(kernel.launch).onlyIf(launches == 1));
  table.add("launches", launches);
  table.add("cold", isCold);
  table.add("count", times.count());
  table.add("p50_ns", Figure::quantile(times, 0.5));
  table.add("p95_ns", Figure::quantile(times, 0.95));
  table.add("twin_count", twin.count());
  table.add("twin_p50_ns", Figure::quantile(twin, 0.5));
  table.add("twin_per_kernel", Figure(ratio).onlyIf(ratio > 0));
}

// Of each kernel with regions inside, and of each of these.
OrderedJson insideJson(const InsideKernels &inside) {
  FigureTable kernels;
  std::vector<FigureTable> regions;
  for (const std::vector<const InsideKernels::Kernel *> &launches : inside.byKernel()) {
    if (launches.size() > 1) {
      const LaunchesTogether all = together(launches);
      addKernel(kernels, *launches.front(), launches.size(),
                std::ranges::all_of(launches, &InsideKernels::Kernel::isCold), all.kernel, all.twin,
                all.twinRatio());
      FigureTable &table = regions.emplace_back();
      for (const LaunchesTogether::Region &region : all.regions) {
        addScope(table, region);
        table.add("percent_of_warps", region.percent);
      }
    }
    for (const InsideKernels::Kernel *const kernel : launches) {
      const InsideFigures &figures = kernel->shown();
      addKernel(kernels, *kernel, 1, kernel->isCold(), figures.kernel, figures.twin,
                figures.twinRatio());
      FigureTable &table = regions.emplace_back();
      for (const InsideRegion &region : figures.regions) {
        addScope(table, region);
        table.add("warps", region.ofWarps.count());
        table.add("iterations", region.iterations);
        table.add("percent_of_warps", figures.percentOf(region));
        table.add("p50_ns", Figure::quantile(region.ofWarps, 0.5));
        table.add("p95_ns", Figure::quantile(region.ofWarps, 0.95));
      }
    }
  }
  OrderedJson list = asJson(kernels);
  for (std::size_t i = 0; i < regions.size(); ++i)
    list[i]["regions"] = asJson(regions[i]);
  return list;
}

// Of each graph on each device.
FigureTable graphMemoryTable(const GraphMemoryRows &all) {
  const auto orNone = [](const GraphMemoryFigures::Bytes &bytes) {
    return bytes ? Figure(*bytes) : Figure();
  };
  FigureTable table;
  for (const auto &[key, figures, serves] : all.rows()) {
    table.next();
    table.add("run", key.run);
    table.add("graph", Figure(key.graph).onlyIf(key.graph > 0));
    table.add("graph_name", serves ? Figure(serves->text) : Figure());
    table.add("device", key.device);
    table.add("captures", figures.captures);
    table.add("execs", figures.execs);
    table.add("capture_bytes", orNone(figures.capture));
    table.add("instantiate_bytes", orNone(figures.instantiate));
    table.add("first_launch_bytes", orNone(figures.firstLaunch));
    table.add("update_and_upload_bytes", orNone(figures.other));
    table.add("total_bytes", figures.total());
    table.add("graph_pool_bytes", figures.poolBytes);
    table.add("allocations", figures.allocations);
    table.add("allocated_bytes", figures.allocatedBytes);
    table.add("allocation_nodes", figures.nodes);
    table.add("allocation_node_bytes", figures.nodeBytes);
    table.add("graphprof_bytes", figures.ownBytes);
    table.add("overlaps", figures.overlaps);
  }
  return table;
}

} // namespace

std::string_view word(GroupBy by) { return wordsOf(by).word; }

std::string reportText(const Collected &all, GroupBy by, const std::vector<TableRow> &rows,
                       TableLook look, std::size_t mostGraphs) {
  std::string text = asText({runLines(all.runs()), {}, {}}, 0);
  look.firstHeading = wordsOf(by).heading;
  std::vector<TableRow> named = rows;
  for (TableRow &row : named)
    if (row.isNamed())
      row.name = shownName(row, by);
  if (!rows.empty())
    text += fmt::format("{}\n{}{}", wordsOf(by).title, tableText(named, look),
                        belowTable(all.statistics(), rows));
  text += asText({{}, {}, remarks(all)}, 0);
  return text + insideText(all.insideKernels(), look.wholeNames) +
         graphMemoryText(all.graphMemory(), mostGraphs);
}

Document reportDocument(const Collected &all, GroupBy by, const std::vector<TableRow> &rows,
                        const TableLook &look) {
  Document document{runLines(all.runs()), {rowsSection(by, rows, look)}, remarks(all)};
  if (!all.graphMemory().empty())
    document.sections.push_back(graphMemorySection(all.graphMemory()));
  return document;
}

OrderedJson reportJson(const Collected &all, GroupBy by, const std::vector<TableRow> &rows,
                       const std::vector<double> &quantiles) {
  const ReplayTotals &replays = all.statistics().replays();
  return {{"graphprof_report", 1},
          {"group_by", word(by)},
          {"runs", runsJson(all.runs())},
          {"replays", replays.count()},
          {"cold_replays", replays.cold()},
          {"replay_p50_ns", asJson(Figure::quantile(replays.lengths().shown(), 0.5))},
          {"execs", replays.execs()},
          {"graphs", replays.graphs()},
          {"regions_outside_graphs", all.statistics().outsideGraphs()},
          {"left_out", all.leftOut()},
          {"rows", asJson(rowsTable(rows, quantiles))},
          {"inside_kernels", insideJson(all.insideKernels())},
          {"graph_memory", asJson(graphMemoryTable(all.graphMemory()))}};
}

FigureTable reportTable(const Collected &all, const std::vector<TableRow> &rows,
                        const std::vector<double> &quantiles) {
  FigureTable table = rowsTable(rows, quantiles);
  for (std::string &sentence : lossLines(all.runs()))
    table.addRow({{"name", Figure(std::move(sentence))}, {"kind", "loss"}});
  return table;
}

} // namespace graphprof

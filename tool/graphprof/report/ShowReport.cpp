// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ShowReport.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
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
  FigureTable table;
  table.rows = rows.size();
  FigureColumn names("", std::string(wordsOf(by).heading), Holds::Names);
  for (const TableRow &row : rows)
    names.figures.emplace_back(markdownName(row, by));
  table.columns.push_back(std::move(names));
  for (const ShownColumn &column : shownColumns(rows, look))
    table.columns.emplace_back("", column.heading)
        .figures.assign(column.cells.begin(), column.cells.end());
  return {rows.empty() ? "" : std::string(wordsOf(by).title), std::move(table)};
}

Section graphMemorySection(const GraphMemoryRows &all) {
  TableOf<Columns::Cells> table(graphMemoryCells(all, SIZE_MAX));
  for (const std::string &heading : graphMemoryHeadings()) {
    const std::size_t i = table.columns.size();
    table.add({"", heading, i == 0 ? Holds::Names : Holds::Numbers},
              [i](const Columns::Cells &cells) { return cells[i]; });
  }
  return {"what each graph took of the device's memory", std::move(table), graphMemoryRemarks(all)};
}

FigureTable rowsTable(const std::vector<TableRow> &rows, const std::vector<double> &quantiles) {
  std::vector<const TableRow *> all;
  all.reserve(rows.size());
  for (const TableRow &row : rows)
    all.push_back(&row);
  TableOf<const TableRow *> table(std::move(all));
  const auto add = [&](std::string key, auto figureOf) {
    table.add({std::move(key), ""}, [&](const TableRow *row) { return figureOf(*row); });
  };
  const auto addTime = [&](std::string key, auto nsOf) {
    add(std::move(key), [&](const TableRow &row) {
      return Figure::time(nsOf(*row.durations)).onlyIf(!row.durations->empty());
    });
  };
  const auto addExtreme = [&](const char *key, auto nsOf) {
    add(key, [&](const TableRow &row) {
      return Figure::time(nsOf(*row.durations)).onlyIf(row.hasSpread());
    });
  };
  add("path", [](const TableRow &row) { return Figure(row.path).onlyIf(!row.isRest); });
  add("name", [](const TableRow &row) { return Figure(row.name).onlyIf(!row.isRest); });
  add("regions", [](const TableRow &row) { return row.regions; });
  add("kind", [](const TableRow &row) { return word(row.kind); });
  add("where", [](const TableRow &row) { return placeWord(row.place); });
  add("cold", [](const TableRow &row) { return row.place == Place::Cold; });
  add("depth", [](const TableRow &row) { return row.depth; });
  add("source", [](const TableRow &row) { return Figure::text(row.source); });
  add("count", [](const TableRow &row) { return row.durations->count(); });
  add("not_measured", [](const TableRow &row) { return row.notMeasured; });
  addTime("total_ns", [](const Distribution &times) { return times.sumNs(); });
  addTime("mean_ns", [](const Distribution &times) { return times.meanNs(); });
  addExtreme("min_ns", [](const Distribution &times) { return times.minNs(); });
  for (const double quantile : quantiles)
    add(quantileKey(quantile), [quantile](const TableRow &row) {
      return Figure::quantile(*row.durations, quantile).onlyIf(row.hasQuantiles());
    });
  addExtreme("max_ns", [](const Distribution &times) { return times.maxNs(); });
  add("rounded", [](const TableRow &row) { return row.hasQuantiles() && !row.durations->exact(); });
  add("percent_of_replay",
      [](const TableRow &row) { return Figure::percent(row.percentOfReplay); });
  add("percent_of_replays",
      [](const TableRow &row) { return Figure::percent(row.percentOfReplays); });
  add("gigabytes_per_s", [](const TableRow &row) {
    return Figure(row.gigabytesPerSecond).onlyIf(row.gigabytesPerSecond >= 0);
  });
  add("percent_of_path", [](const TableRow &row) {
    return row.onPath ? Figure::percent(row.onPath->percentOfPath()) : Figure();
  });
  add("slack_ns", [](const TableRow &row) {
    return row.onPath && row.onPath->slack.isClaimed() ? Figure::quantile(row.onPath->slack.ns, 0.5)
                                                       : Figure();
  });
  add("no_slack", [](const TableRow &row) {
    return row.onPath ? Figure::text(row.onPath->slack.whyNot()) : Figure();
  });
  add("busy_ns", [](const TableRow &row) { return Figure::time(row.busy.ns); });
  add("gap_ns", [](const TableRow &row) { return Figure::time(row.busy.gapNs); });
  add("busy_replays", [](const TableRow &row) { return row.busy.replays; });
  add("gap_cause", [](const TableRow &row) { return Figure::text(word(row.busy.cause)); });
  return std::move(table);
}

// What each region inside a kernel begins with.
template <class Region> void addScope(TableOf<Region> &table) {
  table.add({"name", ""}, [](const Region &region) { return region.scope.name; });
  table.add({"source", ""}, [](const Region &region) {
    return fmt::format("{}:{}", region.scope.file, region.scope.line);
  });
  table.add({"inside", ""}, [](const Region &region) {
    return Figure(region.parent).onlyIf(region.parent != KernelRun::none);
  });
}

// Regions inside a kernel launched in several ways, which have a share only.
OrderedJson insideJson(const LaunchesTogether &all) {
  using Region = LaunchesTogether::Region;
  TableOf<Region> table(all.regions);
  addScope(table);
  table.add({"percent_of_warps", ""}, [](const Region &region) { return region.percent; });
  return asJson(table);
}

OrderedJson insideJson(const InsideFigures &figures) {
  TableOf<InsideRegion> table(figures.regions);
  addScope(table);
  const auto add = [&](const char *key, auto figureOf) { table.add({key, ""}, figureOf); };
  add("warps", [](const InsideRegion &region) { return region.ofWarps.count(); });
  add("iterations", [](const InsideRegion &region) { return region.iterations; });
  add("percent_of_warps", [&](const InsideRegion &region) { return figures.percentOf(region); });
  add("p50_ns", [](const InsideRegion &region) { return Figure::quantile(region.ofWarps, 0.5); });
  add("p95_ns", [](const InsideRegion &region) { return Figure::quantile(region.ofWarps, 0.95); });
  return asJson(table);
}

// A kernel with regions inside, in one way of launching it or in all.
struct InsideRow {
  const InsideKernels::Kernel *kernel;
  std::size_t launches;
  bool isCold;
  const Distribution *times, *twin;
  double ratio;
};

// Of each kernel with regions inside, and of each of these.
OrderedJson insideJson(const InsideKernels &inside) {
  std::vector<InsideRow> rows;
  std::vector<OrderedJson> regions;
  std::deque<LaunchesTogether> alls;
  for (const std::vector<const InsideKernels::Kernel *> &launches : inside.byKernel()) {
    if (launches.size() > 1) {
      const LaunchesTogether &all = alls.emplace_back(together(launches));
      rows.push_back({launches.front(), launches.size(),
                      std::ranges::all_of(launches, &InsideKernels::Kernel::isCold), &all.kernel,
                      &all.twin, all.twinRatio()});
      regions.push_back(insideJson(all));
    }
    for (const InsideKernels::Kernel *const kernel : launches) {
      const InsideFigures &figures = kernel->shown();
      rows.push_back(
          {kernel, 1, kernel->isCold(), &figures.kernel, &figures.twin, figures.twinRatio()});
      regions.push_back(insideJson(figures));
    }
  }
  TableOf<InsideRow> table(std::move(rows));
  const auto add = [&](const char *key, auto figureOf) { table.add({key, ""}, figureOf); };
  using Of = const InsideRow &;
  add("name", [](Of of) { return of.kernel->name; });
  add("path", [](Of of) { return Figure::text(of.kernel->path); });
  add("launch", [](Of of) { return Figure::text(of.kernel->launch).onlyIf(of.launches == 1); });
  add("launches", [](Of of) { return of.launches; });
  add("cold", [](Of of) { return of.isCold; });
  add("count", [](Of of) { return of.times->count(); });
  add("p50_ns", [](Of of) { return Figure::quantile(*of.times, 0.5); });
  add("p95_ns", [](Of of) { return Figure::quantile(*of.times, 0.95); });
  add("twin_count", [](Of of) { return of.twin->count(); });
  add("twin_p50_ns", [](Of of) { return Figure::quantile(*of.twin, 0.5); });
  add("twin_per_kernel", [](Of of) { return Figure(of.ratio).onlyIf(of.ratio > 0); });
  OrderedJson list = asJson(table);
  for (std::size_t i = 0; i < regions.size(); ++i)
    list[i]["regions"] = std::move(regions[i]);
  return list;
}

// Of each graph on each device.
OrderedJson graphMemoryJson(const GraphMemoryRows &all) {
  using Row = GraphMemoryRows::Row;
  TableOf<Row> table(all.rows());
  const auto add = [&](const char *key, auto figureOf) { table.add({key, ""}, figureOf); };
  const auto orNone = [](const GraphMemoryFigures::Bytes &bytes) {
    return bytes ? Figure(*bytes) : Figure();
  };
  add("run", [](const Row &row) { return row.key.run; });
  add("graph", [](const Row &row) { return Figure(row.key.graph).onlyIf(row.key.graph > 0); });
  add("graph_name",
      [](const Row &row) { return row.serves ? Figure(row.serves->text) : Figure(); });
  add("device", [](const Row &row) { return row.key.device; });
  add("captures", [](const Row &row) { return row.figures.captures; });
  add("execs", [](const Row &row) { return row.figures.execs; });
  add("capture_bytes", [&](const Row &row) { return orNone(row.figures.capture); });
  add("instantiate_bytes", [&](const Row &row) { return orNone(row.figures.instantiate); });
  add("first_launch_bytes", [&](const Row &row) { return orNone(row.figures.firstLaunch); });
  add("update_and_upload_bytes", [&](const Row &row) { return orNone(row.figures.other); });
  add("total_bytes", [](const Row &row) { return row.figures.total(); });
  add("graph_pool_bytes", [](const Row &row) { return row.figures.poolBytes; });
  add("allocations", [](const Row &row) { return row.figures.allocations; });
  add("allocated_bytes", [](const Row &row) { return row.figures.allocatedBytes; });
  add("allocation_nodes", [](const Row &row) { return row.figures.nodes; });
  add("allocation_node_bytes", [](const Row &row) { return row.figures.nodeBytes; });
  add("graphprof_bytes", [](const Row &row) { return row.figures.ownBytes; });
  add("overlaps", [](const Row &row) { return row.figures.overlaps; });
  return asJson(table);
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
          {"graph_memory", graphMemoryJson(all.graphMemory())}};
}

FigureTable reportTable(const Collected &all, const std::vector<TableRow> &rows,
                        const std::vector<double> &quantiles) {
  FigureTable table = rowsTable(rows, quantiles);
  for (std::string &sentence : lossLines(all.runs()))
    table.addRow({{"name", Figure(std::move(sentence))}, {"kind", "loss"}});
  return table;
}

} // namespace graphprof

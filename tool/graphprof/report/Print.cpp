// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Print.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "BusyJson.h"
#include "RunsJson.h"
#include "output/data/LossText.h"
#include "output/formats/csv/Csv.h"
#include "output/formats/table/GraphMemoryText.h"
#include "output/formats/table/InsideText.h"
#include "output/formats/table/Table.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string placeWord(Place place) {
  return place == Place::Graph ? "graph" : std::string(heading(place));
}

// A member of JSON and a column of CSV: "p50", "p99.9".
std::string quantileKey(double quantile) { return fmt::format("p{:.6g}_ns", 100 * quantile); }

std::string_view title(GroupBy by) {
  switch (by) {
  case GroupBy::Region:
    return "time of each region";
  case GroupBy::Site:
    return "time of each place in the source";
  case GroupBy::Kernel:
    return "time of each kernel, copy and memset, by name";
  case GroupBy::Graph:
    return "time of the replays of each graph";
  case GroupBy::Step:
    return "time on the device in each step, a replay or a region outside graphs at a time";
  case GroupBy::Rank:
    return "time on the device of each process, a replay or a region outside graphs at a time";
  }
  return {};
}

std::string_view firstHeading(GroupBy by) {
  switch (by) {
  case GroupBy::Region:
    return "Region";
  case GroupBy::Site:
    return "Site";
  case GroupBy::Kernel:
    return "Kernel";
  case GroupBy::Graph:
    return "Graph";
  case GroupBy::Step:
    return "Step";
  case GroupBy::Rank:
    return "Process";
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

} // namespace

std::string_view word(GroupBy by) {
  switch (by) {
  case GroupBy::Region:
    return "region";
  case GroupBy::Site:
    return "site";
  case GroupBy::Kernel:
    return "kernel";
  case GroupBy::Graph:
    return "graph";
  case GroupBy::Step:
    return "step";
  case GroupBy::Rank:
    return "rank";
  }
  return {};
}

std::string runsText(const std::vector<RunFacts> &runs, std::string_view before) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunFacts &run = runs[i];
    if (i >= most && run.missing.empty())
      continue;
    std::string about;
    if (run.name() != run.file)
      about = run.name();
    if (!run.devices.empty())
      about += fmt::format("{}{}", about.empty() ? "" : ", ", fmt::join(run.devices, ", "));
    if (!run.driver.empty())
      about += (about.empty() ? "driver " : ", driver ") + run.driver;
    text += printable(fmt::format("{}{}{}{}", before, run.file, about.empty() ? "" : ": ", about));
    text += '\n';
    if (!run.missing.empty())
      text += printable(fmt::format("{}{}: {}", before, run.file, run.missing)) + '\n';
  }
  if (runs.size() > most)
    text += fmt::format("{}and {} more runs\n", before, runs.size() - most);
  return text;
}

std::string reportText(const Collected &all, GroupBy by, const std::vector<TableRow> &rows,
                       TableLook look, std::size_t mostGraphs) {
  std::string text = runsText(all.runs(), "");
  if (!rows.empty())
    text += fmt::format("{}\n", title(by));
  look.firstHeading = firstHeading(by);
  std::vector<TableRow> named = rows;
  for (TableRow &row : named)
    if (row.isNamed())
      row.name = shownName(row, by);
  if (!rows.empty())
    text += tableText(named, look) + belowTable(all.statistics(), rows);
  for (const std::string &sentence : remarks(all))
    text += printable(sentence) + '\n';
  for (const std::string &sentence : lossSentences(all.losses()))
    text += sentence + '\n';
  return text + insideText(all.insideKernels(), look.wholeNames) +
         graphMemoryText(all.graphMemory(), mostGraphs);
}

std::string markdownCell(std::string_view text) {
  std::string cell;
  for (const char c : printable(text)) {
    if (c == '|' || c == '`' || c == '*' || c == '_' || c == '<' || c == '[' || c == '\\')
      cell += '\\';
    cell += c;
  }
  return cell;
}

// Empty if nothing was measured.
static std::string graphMemoryMarkdown(const GraphMemoryRows &all) {
  if (all.empty())
    return {};
  std::string text = "\n**graphprof: what each graph took of the device's memory**\n\n|";
  std::string rule = "|";
  for (const std::string &heading : graphMemoryHeadings()) {
    text += fmt::format(" {} |", heading);
    rule += rule.size() == 1 ? " --- |" : " ---: |";
  }
  text += '\n' + rule + '\n';
  for (const Columns::Cells &row : graphMemoryCells(all, SIZE_MAX))
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
  text += '\n';
  for (const std::string &remark : graphMemoryRemarks(all))
    text += fmt::format("- {}\n", remark);
  return text;
}

std::string reportMarkdown(const Collected &all, GroupBy by, const std::vector<TableRow> &rows,
                           const std::vector<double> &quantiles) {
  std::string text = fmt::format("**graphprof: {}**\n\n| {} | Count | Total | Mean | Min |",
                                 title(by), firstHeading(by));
  for (const double quantile : quantiles)
    text += fmt::format(" {} |", quantileName(quantile));
  const bool paths = showsPaths(rows), busy = showsBusy(rows);
  text += " Max |";
  text += busy ? " Busy | Gap |" : "";
  text += fmt::format(" {} |", shareTitle(rows));
  text += paths ? " % of path | Slack |" : "";
  text += "\n| --- |";
  for (std::size_t i = 0; i < quantiles.size() + (paths ? 8 : 6) + (busy ? 2 : 0); ++i)
    text += " ---: |";
  text += '\n';
  auto out = std::back_inserter(text);
  for (const TableRow &row : rows) {
    const Distribution &durations = *row.durations;
    std::string name;
    for (int i = 0; i < row.depth; ++i)
      name += "&nbsp;&nbsp;";
    name += markdownCell(shownName(row, by));
    if (row.regions > 1 && !row.isRest)
      name += fmt::format(" ×{}", row.regions);
    if (row.place != Place::Graph)
      name += fmt::format(" ({})", heading(row.place));
    fmt::format_to(out, "| {} | {} |", name, durations.count());
    if (durations.empty()) {
      for (std::size_t i = 0; i < quantiles.size() + 4; ++i)
        fmt::format_to(out, " {} |", noValue);
    } else {
      const auto extreme = [&](std::int64_t ns) {
        return row.hasSpread() ? formatTime(static_cast<double>(ns)) : std::string(noValue);
      };
      fmt::format_to(out, " {} | {} | {} |", formatTime(static_cast<double>(durations.sumNs())),
                     formatTime(durations.meanNs()), extreme(durations.minNs()));
      for (const double quantile : quantiles)
        fmt::format_to(out, " {} |",
                       row.hasQuantiles()
                           ? formatTime(durations.quantileNs(quantile), durations.exact())
                           : std::string(noValue));
      fmt::format_to(out, " {} |", extreme(durations.maxNs()));
    }
    if (busy)
      fmt::format_to(out, " {} | {} |", timeOrNone(row.busy.ns), timeOrNone(row.busy.gapNs));
    fmt::format_to(out, " {} |", formatPercent(row.percent()));
    if (paths)
      fmt::format_to(out, " {} | {} |",
                     row.onPath ? formatPercent(row.onPath->percentOfPath()) : noValue,
                     row.onPath ? row.onPath->slack.text() : noValue);
    text += '\n';
  }
  text += '\n';
  text += runsText(all.runs(), "- ");
  for (const std::string &sentence : remarks(all))
    fmt::format_to(out, "- {}\n", markdownCell(sentence));
  for (const std::string &sentence : lossSentences(all.losses()))
    fmt::format_to(out, "- {}\n", sentence);
  return text + graphMemoryMarkdown(all.graphMemory());
}

// Of each kernel with regions inside, and of each of these.
static OrderedJson insideJson(const InsideKernels &inside) {
  const auto quantile = [](const Distribution &durations, double which) {
    return durations.empty() ? OrderedJson() : OrderedJson(durations.quantileNs(which));
  };
  const auto scopeJson = [](const InsideOfKernel::Scope &scope, std::size_t parent) {
    return OrderedJson{{"name", utf8(scope.name)},
                       {"source", utf8(fmt::format("{}:{}", scope.file, scope.line))},
                       {"inside", parent == KernelRun::none ? OrderedJson() : OrderedJson(parent)}};
  };
  const auto kernelJson = [&](const InsideKernels::Kernel &kernel, std::size_t launches,
                              bool isCold, const Distribution &durations, const Distribution &twin,
                              double ratio, OrderedJson regions) {
    return OrderedJson{
        {"name", utf8(kernel.name)},
        {"path", kernel.path.empty() ? OrderedJson() : OrderedJson(utf8(kernel.path))},
        {"launch",
         launches > 1 || kernel.launch.empty() ? OrderedJson() : OrderedJson(utf8(kernel.launch))},
        {"launches", launches},
        {"cold", isCold},
        {"count", durations.count()},
        {"p50_ns", quantile(durations, 0.5)},
        {"p95_ns", quantile(durations, 0.95)},
        {"twin_count", twin.count()},
        {"twin_p50_ns", quantile(twin, 0.5)},
        {"twin_per_kernel", ratio > 0 ? OrderedJson(ratio) : OrderedJson()},
        {"regions", std::move(regions)}};
  };
  OrderedJson list = OrderedJson::array();
  for (const std::vector<const InsideKernels::Kernel *> &launches : inside.byKernel()) {
    if (launches.size() > 1) {
      const LaunchesTogether all = together(launches);
      OrderedJson regions = OrderedJson::array();
      for (const LaunchesTogether::Region &region : all.regions) {
        OrderedJson one = scopeJson(region.scope, region.parent);
        one["percent_of_warps"] = region.percent;
        regions.push_back(std::move(one));
      }
      list.push_back(kernelJson(*launches.front(), launches.size(),
                                std::ranges::all_of(launches, &InsideKernels::Kernel::isCold),
                                all.kernel, all.twin, all.twinRatio(), std::move(regions)));
    }
    for (const InsideKernels::Kernel *const kernel : launches) {
      const InsideFigures &figures = kernel->shown();
      OrderedJson regions = OrderedJson::array();
      for (const InsideRegion &region : figures.regions) {
        OrderedJson one = scopeJson(region.scope, region.parent);
        one["warps"] = region.ofWarps.count();
        one["iterations"] = region.iterations;
        one["percent_of_warps"] = figures.percentOf(region);
        one["p50_ns"] = quantile(region.ofWarps, 0.5);
        one["p95_ns"] = quantile(region.ofWarps, 0.95);
        regions.push_back(std::move(one));
      }
      list.push_back(kernelJson(*kernel, 1, kernel->isCold(), figures.kernel, figures.twin,
                                figures.twinRatio(), std::move(regions)));
    }
  }
  return list;
}

// Of each graph on each device.
static OrderedJson graphMemoryJson(const GraphMemoryRows &all) {
  const auto orNull = [](const GraphMemoryFigures::Bytes &bytes) {
    return bytes ? OrderedJson(*bytes) : OrderedJson();
  };
  OrderedJson list = OrderedJson::array();
  for (const auto &[key, figures] : all.rows())
    list.push_back({{"run", key.run},
                    {"graph", key.graph > 0 ? OrderedJson(key.graph) : OrderedJson()},
                    {"device", key.device},
                    {"captures", figures.captures},
                    {"execs", figures.execs},
                    {"capture_bytes", orNull(figures.capture)},
                    {"instantiate_bytes", orNull(figures.instantiate)},
                    {"first_launch_bytes", orNull(figures.firstLaunch)},
                    {"update_and_upload_bytes", orNull(figures.other)},
                    {"total_bytes", figures.total()},
                    {"graph_pool_bytes", figures.poolBytes},
                    {"allocations", figures.allocations},
                    {"allocated_bytes", figures.allocatedBytes},
                    {"allocation_nodes", figures.nodes},
                    {"allocation_node_bytes", figures.nodeBytes},
                    {"graphprof_bytes", figures.ownBytes},
                    {"overlaps", figures.overlaps}});
  return list;
}

std::string reportJson(const Collected &all, GroupBy by, const std::vector<TableRow> &rows,
                       const std::vector<double> &quantiles) {
  const auto orNull = [](double figure) {
    return figure < 0 ? OrderedJson() : OrderedJson(figure);
  };
  OrderedJson document = {{"graphprof_report", 1}, {"group_by", word(by)}};
  document["runs"] = runsJson(all.runs());
  const ReplayTotals &replays = all.statistics().replays();
  const Distribution &lengths = replays.lengths().shown();
  document["replays"] = replays.count();
  document["cold_replays"] = replays.cold();
  document["replay_p50_ns"] =
      lengths.empty() ? OrderedJson() : OrderedJson(lengths.quantileNs(0.5));
  document["execs"] = replays.execs();
  document["graphs"] = replays.graphs();
  document["regions_outside_graphs"] = all.statistics().outsideGraphs();
  document["left_out"] = all.leftOut();
  OrderedJson &list = document["rows"] = OrderedJson::array();
  for (const TableRow &row : rows) {
    const Distribution &durations = *row.durations;
    const bool any = !durations.empty();
    const auto known = [any](auto figure) { return any ? OrderedJson(figure) : OrderedJson(); };
    OrderedJson one = {
        {"name", row.isRest ? OrderedJson() : OrderedJson(utf8(row.name))},
        {"path", row.isRest ? OrderedJson() : OrderedJson(utf8(row.path))},
        {"regions", row.regions},
        {"kind", word(row.kind)},
        {"where", placeWord(row.place)},
        {"cold", row.place == Place::Cold},
        {"depth", row.depth},
        {"source", row.source.empty() ? OrderedJson() : OrderedJson(utf8(row.source))},
        {"count", durations.count()},
        {"not_measured", row.notMeasured},
        {"total_ns", known(durations.sumNs())},
        {"mean_ns", known(durations.meanNs())},
        {"min_ns", row.hasSpread() ? OrderedJson(durations.minNs()) : OrderedJson()}};
    for (const double quantile : quantiles)
      one[quantileKey(quantile)] =
          row.hasQuantiles() ? OrderedJson(durations.quantileNs(quantile)) : OrderedJson();
    one["max_ns"] = row.hasSpread() ? OrderedJson(durations.maxNs()) : OrderedJson();
    addBusy(one, row.busy);
    one["rounded"] = row.hasQuantiles() && !durations.exact();
    one["percent_of_replay"] = orNull(row.percentOfReplay);
    one["percent_of_replays"] = orNull(row.percentOfReplays);
    one["gigabytes_per_s"] = orNull(row.gigabytesPerSecond);
    const bool hasSlack = row.onPath && row.onPath->slack.isClaimed();
    one["percent_of_path"] = row.onPath ? OrderedJson(row.onPath->percentOfPath()) : OrderedJson();
    one["slack_ns"] = hasSlack ? OrderedJson(row.onPath->slack.ns.quantileNs(0.5)) : OrderedJson();
    one["no_slack"] =
        row.onPath && !hasSlack ? OrderedJson(row.onPath->slack.whyNot()) : OrderedJson();
    list.push_back(std::move(one));
  }
  document["inside_kernels"] = insideJson(all.insideKernels());
  document["graph_memory"] = graphMemoryJson(all.graphMemory());
  return document.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

std::string reportCsv(const Collected &all, const std::vector<TableRow> &rows,
                      const std::vector<double> &quantiles) {
  std::string text = "path,name,regions,kind,where,depth,source,count,not_measured,total_ns,"
                     "mean_ns,min_ns";
  for (const double quantile : quantiles)
    text += ',' + quantileKey(quantile);
  text += ",max_ns,percent_of_replay,percent_of_replays,gigabytes_per_s,percent_of_path,slack_ns,"
          "no_slack," +
          csvBusyNames();
  auto out = std::back_inserter(text);
  const auto known = [](double figure) {
    return figure < 0 ? std::string() : fmt::format("{:.6g}", figure);
  };
  for (const TableRow &row : rows) {
    const Distribution &durations = *row.durations;
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{}", csvField(row.path),
                   csvField(row.isRest ? "(rest)" : row.name), row.regions, word(row.kind),
                   placeWord(row.place), row.depth, csvField(row.source), durations.count(),
                   row.notMeasured);
    if (durations.empty()) {
      text.append(quantiles.size() + 4, ',');
    } else {
      const auto extreme = [&](std::int64_t ns) {
        return row.hasSpread() ? fmt::format("{}", ns) : std::string();
      };
      fmt::format_to(out, ",{},{:.1f},{}", durations.sumNs(), durations.meanNs(),
                     extreme(durations.minNs()));
      for (const double quantile : quantiles)
        fmt::format_to(out, ",{}",
                       row.hasQuantiles() ? fmt::format("{:.1f}", durations.quantileNs(quantile))
                                          : std::string());
      fmt::format_to(out, ",{}", extreme(durations.maxNs()));
    }
    fmt::format_to(out, ",{},{},{}", known(row.percentOfReplay), known(row.percentOfReplays),
                   known(row.gigabytesPerSecond));
    const bool hasSlack = row.onPath && row.onPath->slack.isClaimed();
    fmt::format_to(out, ",{},{},{}", known(row.onPath ? row.onPath->percentOfPath() : -1),
                   hasSlack ? fmt::format("{:.1f}", row.onPath->slack.ns.quantileNs(0.5)) : "",
                   row.onPath && !hasSlack ? row.onPath->slack.whyNot() : "");
    text.append(",").append(csvBusyFields(row.busy));
  }
  for (const std::string &sentence : lossSentences(all.losses()))
    fmt::format_to(out, ",{},,loss{}\n", csvField(sentence),
                   std::string(quantiles.size() + 19, ','));
  return text;
}

} // namespace graphprof

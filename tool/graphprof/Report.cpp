// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof report: the figures of stored recordings.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "CommandLine.h"
#include "Commands.h"
#include "Screen.h"
#include "critical/CriticalFigures.h"
#include "critical/ShowCritical.h"
#include "figures/Render.h"
#include "output/FileKind.h"
#include "report/Collected.h"
#include "report/ShowReport.h"

namespace graphprof::tool {
namespace {

constexpr std::size_t usualRows = 25;

void sayOfReport(std::string_view text) { sayOf("graphprof report", text); }

struct Options {
  std::vector<std::string> files;
  std::string groupBy = "region", sort, filter, percentiles = "50,95";
  std::size_t top = 0;
  bool all = false, json = false, csv = false, markdown = false, criticalPath = false;
  std::vector<std::string> whatIf;
};

const std::map<std::string, GroupBy, std::less<>> groupings = {
    {"region", GroupBy::Region}, {"site", GroupBy::Site}, {"kernel", GroupBy::Kernel},
    {"graph", GroupBy::Graph},   {"step", GroupBy::Step}, {"rank", GroupBy::Rank}};

// "50,95,99.9" as 0.5, 0.95, 0.999; nothing if that is not what it is.
std::vector<double> quantilesOf(std::string_view text) {
  std::vector<double> quantiles;
  while (true) {
    const std::string_view one = text.substr(0, text.find(','));
    double percent = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), percent);
    constexpr double whole = 100;
    if (error != std::errc() || end != one.data() + one.size() || percent < 0 || percent > whole)
      return {};
    quantiles.push_back(percent / whole);
    if (one.size() == text.size())
      return quantiles;
    text.remove_prefix(one.size() + 1);
  }
}

// What rows are sorted by, descending; empty: there is no such column. A percentile is one of those
// that are shown.
std::function<double(const TableRow &)> keyOf(const std::string &sort,
                                              const std::vector<double> &quantiles) {
  const auto ofDurations = [](auto figure) {
    return [figure](const TableRow &row) { return static_cast<double>(figure(*row.durations)); };
  };
  if (sort == "total")
    return ofDurations([](const Distribution &all) { return all.sumNs(); });
  if (sort == "count")
    return ofDurations([](const Distribution &all) { return all.count(); });
  if (sort == "mean")
    return ofDurations([](const Distribution &all) { return all.meanNs(); });
  if (sort == "min")
    return ofDurations([](const Distribution &all) { return all.minNs(); });
  if (sort == "max")
    return ofDurations([](const Distribution &all) { return all.maxNs(); });
  if (sort == "percent")
    return [](const TableRow &row) { return row.percent(); };
  if (sort == "median")
    return ofDurations([](const Distribution &all) { return all.quantileNs(0.5); });
  for (const double quantile : quantiles)
    if (sort == fmt::format("p{:.6g}", 100 * quantile))
      return ofDurations([quantile](const Distribution &all) { return all.quantileNs(quantile); });
  return {};
}

// By row: the nearest row around it, or the number of rows.
std::vector<std::size_t> rowsAround(const std::vector<TableRow> &rows) {
  std::vector<std::size_t> around, open; // open: the last row of each depth
  for (std::size_t i = 0; i < rows.size(); ++i) {
    open.resize(std::min(open.size(), static_cast<std::size_t>(rows[i].depth)));
    around.push_back(open.empty() ? rows.size() : open.back());
    open.push_back(i);
  }
  return around;
}

// One row for each place, because times of two places have no mean. Adds up the outermost of what
// is left out.
std::vector<TableRow> restOf(const std::vector<TableRow> &rows,
                             const std::vector<std::size_t> &leftOut) {
  const std::vector<std::size_t> around = rowsAround(rows);
  std::vector<bool> isLeftOut(rows.size() + 1);
  for (const std::size_t i : leftOut)
    isLeftOut[i] = true;
  std::map<Place, std::vector<const TableRow *>> added;
  std::map<Place, std::size_t> count;
  for (const std::size_t i : leftOut) {
    ++count[rows[i].place];
    std::size_t at = around[i];
    while (at != rows.size() && !isLeftOut[at])
      at = around[at];
    if (at == rows.size())
      added[rows[i].place].push_back(&rows[i]);
  }
  std::vector<TableRow> rests;
  rests.reserve(added.size());
  for (const auto &[place, outermost] : added)
    rests.push_back(restRow(place, count[place], outermost));
  return rests;
}

std::vector<TableRow> rowsFor(const Options &options, const Collected &all, GroupBy by,
                              const std::vector<double> &quantiles) {
  const bool forPeople = !options.json && !options.csv;
  const bool isList = !options.filter.empty() || !options.sort.empty();
  const std::size_t most = options.top > 0             ? options.top
                           : forPeople && !options.all ? usualRows
                                                       : SIZE_MAX;
  if (by == GroupBy::Region && !isList)
    return tableRows(all.statistics(), {.fold = forPeople && !options.all,
                                        .longestFirst = !options.all && most != SIZE_MAX,
                                        .most = most,
                                        .paths = true});
  const std::vector<TableRow> rows = all.rows();
  const std::regex filter(options.filter);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].isOutside && (options.filter.empty() || std::regex_search(rows[i].path, filter)))
      shown.push_back(i);
  const bool byName = options.sort == "name";
  const auto key = keyOf(options.sort.empty() ? "total" : options.sort, quantiles);
  // Steps stay in their order, unless somebody asks for another.
  const bool sorted = options.sort != "order" && (key || byName) &&
                      !(options.sort.empty() && (by == GroupBy::Step || options.all || !forPeople));
  if (sorted && byName) {
    std::ranges::sort(shown, {},
                      [&](std::size_t i) { return std::pair(std::string_view(rows[i].path), i); });
  } else if (sorted) {
    std::vector<double> figures;
    figures.reserve(rows.size());
    for (const TableRow &row : rows)
      figures.push_back(key(row));
    std::ranges::sort(shown, {}, [&](std::size_t i) { return std::pair(-figures[i], i); });
  }
  std::vector<TableRow> rests;
  if (shown.size() > most) {
    rests = restOf(rows, {shown.begin() + static_cast<std::ptrdiff_t>(most), shown.end()});
    shown.resize(most);
  }
  std::vector<TableRow> result;
  for (const std::size_t i : shown) {
    TableRow &row = result.emplace_back(rows[i]);
    if (isList) { // without the regions around it, so it shows its path
      row.name = row.path;
      row.depth = 0;
    }
  }
  std::ranges::move(rests, std::back_inserter(result));
  if (options.filter.empty())
    std::ranges::copy_if(rows, std::back_inserter(result), &TableRow::isOutside);
  return result;
}

// Returns what is wrong with them.
std::string check(const Options &options, GroupBy by, std::vector<double> &quantiles) {
  if (static_cast<int>(options.json) + static_cast<int>(options.csv) +
          static_cast<int>(options.markdown) >
      1)
    return "--json, --csv and --markdown exclude each other";
  quantiles = quantilesOf(options.percentiles);
  if (quantiles.empty())
    return fmt::format("--percentiles {}: must be numbers from 0 to 100, separated by commas",
                       options.percentiles);
  if (!options.criticalPath && !options.whatIf.empty())
    return "--what-if needs --critical-path";
  if (!options.criticalPath && !options.sort.empty() && options.sort != "name" &&
      options.sort != "order" && !keyOf(options.sort, quantiles))
    return fmt::format("--sort {}: must be one of total, count, mean, min, median, max, percent, "
                       "name, order, or a percentile that is shown, such as p95",
                       options.sort);
  if (options.sort == "percent" && (by == GroupBy::Step || by == GroupBy::Rank))
    return fmt::format("--sort percent: a row of --group-by {} has no share of a replay; sort by "
                       "total",
                       options.groupBy);
  try {
    (void)std::regex(options.filter);
  } catch (const std::regex_error &error) {
    return fmt::format("--filter {}: is not a regular expression: {}", options.filter,
                       error.what());
  }
  return {};
}

// The newest recording in the current folder; empty: there is none. Of other files only the
// beginnings of newer ones are read.
std::string newestRecording() {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, std::string>> files;
  for (fs::directory_iterator each(".", error), end; !error && each != end; each.increment(error)) {
    std::error_code gone;
    const fs::file_time_type time =
        each->is_regular_file(gone) ? each->last_write_time(gone) : fs::file_time_type::min();
    if (!gone && time != fs::file_time_type::min())
      files.emplace_back(time, each->path().filename().native());
  }
  std::ranges::sort(files, std::ranges::greater());
  const auto newest = std::ranges::find_if(
      files, [](const auto &file) { return isRecording(headOf(file.second)); });
  return newest == files.end() ? std::string() : newest->second;
}

// Reads the files, and says which runs lack something where what is printed cannot say it. False: a
// file cannot be read.
bool readAll(const Options &options, Recordings &recordings, RecordingsListener &all,
             const std::vector<RunFacts> &runs) {
  try {
    recordings.read(options.files, all);
  } catch (const UnreadableRecording &error) {
    sayOfReport(error.why);
    return false;
  }
  if (options.json || options.csv)
    for (const RunFacts &run : runs)
      if (!run.missing.empty())
        sayOfReport(fmt::format("{}: {}", run.file, run.missing));
  return true;
}

const std::map<std::string, CriticalLook::Sort, std::less<>> pathOrders = {
    {"", CriticalLook::Sort::Path},
    {"percent", CriticalLook::Sort::Path},
    {"slack", CriticalLook::Sort::Slack},
    {"name", CriticalLook::Sort::Name},
    {"order", CriticalLook::Sort::Order}};

int reportCriticalPath(const Options &options, GroupBy by) {
  const auto sort = pathOrders.find(options.sort);
  std::string wrong;
  if (by != GroupBy::Region && by != GroupBy::Kernel)
    wrong = fmt::format("--group-by {}: must be region or kernel with --critical-path",
                        options.groupBy);
  else if (sort == pathOrders.end())
    wrong = fmt::format("--sort {}: must be one of percent, slack, name, order with "
                        "--critical-path",
                        options.sort);
  std::vector<WhatIf> whatIf;
  for (const std::string &text : options.whatIf)
    try {
      whatIf.push_back(WhatIf::parse(text));
    } catch (const std::invalid_argument &error) {
      wrong = fmt::format("--what-if {}: {}", text, error.what());
    }
  if (!wrong.empty()) {
    sayOfReport(wrong);
    return usageError;
  }
  Recordings recordings;
  CriticalFigures all(by == GroupBy::Kernel ? CriticalFigures::By::Kernel
                                            : CriticalFigures::By::Region,
                      std::move(whatIf));
  if (!readAll(options, recordings, all, all.runs()))
    return usageError;
  if (all.graphs().empty()) {
    sayOfReport(all.untimed() > 0
                    ? "no recording holds the times of a graph's nodes; record with "
                      "GRAPHPROF_NODES=1. Graphs with memory or conditional nodes are timed in "
                      "place, by region only"
                : all.inParts() > 0
                    ? "no replay was recorded whole, only in parts; record with GRAPHPROF_PARTS=1"
                    : "no recording holds the edges of a graph; record with GRAPHPROF_NODES=1");
    return usageError;
  }
  CriticalLook look;
  look.sort = sort->second;
  look.filter = options.filter;
  look.most = options.top > 0                              ? options.top
              : options.all || options.json || options.csv ? SIZE_MAX
                                                           : usualRows;
  if (options.all && options.sort.empty())
    look.sort = CriticalLook::Sort::Order;
  return printWhole(options.json       ? jsonText(criticalJson(all, look))
                    : options.csv      ? asCsv(criticalTable(all, look))
                    : options.markdown ? asMarkdown(criticalDocument(all, look))
                                       : asText(criticalDocument(all, look), screenWidth()))
             ? 0
             : usageError;
}

void declareReport(CLI::App &app, Options &options) {
  app.add_option("FILE", options.files, "what to read (usually the newest in this folder)");
  app.add_option("--group-by", options.groupBy,
                 "region, site, kernel, graph, step or rank: what a row is")
      ->type_name("WHAT");
  app.add_option("--sort", options.sort,
                 "list rows by total, count, mean, min, median, p95, max, percent, name or order")
      ->type_name("COLUMN");
  app.add_option("--filter", options.filter,
                 "list only rows whose path matches this regular expression")
      ->type_name("REGEX");
  addTop(app, options.top, "show this many rows (usually 25), the rest in one line");
  app.add_flag("--all", options.all, "show each region in a row of its own, in their order");
  app.add_option("--percentiles", options.percentiles,
                 "which percentiles are shown, such as 50,90,99.9 (usually 50,95)")
      ->type_name("LIST");
  app.add_flag(
      "--critical-path", options.criticalPath,
      "show what the replays' length depends on: the critical path through each graph, and "
      "the slack of its nodes and regions");
  app.add_option("--what-if", options.whatIf,
                 "with --critical-path: how long replays would be if the nodes whose paths match "
                 "took another time, such as 'attention=-20%'")
      ->type_name("REGEX=PERCENT")
      ->allow_extra_args(false);
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--csv", options.csv, "print CSV");
  app.add_flag("--markdown", options.markdown, "print a table in Markdown");
}

} // namespace

int report(const std::vector<std::string> &arguments) {
  Options options;
  CLI::App app{
      "Shows the figures of recordings, which are binary files. Several files are added up.",
      "graphprof report"};
  app.footer("Exit status: 0 shown; 2 a file cannot be read, or called wrongly.");
  declareReport(app, options);
  std::vector<double> quantiles;
  if (const auto status = parse(app, arguments))
    return *status;
  const auto by = groupings.find(options.groupBy);
  std::string wrong =
      by == groupings.end()
          ? fmt::format("--group-by {}: must be region, site, kernel, graph, step or rank",
                        options.groupBy)
          : check(options, by->second, quantiles);
  const bool newest = options.files.empty();
  if (wrong.empty() && newest) {
    options.files.push_back(newestRecording());
    if (options.files.front().empty())
      wrong = "no recording in this folder; name one, or make one: graphprof run -o run.gprof -- "
              "PROGRAM";
  }
  if (!wrong.empty()) {
    sayOfReport(wrong);
    return usageError;
  }
  if (newest)
    sayOfReport(fmt::format("{}, the newest recording in this folder", options.files.front()));

  if (options.criticalPath)
    return reportCriticalPath(options, by->second);
  Recordings recordings;
  Collected all(by->second);
  if (!readAll(options, recordings, all, all.runs()))
    return usageError;
  all.finish();
  const std::vector<TableRow> rows = rowsFor(options, all, by->second, quantiles);
  if (rows.empty() && all.graphMemory().empty()) {
    sayOfReport(fmt::format("nothing to show by {}{}", options.groupBy,
                            !options.filter.empty()         ? ": no path matches --filter"
                            : by->second == GroupBy::Kernel ? "; record with GRAPHPROF_NODES=1"
                                                            : ""));
    return usageError;
  }
  TableLook look;
  look.width = std::max(screenWidth(), std::size_t{0});
  look.wholeNames = look.width == 0;
  look.quantiles = quantiles;
  look.distribution = true;
  look.ascii = !screenShowsUtf8();
  const std::size_t mostGraphs = options.top > 0                  ? options.top
                                 : options.all || look.width == 0 ? SIZE_MAX
                                                                  : usualRows;
  return printWhole(options.json       ? jsonText(reportJson(all, by->second, rows, quantiles))
                    : options.csv      ? asCsv(reportTable(all, rows, quantiles))
                    : options.markdown ? asMarkdown(reportDocument(all, by->second, rows, look))
                                       : reportText(all, by->second, rows, look, mostGraphs))
             ? 0
             : usageError;
}

} // namespace graphprof::tool

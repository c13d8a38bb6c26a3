// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/table/Table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/Output.h"
#include "output/data/LossText.h"
#include "output/io/Columns.h"
#include "output/io/Text.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

constexpr std::size_t maxNameWidth = 55; // as in torch.profiler
constexpr std::size_t columnWidth = 12;

// Columns that appear only if a row has a value for them.
struct Optional {
  bool bandwidth = false, overlap = false, notMeasured = false;

  explicit Optional(const std::vector<const RegionStatistics *> &regions) {
    for (const RegionStatistics *region : regions) {
      bandwidth = bandwidth || region->movedBytes > 0;
      overlap = overlap || region->isCopy;
      notMeasured = notMeasured || region->notMeasured > 0;
    }
  }
  [[nodiscard]] std::vector<std::string> titles() const {
    std::vector<std::string> all = {"Count",  "Total", "Mean", "Min",
                                    "Median", "P95",   "Max",  "% of replay"};
    if (bandwidth)
      all.emplace_back("GB/s");
    if (overlap)
      all.emplace_back("Overlapped");
    if (notMeasured)
      all.emplace_back("Not measured");
    return all;
  }
};

// Indented below a heading, no deeper than the name column, and cut to it.
std::string nameOf(const RegionStatistics &region) {
  const int indent = 2 * std::min(region.depth, static_cast<int>(maxNameWidth)) +
                     (region.place == Place::Graph ? 0 : 2);
  std::string name = fmt::format("{:{}}{}", "", indent, printable(region.name));
  return codePoints(name) > maxNameWidth ? fmt::format("{:.{}}...", name, maxNameWidth - 3) : name;
}

Columns::Cells cellsOf(const RegionStatistics &region, const Optional &columns) {
  Columns::Cells cells = {nameOf(region)};
  const Distribution &durations = region.durations;
  cells.push_back(std::to_string(durations.count()));
  if (durations.count() == 0) {
    cells.resize(cells.size() + 7, std::string(noValue));
  } else {
    cells.insert(cells.end(), {formatTime(static_cast<double>(durations.sumNs())),
                               formatTime(durations.meanNs()),
                               formatTime(static_cast<double>(durations.minNs())),
                               formatTime(durations.quantileNs(0.5), durations.exact()),
                               formatTime(durations.quantileNs(0.95), durations.exact()),
                               formatTime(static_cast<double>(durations.maxNs())),
                               formatPercent(region.percentOfReplay())});
  }
  if (columns.bandwidth) {
    const double moved = region.gigabytesPerSecond();
    cells.push_back(moved < 0 ? std::string(noValue) : fmt::format("{:.3f}", moved));
  }
  if (columns.overlap)
    cells.push_back(formatPercent(region.percentOverlapped()));
  if (columns.notMeasured)
    cells.push_back(std::to_string(region.notMeasured));
  return cells;
}

std::string_view heading(Place place) {
  switch (place) {
  case Place::Graph:
    break; // comes first, without one
  case Place::Cold:
    return "in cold replays only";
  case Place::Eager:
    return "outside graphs";
  case Place::Host:
    return "host time only";
  }
  return {};
}

std::string tableOf(const std::vector<const RegionStatistics *> &regions) {
  const Optional optional(regions);
  std::vector<Columns::Cells> rows;
  Place place = Place::Graph;
  for (const RegionStatistics *region : regions) {
    if (region->depth == 0 && region->place != place) {
      place = region->place;
      rows.push_back({std::string(heading(place))});
    }
    rows.push_back(cellsOf(*region, optional));
  }
  Column name{"Region", 0, true};
  std::size_t longest = codePoints(name.heading);
  for (const Columns::Cells &row : rows)
    longest = std::max(longest, codePoints(row.front()));
  name.width = std::min(longest + 4, maxNameWidth);
  std::vector<Column> columns = {std::move(name)};
  for (const std::string &title : optional.titles())
    columns.push_back({title, columnWidth});
  Columns table(std::move(columns));
  table.rule();
  table.headings();
  table.rule();
  for (const Columns::Cells &row : rows)
    table.line(row);
  table.rule();
  return std::move(table).text();
}

void appendReplays(std::string &text, const Statistics &statistics,
                   const std::vector<const RegionStatistics *> &regions) {
  auto out = std::back_inserter(text);
  if (statistics.replays() > 0) {
    fmt::format_to(out, "{} of {} of {}", counted(statistics.replays(), "replay", "replays"),
                   counted(statistics.execs(), "exec", "execs"),
                   counted(statistics.graphs(), "graph", "graphs"));
    if (const Distribution &spans = statistics.spans().shown(); !spans.empty())
      fmt::format_to(out, ", {} each in the median{}",
                     formatTime(spans.quantileNs(0.5), spans.exact()),
                     statistics.spans().isCold() ? coldMark : "");
    text += '\n';
  }
  if (statistics.coldReplays() > 0)
    text += coldLine(statistics.coldReplays(),
                     std::any_of(regions.begin(), regions.end(),
                                 [](const auto *region) { return region->place == Place::Cold; }));
  if (statistics.outsideGraphs() > 0)
    fmt::format_to(out, "{} timed outside graphs\n",
                   counted(statistics.outsideGraphs(), "region", "regions"));
  if (!statistics.spans().shown().exact() ||
      std::any_of(regions.begin(), regions.end(),
                  [](const auto *region) { return !region->durations.exact(); }))
    text += Distribution::roundedLine("Median and P95");
}

} // namespace

std::string formatTable(const Statistics &statistics, const Losses &losses,
                        const NotRecorded &notRecorded) {
  std::string text = "graphprof: ";
  const auto regions = statistics.regions();
  if (statistics.replays() == 0 && regions.empty()) {
    text += printable(notRecorded.nothing()) + '\n';
  } else {
    text += "time of each region\n";
    text += tableOf(regions);
    appendReplays(text, statistics, regions);
    if (!notRecorded.below().empty())
      text += printable(notRecorded.below()) + '\n';
  }
  if (statistics.leftOut() > 0)
    fmt::format_to(std::back_inserter(text),
                   "{} not in this table: it tells {} rows apart; give regions fewer names, or "
                   "add up nodes by name (key_averages)\n",
                   counted(statistics.leftOut(), "record", "records"), Statistics::maxRegions);
  for (const std::string &sentence : lossSentences(losses))
    text += sentence + '\n';
  return text;
}

std::string Table::write(const Batch &batch) {
  statistics_.add(batch);
  for (const Batch::Note &note : batch.notes)
    notRecorded_.take(note.key, note.json);
  for (const std::string &remark : batch.remarks)
    remarks_ += printable(remark) + '\n';
  return {};
}

std::string Table::close(const Losses &losses) {
  statistics_.finish();
  std::string failed = stream_.write(formatTable(statistics_, losses, notRecorded_) + remarks_);
  const std::string closing = stream_.close();
  return failed.empty() ? closing : failed;
}

constinit const Format formats::table = {
    .word = "table",
    .toStderr = true,
    .items = "table:PATH",
    .mode = WriteMode::AtEnd,
    .make = [](const Request &, const WriterSettings &settings) -> std::unique_ptr<BatchWriter> {
      return std::make_unique<Table>(settings.path, settings.maxRecords);
    },
};

} // namespace graphprof

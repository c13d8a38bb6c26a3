// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/MakeOutput.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "output/Streamed.h"
#include "output/formats/binary/Binary.h"
#include "output/formats/chrome_trace/ChromeTrace.h"
#include "output/formats/csv/Csv.h"
#include "output/formats/graph/GraphPicture.h"
#include "output/formats/json_lines/JsonLines.h"
#include "output/formats/key_averages/AveragesOutput.h"
#include "output/formats/replays/Replays.h"
#include "output/formats/sqlite/Sqlite.h"
#include "output/formats/table/Table.h"
#include "output/io/FileName.h"
#include "output/io/Gzip.h"
#include "output/io/NearMiss.h"
#include "output/statistics/AverageTable.h"

namespace graphprof {

namespace {

enum class Format : unsigned char {
  Table,
  KeyAverages,
  Replays,
  ChromeTrace,
  Sqlite,
  Csv,
  JsonLines,
  Binary,
  Graph,
  Steps
};

struct Wish {
  Format format = Format::Table;
  std::string path; // empty: standard error
  table_options averages = AveragesOutput::defaults();
  std::string wrong; // why there is no such output, although the format is known
};

Wish wishFor(Format format, std::string_view path) {
  Wish wish;
  wish.format = format;
  wish.path = path;
  return wish;
}

struct Ending {
  std::string_view text;
  Format format;
};
constexpr Ending endings[] = {{".json", Format::ChromeTrace}, {".json.gz", Format::ChromeTrace},
                              {".db", Format::Sqlite},        {".sqlite", Format::Sqlite},
                              {".sqlite3", Format::Sqlite},   {".csv", Format::Csv},
                              {".jsonl", Format::JsonLines},  {".gprof", Format::Binary},
                              {".dot", Format::Graph},        {".svg", Format::Graph}};

constexpr std::string_view averages = "key_averages";

// One of "+statistics", "+sort_by=p99", "+row_limit=10", without the sign.
std::string readOption(table_options &options, std::string_view option) {
  constexpr std::string_view sortBy = "sort_by=", rowLimit = "row_limit=", timeUnit = "time_unit=";
  if (option == "statistics") {
    options.statistics = true;
    return {};
  }
  if (option == "top_level_events_only") {
    options.top_level_events_only = true;
    return {};
  }
  if (option.starts_with(timeUnit)) {
    options.time_unit = option.substr(timeUnit.size());
    return isTimeUnit(options.time_unit)
               ? std::string()
               : fmt::format("time_unit={}: must be s, ms or us", options.time_unit);
  }
  if (option.starts_with(sortBy)) {
    options.sort_by = option.substr(sortBy.size());
    return canSortBy(options.sort_by)
               ? std::string()
               : fmt::format("{} is none of {}", options.sort_by, sortKeys());
  }
  if (option.starts_with(rowLimit)) {
    const std::string_view number = option.substr(rowLimit.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), options.row_limit);
    return error == std::errc() && end == number.data() + number.size()
               ? std::string()
               : fmt::format("row_limit={}: must be a whole number; negative: all rows", number);
  }
  return fmt::format("{} is none of statistics, sort_by=COLUMN, row_limit=N, "
                     "time_unit=UNIT, top_level_events_only",
                     option);
}

// What comes behind "key_averages".
std::optional<Wish> parseAverages(std::string_view rest) {
  Wish wish = wishFor(Format::KeyAverages, {});
  while (rest.starts_with('+')) {
    const std::string_view option = rest.substr(1, rest.find_first_of("+:", 1) - 1);
    rest.remove_prefix(1 + option.size());
    if (std::string wrong = readOption(wish.averages, option); wish.wrong.empty())
      wish.wrong = std::move(wrong);
  }
  if (rest.size() == 1 || (!rest.empty() && rest.front() != ':'))
    return std::nullopt;
  wish.path = rest.substr(std::min<std::size_t>(1, rest.size()));
  return wish;
}

std::optional<Wish> parse(std::string_view item) {
  const auto named = [item](std::string_view name) { return item == name; };
  const auto withPath = [item](std::string_view prefix) {
    return item.starts_with(prefix) && item.size() > prefix.size();
  };
  if (named("table"))
    return wishFor(Format::Table, {});
  if (named(averages) || withPath("key_averages:") || withPath("key_averages+"))
    return parseAverages(item.substr(averages.size()));
  if (named("replays"))
    return wishFor(Format::Replays, {});
  if (withPath("table:"))
    return wishFor(Format::Table, item.substr(6));
  if (withPath("replays:"))
    return wishFor(Format::Replays, item.substr(8));
  if (withPath("graph:"))
    return wishFor(Format::Graph, item.substr(6));
  if (withPath("steps:"))
    return wishFor(Format::Steps, item.substr(6));
  for (const Ending &ending : endings)
    if (item.ends_with(ending.text))
      return wishFor(ending.format, item);
  return std::nullopt;
}

std::unique_ptr<BatchWriter> makeWriter(const Wish &wish, const std::string &path, const Run &run,
                                        bool hostSpans) {
  switch (wish.format) {
  case Format::Sqlite:
    return makeSqlite(path, run);
  case Format::Csv:
    return std::make_unique<Csv>(path);
  case Format::JsonLines:
    return std::make_unique<JsonLines>(path, run);
  case Format::Binary:
    return std::make_unique<Binary>(path, run, hostSpans);
  case Format::Steps:
    return makeStepSqlite(path, run);
  case Format::Table:
  case Format::KeyAverages:
  case Format::Replays:
  case Format::ChromeTrace:
  case Format::Graph:
    break;
  }
  return nullptr;
}

} // namespace

std::string pathOf(std::string_view item, const Run &run) {
  const std::optional<Wish> wish = parse(item);
  return wish ? expandPath(wish->path, run) : std::string();
}

std::string whyNoOutput(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  if (!wish) {
    constexpr std::array<std::string_view, 4> words = {"table", averages, "replays", "steps"};
    return fmt::format("must be a list of {}{}", outputItems,
                       didYouMean(item.substr(0, item.find_first_of(":+")), words));
  }
  if (!wish->wrong.empty())
    return wish->wrong;
  if (const std::string_view word = unknownPlaceholder(wish->path); !word.empty())
    return fmt::format("{} is none of {}", word, placeholders);
  if (wish->format == Format::Graph && !graphFormOf(wish->path))
    return "must end in .dot, .svg or .json";
  if (wish->path.ends_with(".gz") && !Gzip::builtIn())
    return "graphprof is built without zlib";
  if ((wish->format == Format::Sqlite || wish->format == Format::Steps) && !sqliteBuiltIn())
    return "graphprof is built without SQLite";
  return {};
}

bool isWrittenWhole(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  return wish && (wish->format == Format::Table || wish->format == Format::KeyAverages ||
                  wish->format == Format::ChromeTrace || wish->format == Format::Graph);
}

bool writesToStderr(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  return wish && wish->path.empty();
}

bool drawsGraphs(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  return wish && wish->format == Format::Graph;
}

std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords, const Run &run,
                                   HostSpansFor hostSpans) {
  const std::optional<Wish> wish = parse(item);
  if (!wish || !wish->wrong.empty())
    return nullptr;
  std::string path = expandPath(wish->path, run);
  switch (wish->format) {
  case Format::Table:
    return std::make_unique<Table>(path, maxRecords);
  case Format::KeyAverages:
    return std::make_unique<AveragesOutput>(
        path.empty() ? std::string(item)
                     : fmt::format("{}:{}", item.substr(0, item.find(':')), path),
        path, wish->averages, maxRecords, hostSpans != HostSpansFor::None);
  case Format::Replays:
    return std::make_unique<Replays>(path);
  case Format::ChromeTrace:
    return std::make_unique<ChromeTrace>(path, maxRecords, run, OfOthers::Spared);
  case Format::Graph: {
    const std::optional<GraphForm> form = graphFormOf(path);
    return form ? std::make_unique<GraphPicture>(std::move(path), *form, maxRecords,
                                                 OfOthers::Spared)
                : nullptr;
  }
  default:
    break;
  }
  // A record a line is all that CSV is, and steps are host spans.
  const bool spans = wish->format == Format::Steps ||
                     (hostSpans == HostSpansFor::All && wish->format != Format::Csv);
  std::unique_ptr<BatchWriter> writer = makeWriter(*wish, path, run, spans);
  if (!writer)
    return nullptr;
  return std::make_unique<Streamed>(std::move(path), std::move(writer), maxRecords,
                                    Streamed::defaultPatience, spans);
}

} // namespace graphprof

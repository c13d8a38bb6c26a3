// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/MakeOutput.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "output/AveragesOutput.h"
#include "output/Binary.h"
#include "output/ChromeTrace.h"
#include "output/Csv.h"
#include "output/FileName.h"
#include "output/GraphPicture.h"
#include "output/Gzip.h"
#include "output/JsonLines.h"
#include "output/Replays.h"
#include "output/Sqlite.h"
#include "output/Streamed.h"
#include "output/Table.h"

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
  Graph
};

struct Wish {
  Format format;
  std::string path; // empty: standard error
};

struct Ending {
  std::string_view text;
  Format format;
};
constexpr Ending endings[] = {{".json", Format::ChromeTrace}, {".json.gz", Format::ChromeTrace},
                              {".db", Format::Sqlite},        {".sqlite", Format::Sqlite},
                              {".sqlite3", Format::Sqlite},   {".csv", Format::Csv},
                              {".jsonl", Format::JsonLines},  {".gprof", Format::Binary},
                              {".dot", Format::Graph},        {".svg", Format::Graph}};

std::optional<Wish> parse(std::string_view item) {
  const auto named = [item](std::string_view name) { return item == name; };
  const auto withPath = [item](std::string_view prefix) {
    return item.starts_with(prefix) && item.size() > prefix.size();
  };
  if (named("table"))
    return Wish{Format::Table, {}};
  if (named("key_averages"))
    return Wish{Format::KeyAverages, {}};
  if (withPath("key_averages:"))
    return Wish{Format::KeyAverages, std::string(item.substr(13))};
  if (named("replays"))
    return Wish{Format::Replays, {}};
  if (withPath("table:"))
    return Wish{Format::Table, std::string(item.substr(6))};
  if (withPath("replays:"))
    return Wish{Format::Replays, std::string(item.substr(8))};
  if (withPath("graph:"))
    return Wish{Format::Graph, std::string(item.substr(6))};
  for (const Ending &ending : endings)
    if (item.ends_with(ending.text))
      return Wish{ending.format, std::string(item)};
  return std::nullopt;
}

std::unique_ptr<BatchWriter> makeWriter(const Wish &wish, const std::string &path, const Run &run) {
  switch (wish.format) {
  case Format::Sqlite:
    return makeSqlite(path, run);
  case Format::Csv:
    return std::make_unique<Csv>(path);
  case Format::JsonLines:
    return std::make_unique<JsonLines>(path, run);
  case Format::Binary:
    return std::make_unique<Binary>(path, run);
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

std::string whyNoOutput(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  if (!wish)
    return fmt::format("must be a list of {}", outputItems);
  if (const std::string_view word = unknownPlaceholder(wish->path); !word.empty())
    return fmt::format("{} is none of {}", word, placeholders);
  if (wish->format == Format::Graph && !graphFormOf(wish->path))
    return "must end in .dot, .svg or .json";
  if (wish->path.ends_with(".gz") && !Gzip::builtIn())
    return "graphprof is built without zlib";
  if (wish->format == Format::Sqlite && !sqliteBuiltIn())
    return "graphprof is built without SQLite";
  return {};
}

bool isWrittenWhole(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  return wish && (wish->format == Format::Table || wish->format == Format::KeyAverages ||
                  wish->format == Format::ChromeTrace || wish->format == Format::Graph);
}

bool drawsGraphs(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  return wish && wish->format == Format::Graph;
}

std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords, const Run &run) {
  const std::optional<Wish> wish = parse(item);
  if (!wish)
    return nullptr;
  std::string path = expandPath(wish->path, run);
  switch (wish->format) {
  case Format::Table:
    return std::make_unique<Table>(path, maxRecords);
  case Format::KeyAverages:
    return std::make_unique<AveragesOutput>(path, maxRecords);
  case Format::Replays:
    return std::make_unique<Replays>(path);
  case Format::ChromeTrace:
    return std::make_unique<ChromeTrace>(path, maxRecords, run);
  case Format::Graph: {
    const std::optional<GraphForm> form = graphFormOf(path);
    return form ? std::make_unique<GraphPicture>(std::move(path), *form, maxRecords) : nullptr;
  }
  default:
    break;
  }
  std::unique_ptr<BatchWriter> writer = makeWriter(*wish, path, run);
  if (!writer)
    return nullptr;
  return std::make_unique<Streamed>(std::move(path), std::move(writer), maxRecords);
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/MakeOutput.h"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "output/ChromeTrace.h"
#include "output/FileName.h"
#include "output/Gzip.h"
#include "output/Replays.h"
#include "output/Table.h"

namespace graphprof {

namespace {

enum class Format : unsigned char { Table, Replays, ChromeTrace };

struct Wish {
  Format format;
  std::string path; // empty: standard error
};

std::optional<Wish> parse(std::string_view item) {
  const auto named = [item](std::string_view name) { return item == name; };
  const auto withPath = [item](std::string_view prefix) {
    return item.starts_with(prefix) && item.size() > prefix.size();
  };
  if (named("table"))
    return Wish{Format::Table, {}};
  if (named("replays"))
    return Wish{Format::Replays, {}};
  if (withPath("table:"))
    return Wish{Format::Table, std::string(item.substr(6))};
  if (withPath("replays:"))
    return Wish{Format::Replays, std::string(item.substr(8))};
  if (item.ends_with(".json") || item.ends_with(".json.gz"))
    return Wish{Format::ChromeTrace, std::string(item)};
  return std::nullopt;
}

} // namespace

std::string whyNoOutput(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  if (!wish)
    return fmt::format("must be a list of {}", outputItems);
  if (const std::string_view word = unknownPlaceholder(wish->path); !word.empty())
    return fmt::format("{} is none of {}", word, placeholders);
  if (wish->path.ends_with(".gz") && !Gzip::builtIn())
    return "graphprof is built without zlib";
  return {};
}

bool isWrittenWhole(std::string_view item) {
  const std::optional<Wish> wish = parse(item);
  return wish && (wish->format == Format::Table || wish->format == Format::ChromeTrace);
}

std::unique_ptr<Output> makeOutput(std::string_view item, std::size_t maxRecords) {
  const std::optional<Wish> wish = parse(item);
  if (!wish)
    return nullptr;
  switch (wish->format) {
  case Format::Table:
    return std::make_unique<Table>(wish->path, maxRecords);
  case Format::Replays:
    return std::make_unique<Replays>(wish->path);
  case Format::ChromeTrace:
    return std::make_unique<ChromeTrace>(wish->path, maxRecords);
  }
  return nullptr;
}

} // namespace graphprof

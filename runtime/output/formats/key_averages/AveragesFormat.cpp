// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Key averages as an item of GRAPHPROF_OUTPUT: reads table_options from text.

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "output/Format.h"
#include "output/formats/key_averages/AveragesWriter.h"
#include "output/statistics/AverageTable.h"

namespace graphprof {

namespace {

// Reads one of "statistics", "sort_by=p99", "row_limit=10". Returns what is wrong with it.
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
               : fmt::format("{} is not one of {}", options.sort_by, sortKeys());
  }
  if (option.starts_with(rowLimit)) {
    const std::string_view number = option.substr(rowLimit.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), options.row_limit);
    return error == std::errc() && end == number.data() + number.size()
               ? std::string()
               : fmt::format("row_limit={}: must be a whole number; negative: all rows", number);
  }
  return fmt::format("{} is not one of statistics, sort_by=COLUMN, row_limit=N, "
                     "time_unit=UNIT, top_level_events_only",
                     option);
}

// Reads "+statistics+row_limit=10". Returns what is wrong with the first wrong option.
std::string readOptions(table_options &options, std::string_view text) {
  while (!text.empty()) {
    const std::string_view option = text.substr(1, text.find('+', 1) - 1);
    text.remove_prefix(1 + option.size());
    if (std::string wrong = readOption(options, option); !wrong.empty())
      return wrong;
  }
  return {};
}

std::string checkOptions(std::string_view text) {
  table_options options = AveragesWriter::defaults();
  return readOptions(options, text);
}

std::unique_ptr<BatchWriter> make(const Request &request, const WriterSettings &settings) {
  table_options options = AveragesWriter::defaults();
  (void)readOptions(options, request.options); // checked before
  return std::make_unique<AveragesWriter>(settings.path, std::move(options), settings.maxRecords,
                                          settings.hostSpans);
}

} // namespace

constinit const Format formats::keyAverages = {
    .word = "key_averages",
    .toStderr = true,
    .items = "key_averages:PATH",
    .mode = WriteMode::AtEnd,
    .hostSpans = ShowsHostSpans::IfAny,
    .showsMemory = true,
    .wrote = [](std::string_view head) { return head.starts_with("-----") || beginsAsLine(head); },
    .checkOptions = checkOptions,
    .make = make,
};

} // namespace graphprof

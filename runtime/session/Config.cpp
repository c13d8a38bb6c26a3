// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Config.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "output/MakeOutput.h"

namespace graphprof {

namespace {

constexpr std::int64_t maxRingDepth = 1'048'576;
constexpr std::int64_t maxMaxQueue = 100'000'000;
constexpr std::int64_t maxMaxRecords = 1'000'000'000;
constexpr std::int64_t maxMaxRegions = 10'000'000;
constexpr std::int64_t shortestMaxName = 16, longestMaxName = 1'048'576;
constexpr std::int64_t maxExitTimeoutMs = 3'600'000;

using Complaints = std::vector<std::string>;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// A value as a message shows it: not endless.
std::string shown(std::string_view value) {
  constexpr std::size_t most = 100;
  return value.size() <= most ? std::string(value) : fmt::format("{}...", value.substr(0, most));
}

void complain(Complaints &complaints, std::string_view name, std::string_view value,
              std::string_view allowed, std::string_view taken) {
  complaints.push_back(
      fmt::format("{}={}: must be {}; taking {}", name, shown(value), allowed, taken));
}

template <class Number>
void readNumber(Number &number, std::string_view name, const char *value, std::int64_t lowest,
                std::int64_t highest, std::string_view meaning, Complaints &complaints) {
  if (!value)
    return;
  const std::string_view text = trimmed(value);
  if (text.empty())
    return;
  std::int64_t read = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || end != text.data() + text.size() || read < lowest || read > highest)
    return complain(complaints, name, text,
                    fmt::format("a whole number from {} to {}{}", lowest, highest, meaning),
                    std::to_string(number));
  number = static_cast<Number>(read);
}

void readSwitch(bool &on, std::string_view name, const char *value, Complaints &complaints) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  if (text == "0" || text == "1")
    on = text == "1";
  else if (!text.empty())
    complain(complaints, name, text, "0 or 1", on ? "1" : "0");
}

void readClock(Config &config, const char *value) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  if (text == "stamp")
    config.clock = ClockChoice::Stamp;
  else if (text == "event")
    config.clock = ClockChoice::Event;
  else if (!text.empty() && text != "auto")
    complain(config.complaints, "GRAPHPROF_CLOCK", text, "auto, stamp or event", "auto");
}

void readOutputs(Config &config, const char *value) {
  if (!value)
    return;
  constexpr std::string_view name = "GRAPHPROF_OUTPUT";
  std::vector<std::string> outputs;
  for (std::string_view rest = value; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (item.empty())
      continue;
    if (!knowsOutput(item))
      complain(config.complaints, name, item, fmt::format("a list of {}", outputItems),
               "the others of the list");
    else if (std::find(outputs.begin(), outputs.end(), item) != outputs.end())
      complain(config.complaints, name, item, "named once", "it once");
    else
      outputs.emplace_back(item);
  }
  config.outputs = std::move(outputs);
}

} // namespace

Config readConfig(const std::function<const char *(const char *)> &variable) {
  Config config;
  readSwitch(config.enabled, "GRAPHPROF_ENABLED", variable("GRAPHPROF_ENABLED"), config.complaints);
  readSwitch(config.nodes, "GRAPHPROF_NODES", variable("GRAPHPROF_NODES"), config.complaints);
  readClock(config, variable("GRAPHPROF_CLOCK"));
  readOutputs(config, variable("GRAPHPROF_OUTPUT"));
  readNumber(config.ringDepth, "GRAPHPROF_RING_DEPTH", variable("GRAPHPROF_RING_DEPTH"), 0,
             maxRingDepth, " (replays; 0: chosen by size)", config.complaints);
  readNumber(config.maxQueue, "GRAPHPROF_MAX_QUEUE", variable("GRAPHPROF_MAX_QUEUE"), 2,
             maxMaxQueue, "", config.complaints);
  readNumber(config.maxRecords, "GRAPHPROF_MAX_RECORDS", variable("GRAPHPROF_MAX_RECORDS"), 1,
             maxMaxRecords, "", config.complaints);
  readNumber(config.maxRegions, "GRAPHPROF_MAX_REGIONS", variable("GRAPHPROF_MAX_REGIONS"), 1,
             maxMaxRegions, "", config.complaints);
  readNumber(config.maxName, "GRAPHPROF_MAX_NAME", variable("GRAPHPROF_MAX_NAME"), shortestMaxName,
             longestMaxName, " (bytes)", config.complaints);
  readNumber(config.exitTimeoutMs, "GRAPHPROF_EXIT_TIMEOUT", variable("GRAPHPROF_EXIT_TIMEOUT"), 0,
             maxExitTimeoutMs, " (milliseconds)", config.complaints);
  return config;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/ReadConfig.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "output/MakeOutput.h"
#include "output/io/FileName.h"
#include "output/io/NearMiss.h"
#include "session/CycleName.h"

namespace graphprof {

namespace {

constexpr std::int64_t maxRingDepth = 1'048'576;
constexpr std::int64_t maxMaxQueue = 100'000'000;
constexpr std::int64_t maxMaxRecords = 1'000'000'000;
constexpr std::int64_t maxMaxRegions = 10'000'000;
constexpr std::int64_t maxMaxExecs = 10'000'000;
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

// A value as a message shows it: cut off if it is long.
std::string shortened(std::string_view value) {
  constexpr std::size_t most = 100;
  return value.size() <= most ? std::string(value) : fmt::format("{}...", value.substr(0, most));
}

void complain(Complaints &complaints, std::string_view name, std::string_view value,
              std::string_view allowed, std::string_view taken) {
  complaints.push_back(
      fmt::format("{}={}: must be {}; using {}", name, shortened(value), allowed, taken));
}

void complainOfItem(Complaints &complaints, std::string_view item, std::string_view why,
                    bool isOnlyOne) {
  complaints.push_back(fmt::format("GRAPHPROF_OUTPUT={}: {}; using {}", shortened(item), why,
                                   isOnlyOne ? "table" : "the others of the list"));
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

// Not checked here: more backends may register until all libraries are loaded.
void readBackend(Config &config, const char *value) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  if (text != "auto")
    config.backend = text;
}

void readEdges(Config &config, const char *value) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  if (text == "completion")
    config.edges = EdgeChoice::Completion;
  else if (!text.empty() && text != "auto")
    complain(config.complaints, "GRAPHPROF_EDGES", text, "auto or completion", "auto");
}

// Removes the first item from a list with commas and returns it without surrounding blanks.
std::string_view takeItem(std::string_view &list) {
  const std::size_t comma = std::min(list.find(','), list.size());
  const std::string_view item = trimmed(list.substr(0, comma));
  list.remove_prefix(std::min(comma + 1, list.size()));
  return item;
}

std::vector<std::string> itemsOf(const char *value) {
  std::vector<std::string> items;
  for (std::string_view rest = value ? value : ""; !rest.empty();)
    if (const std::string_view item = takeItem(rest); !item.empty())
      items.emplace_back(item);
  return items;
}

// No output overwrites another one's file.
void addOutput(Config &config, std::vector<std::string> &outputs, std::string_view item) {
  const auto whose = [&outputs](std::string_view one) {
    return overwritten(withCycle(one, 1), outputs);
  };
  const std::string *const other = whose(item);
  if (other && asksForTheSame(item, *other))
    return complain(config.complaints, "GRAPHPROF_OUTPUT", item,
                    fmt::format("named once, and is the file of {}", *other), "it once");
  std::string own(item);
  for (int number = 2; whose(own); ++number)
    own = beforeExtension(item, fmt::format("output{}", number));
  if (other)
    complain(config.complaints, "GRAPHPROF_OUTPUT", item,
             fmt::format("a file of its own, not that of {}", *other), own);
  outputs.push_back(std::move(own));
}

void readOutputs(Config &config, const char *value) {
  if (!value)
    return;
  std::vector<std::string> outputs;
  std::vector<std::pair<std::string, std::string>> wrong; // the item, and why it is wrong
  for (std::string_view rest = value; !rest.empty();) {
    const std::string_view item = takeItem(rest);
    if (item.empty())
      continue;
    if (const std::string why = whyNoOutput(withCycle(item, 1)); !why.empty())
      wrong.emplace_back(item, why);
    else if (std::find(outputs.begin(), outputs.end(), item) != outputs.end())
      complain(config.complaints, "GRAPHPROF_OUTPUT", item, "named once", "it once");
    else
      addOutput(config, outputs, item);
  }
  for (const auto &[item, why] : wrong)
    complainOfItem(config.complaints, item, why, outputs.empty());
  if (!wrong.empty() && outputs.empty())
    return; // as if the variable were unset
  config.outputs = std::move(outputs);
  config.outputsGiven = true;
}

// All names without this prefix.
constexpr std::string_view prefix = "GRAPHPROF_";
constexpr std::array<std::string_view, 20> variables = {
    "ENABLED",  "NODES",        "MEMORY",    "HOST_SPANS",  "COPIES",
    "BACKEND",  "CLOCK",        "EDGES",     "OUTPUT",      "SCHEDULE",
    "STEP",     "RING_DEPTH",   "MAX_QUEUE", "MAX_RECORDS", "MAX_REGIONS",
    "MAX_NAME", "EXIT_TIMEOUT", "REGIONS",   "DOMAINS",     "MAX_EXECS"};

// Names with the prefix that others use: the tool, `graphprof run`, CMake, and graphprof's own
// tests.
constexpr std::array<std::string_view, 10> ofOthers = {
    "CC_", "STRICT", "KEEP", "CLANG_", "INSTRUMENT", "ROOT", "DIR", "RUN", "TEST_", "STRESS_"};

// Reports a misspelt name, which would otherwise be ignored silently. `entry`: NAME=VALUE.
void readName(Config &config, std::string_view entry) {
  if (!entry.starts_with(prefix))
    return;
  entry.remove_prefix(prefix.size());
  const std::string_view name = entry.substr(0, entry.find('='));
  if (std::find(variables.begin(), variables.end(), name) != variables.end() ||
      std::any_of(ofOthers.begin(), ofOthers.end(),
                  [name](std::string_view other) { return name.starts_with(other); }))
    return;
  const std::string_view meant = nearMiss(name, variables);
  config.complaints.push_back(
      fmt::format("{}{}: unknown variable{}", prefix, shortened(name),
                  meant.empty() ? "" : fmt::format(" (did you mean {}{}?)", prefix, meant)));
}

bool readWhole(std::string_view text, std::int64_t &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// "wait=10,warmup=1,active=5", in any order. nullopt if it cannot be read.
std::optional<ScheduleArguments> scheduleOf(std::string_view text) {
  ScheduleArguments arguments;
  arguments.active = 0; // must be given
  const std::array<std::pair<std::string_view, int *>, 6> known = {{
      {"wait", &arguments.wait},
      {"warmup", &arguments.warmup},
      {"active", &arguments.active},
      {"repeat", &arguments.repeat},
      {"skip_first", &arguments.skip_first},
      {"skip_first_wait", &arguments.skip_first_wait},
  }};
  std::array<bool, 6> given{};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = takeItem(rest);
    const std::size_t sign = std::min(item.find('='), item.size());
    const auto entry = std::find_if(known.begin(), known.end(), [&](const auto &one) {
      return one.first == trimmed(item.substr(0, sign));
    });
    std::int64_t number = 0;
    if (entry == known.end() || sign == item.size() ||
        !readWhole(trimmed(item.substr(sign + 1)), number) || number < 0 ||
        number > std::numeric_limits<int>::max())
      return std::nullopt;
    if (std::exchange(given[static_cast<std::size_t>(entry - known.begin())], true))
      return std::nullopt;
    *entry->second = static_cast<int>(number);
  }
  return arguments.valid() ? std::optional(arguments) : std::nullopt;
}

void readSchedule(Config &config, const char *value) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  if (text.empty())
    return;
  config.schedule = scheduleOf(text);
  if (!config.schedule)
    complain(
        config.complaints, "GRAPHPROF_SCHEDULE", text,
        "a list of wait=N, warmup=N, active=N, repeat=N, skip_first=N, skip_first_wait=N, with "
        "active at least 1",
        "no schedule: everything is recorded");
}

void readCopies(Config &config, const char *value) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  CopyOptions copies;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = takeItem(rest);
    if (item == "auto" || item == "selective" || item == "manual")
      copies.mode = item == "auto"     ? CopyMode::Auto
                    : item == "manual" ? CopyMode::Manual
                                       : CopyMode::Selective;
    else if (item == "d2h" || item == "d2d")
      (item == "d2h" ? copies.d2h : copies.d2d) = true;
    else
      return complain(config.complaints, "GRAPHPROF_COPIES", text,
                      "auto, selective or manual, with ,d2h and ,d2d for the other directions",
                      "auto");
  }
  config.copies = copies;
}

void readStep(Config &config, const char *value) {
  const std::string_view text = value ? trimmed(value) : std::string_view();
  constexpr std::string_view launches = "launches", ofGraph = "launches:";
  std::int64_t graph = 0;
  if (text == launches) {
    config.stepsAreLaunches = true;
  } else if (text.starts_with(ofGraph) && readWhole(text.substr(ofGraph.size()), graph) &&
             graph > 0) {
    config.stepsAreLaunches = true;
    config.stepGraph = static_cast<std::uint64_t>(graph);
  } else if (!text.empty() && text != "marked") {
    complain(config.complaints, "GRAPHPROF_STEP", text,
             "marked, launches, or launches:GRAPH with the number of a graph from 1", "marked");
  }
}

} // namespace

Config readConfig(const std::function<const char *(const char *)> &variable,
                  const char *const *environment) {
  Config config;
  for (; environment && *environment; ++environment)
    readName(config, *environment);
  readSwitch(config.enabled, "GRAPHPROF_ENABLED", variable("GRAPHPROF_ENABLED"), config.complaints);
  readSwitch(config.nodes, "GRAPHPROF_NODES", variable("GRAPHPROF_NODES"), config.complaints);
  readSwitch(config.memory, "GRAPHPROF_MEMORY", variable("GRAPHPROF_MEMORY"), config.complaints);
  readSwitch(config.hostSpans, "GRAPHPROF_HOST_SPANS", variable("GRAPHPROF_HOST_SPANS"),
             config.complaints);
  config.underRun = variable("GRAPHPROF_RUN") != nullptr;
  readClock(config, variable("GRAPHPROF_CLOCK"));
  readBackend(config, variable("GRAPHPROF_BACKEND"));
  readEdges(config, variable("GRAPHPROF_EDGES"));
  readOutputs(config, variable("GRAPHPROF_OUTPUT"));
  config.nvtxRegions = itemsOf(variable("GRAPHPROF_REGIONS"));
  config.nvtxDomains = itemsOf(variable("GRAPHPROF_DOMAINS"));
  readSchedule(config, variable("GRAPHPROF_SCHEDULE"));
  readStep(config, variable("GRAPHPROF_STEP"));
  readCopies(config, variable("GRAPHPROF_COPIES"));
  readNumber(config.ringDepth, "GRAPHPROF_RING_DEPTH", variable("GRAPHPROF_RING_DEPTH"), 0,
             maxRingDepth, " (replays; 0: chosen by size)", config.complaints);
  readNumber(config.maxQueue, "GRAPHPROF_MAX_QUEUE", variable("GRAPHPROF_MAX_QUEUE"), 2,
             maxMaxQueue, "", config.complaints);
  readNumber(config.maxRecords, "GRAPHPROF_MAX_RECORDS", variable("GRAPHPROF_MAX_RECORDS"), 1,
             maxMaxRecords, "", config.complaints);
  readNumber(config.maxRegions, "GRAPHPROF_MAX_REGIONS", variable("GRAPHPROF_MAX_REGIONS"), 1,
             maxMaxRegions, "", config.complaints);
  readNumber(config.maxExecs, "GRAPHPROF_MAX_EXECS", variable("GRAPHPROF_MAX_EXECS"), 0,
             maxMaxExecs, " (0: any number)", config.complaints);
  readNumber(config.maxName, "GRAPHPROF_MAX_NAME", variable("GRAPHPROF_MAX_NAME"), shortestMaxName,
             longestMaxName, " (bytes)", config.complaints);
  readNumber(config.exitTimeoutMs, "GRAPHPROF_EXIT_TIMEOUT", variable("GRAPHPROF_EXIT_TIMEOUT"), 0,
             maxExitTimeoutMs, " (milliseconds)", config.complaints);
  return config;
}

} // namespace graphprof

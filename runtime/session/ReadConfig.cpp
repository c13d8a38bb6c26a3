// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/ReadConfig.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "output/MakeOutput.h"
#include "output/io/FileName.h"
#include "output/io/NearMiss.h"
#include "output/io/ReadText.h"
#include "services/RecordingBudget.h"
#include "session/CycleName.h"
#include "session/ReadWindow.h"

namespace graphprof {

namespace {

// A value as a message shows it: cut off if it is long.
std::string shortened(std::string_view value) {
  constexpr std::size_t most = 100;
  return value.size() <= most ? std::string(value) : fmt::format("{}...", value.substr(0, most));
}

// A variable that is being read into a field of `config`.
struct Variable {
  std::string_view name;
  const char *value; ///< null: it is not set
  Config &config;

  [[nodiscard]] std::string_view text() const {
    return value ? trimmed(value) : std::string_view();
  }
  void complainOf(std::string_view wrong, std::string_view allowed, std::string_view taken) const {
    config.complaints.push_back(
        fmt::format("{}={}: must be {}; using {}", name, shortened(wrong), allowed, taken));
  }
  void complain(std::string_view allowed, std::string_view taken) const {
    complainOf(text(), allowed, taken);
  }
};

// What reads a value, by the names of options.def. A value that makes no sense leaves the field as
// it is.

auto number(std::int64_t lowest, std::int64_t highest, std::string_view meaning = {}) {
  return [=](const Variable &variable, std::integral auto &number) {
    std::int64_t read = 0;
    if (variable.text().empty())
      return;
    if (!readWhole(variable.text(), read) || read < lowest || read > highest)
      return variable.complain(
          fmt::format("a whole number from {} to {}{}", lowest, highest, meaning),
          std::to_string(number));
    number = static_cast<std::remove_reference_t<decltype(number)>>(read);
  };
}

// "1%", as a fraction.
auto percent(double most) {
  return [=](const Variable &variable, double &fraction) {
    double read = 0;
    std::string_view text = variable.text();
    if (text.empty())
      return;
    if (!text.ends_with('%') || !readWhole(trimmed(text.substr(0, text.size() - 1)), read) ||
        !std::isfinite(read) || read <= 0 || read > most)
      return variable.complain(fmt::format("a percentage above 0 and up to {}%, as 1%", most),
                               "none: everything is recorded");
    fraction = read / 100;
  };
}

// "30s", in nanoseconds.
void duration(const Variable &variable, std::int64_t &ns) {
  constexpr double longest = 1e9; // seconds
  if (variable.text().empty() || variable.text() == "0")
    return;
  const std::optional<double> seconds = readSeconds(variable.text());
  if (!seconds || *seconds > longest)
    return variable.complain("a time, such as 30s, 500ms or 2m", "none: nobody is told");
  ns = static_cast<std::int64_t>(*seconds * 1e9);
}

// "1/100", as the second number.
auto oneIn(std::uint64_t most) {
  return [=](const Variable &variable, std::uint64_t &every) {
    std::int64_t read = 0;
    const std::string_view text = variable.text();
    if (text.empty())
      return;
    if (!text.starts_with("1/") || !readWhole(text.substr(2), read) || read < 1 ||
        static_cast<std::uint64_t>(read) > most)
      return variable.complain("1/N with a whole number from 1 on, as 1/100",
                               "1/1: everything is recorded");
    every = static_cast<std::uint64_t>(read);
  };
}

template <class Choice> using Word = std::pair<std::string_view, Choice>;

// The first word is that of the field's initial value.
template <class Choice, std::size_t count> auto oneOf(const Word<Choice> (&words)[count]) {
  return [words = std::to_array(words)](const Variable &variable, Choice &choice) {
    std::string allowed;
    for (std::size_t i = 0; i < count; ++i) {
      if (variable.text() == words[i].first)
        choice = words[i].second;
      allowed.append(i == 0 ? "" : i + 1 < count ? ", " : " or ").append(words[i].first);
    }
    if (!variable.text().empty() && std::none_of(words.begin(), words.end(), [&](const auto &word) {
          return word.first == variable.text();
        }))
      variable.complain(allowed, words.front().first);
  };
}

void onOff(const Variable &variable, bool &on) {
  const std::string_view text = variable.text();
  if (text == "0" || text == "1")
    on = text == "1";
  else if (!text.empty())
    variable.complain("0 or 1", on ? "1" : "0");
}

// Not checked here: more backends may register until all libraries are loaded.
void backend(const Variable &variable, std::string &name) {
  if (variable.text() != "auto")
    name = variable.text();
}

void list(const Variable &variable, std::vector<std::string> &items) {
  for (std::string_view rest = variable.text(); !rest.empty();)
    if (const std::string_view item = takeItem(rest); !item.empty())
      items.emplace_back(item);
}

// No output overwrites another one's file.
void addOutput(const Variable &variable, std::vector<std::string> &items, std::string_view item) {
  const auto whose = [&items](std::string_view one) {
    return overwritten(withCycle(one, 1), items);
  };
  const std::string *const other = whose(item);
  if (other && asksForTheSame(item, *other))
    return variable.complainOf(item, fmt::format("named once, and is the file of {}", *other),
                               "it once");
  std::string own(item);
  for (int number = 2; whose(own); ++number)
    own = beforeExtension(item, fmt::format("output{}", number));
  if (other)
    variable.complainOf(item, fmt::format("a file of its own, not that of {}", *other), own);
  items.push_back(std::move(own));
}

// If all items are wrong, it is as if the variable were not set.
void outputs(const Variable &variable, std::vector<std::string> &outputs) {
  if (!variable.value)
    return;
  std::vector<std::string> items;
  std::vector<std::pair<std::string, std::string>> wrong; // the item, and why it is wrong
  for (std::string_view rest = variable.value; !rest.empty();) {
    const std::string_view item = takeItem(rest);
    if (item.empty())
      continue;
    if (const std::string why = whyNoOutput(withCycle(item, 1)); !why.empty())
      wrong.emplace_back(item, why);
    else if (std::find(items.begin(), items.end(), item) != items.end())
      variable.complainOf(item, "named once", "it once");
    else
      addOutput(variable, items, item);
  }
  for (const auto &[item, why] : wrong)
    variable.config.complaints.push_back(
        fmt::format("{}={}: {}; using {}", variable.name, shortened(item), why,
                    items.empty() ? "table" : "the others of the list"));
  if (!wrong.empty() && items.empty())
    return;
  outputs = std::move(items);
  variable.config.outputsGiven = true;
}

// Without this prefix.
constexpr std::string_view prefix = "GRAPHPROF_";
constexpr auto variables = std::to_array<std::string_view>({
#define GRAPHPROF_OPTION(NAME, ...) #NAME,
#include "services/options.def"
});

// Names with the prefix that others use: the tool, `graphprof run`, the Python package, CMake, and
// graphprof's own tests.
constexpr std::array<std::string_view, 12> ofOthers = {"CC_",        "STRICT",  "KEEP",  "CLANG_",
                                                       "INSTRUMENT", "ROOT",    "DIR",   "RUN",
                                                       "LIBRARY",    "COMMAND", "TEST_", "STRESS_"};

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

void schedule(const Variable &variable, std::optional<ScheduleArguments> &schedule) {
  if (variable.text().empty())
    return;
  schedule = scheduleOf(variable.text());
  if (!schedule)
    variable.complain(
        "a list of wait=N, warmup=N, active=N, repeat=N, skip_first=N, skip_first_wait=N, with "
        "active at least 1",
        "no schedule: everything is recorded");
}

void window(const Variable &variable, std::optional<WindowArguments> &window) {
  if (variable.text().empty())
    return;
  WindowArguments read;
  const std::string wrong = readWindow(variable.text(), read);
  if (!wrong.empty())
    variable.config.complaints.push_back(
        fmt::format("{}={}: {}; using no window: everything is recorded", variable.name,
                    shortened(variable.text()), wrong));
  else if (variable.config.schedule)
    variable.complain("without GRAPHPROF_SCHEDULE", "the schedule alone");
  else
    window = read;
}

void copies(const Variable &variable, CopyOptions &copies) {
  CopyOptions read;
  for (std::string_view rest = variable.text(); !rest.empty();) {
    const std::string_view item = takeItem(rest);
    if (item == "auto" || item == "selective" || item == "manual")
      read.mode = item == "auto"     ? CopyMode::Auto
                  : item == "manual" ? CopyMode::Manual
                                     : CopyMode::Selective;
    else if (item == "d2h" || item == "d2d")
      (item == "d2h" ? read.d2h : read.d2d) = true;
    else
      return variable.complain(
          "auto, selective or manual, with ,d2h and ,d2d for the other directions", "auto");
  }
  copies = read;
}

void kernels(const Variable &variable, KernelRecording &kernels) {
  KernelRecording read;
  if (variable.text().empty())
    return;
  read.isSet = true;
  read.on = variable.text() != "off";
  const std::array<std::tuple<std::string_view, unsigned *, unsigned>, 3> known = {{
      {"warps:", &read.warps, KernelRecording::mostWarps},
      {"blocks:", &read.blocks, KernelRecording::mostBlocks},
      {"entries:", &read.entries, KernelRecording::mostEntries},
  }};
  const bool isList = read.on && variable.text() != "on";
  for (std::string_view rest = isList ? variable.text() : std::string_view(); !rest.empty();) {
    const std::string_view item = takeItem(rest);
    const auto entry = std::find_if(known.begin(), known.end(), [item](const auto &one) {
      return item.starts_with(std::get<0>(one));
    });
    std::int64_t number = 0;
    if (entry == known.end() || !readWhole(item.substr(std::get<0>(*entry).size()), number) ||
        number < 1 || number > std::get<2>(*entry))
      return variable.complain(
          fmt::format("on, off, or a list of warps:N, up to {}, blocks:N, up to "
                      "{}, and entries:N, up to {}",
                      KernelRecording::mostWarps, KernelRecording::mostBlocks,
                      KernelRecording::mostEntries),
          "the default");
    *std::get<1>(*entry) = static_cast<unsigned>(number);
  }
  kernels = read;
}

void step(const Variable &variable, bool &areLaunches) {
  const std::string_view text = variable.text();
  constexpr std::string_view launches = "launches", ofGraph = "launches:";
  std::int64_t graph = 0;
  if (text == launches) {
    areLaunches = true;
  } else if (text.starts_with(ofGraph) && readWhole(text.substr(ofGraph.size()), graph) &&
             graph > 0) {
    areLaunches = true;
    variable.config.stepGraph = static_cast<std::uint64_t>(graph);
  } else if (!text.empty() && text != "marked") {
    variable.complain("marked, launches, or launches:GRAPH with the number of a graph from 1",
                      "marked");
  }
}

} // namespace

Config readConfig(const std::function<const char *(const char *)> &variable,
                  const char *const *environment) {
  Config config;
  for (; environment && *environment; ++environment)
    readName(config, *environment);
  config.underRun = variable("GRAPHPROF_RUN") != nullptr;
#define GRAPHPROF_OPTION(NAME, type, field, initial, read, ...)                                    \
  read(Variable{"GRAPHPROF_" #NAME, variable("GRAPHPROF_" #NAME), config}, config.field);
#include "services/options.def"
  return config;
}

} // namespace graphprof

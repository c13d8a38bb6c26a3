// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof diff: compares the recordings of two versions of a program, with a verdict.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "Commands.h"
#include "Screen.h"
#include "diff/Compare.h"
#include "diff/PrintDiff.h"
#include "output/io/Text.h"

namespace graphprof::tool {
namespace {

// Exit statuses.
constexpr int noneSlower = 0, isSlower = 1, isUndecided = 3;

void sayOfDiff(std::string_view text) {
  fmt::print(stderr, "graphprof diff: {}\n", printable(text));
  (void)std::fflush(stderr);
}

std::optional<double> numberOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > 1e12)
    return std::nullopt;
  return number;
}

// "2%", "0.02".
std::optional<double> shareOf(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent)
    text.remove_suffix(1);
  const auto number = numberOf(text);
  constexpr double whole = 100;
  return number ? std::optional(percent ? *number / whole : *number) : std::nullopt;
}

// "0.3us", "300ns", "1ms".
std::optional<double> nsOf(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  for (const auto &[unit, ns] : units)
    if (text.ends_with(unit)) {
      const auto number = numberOf(text.substr(0, text.size() - unit.size()));
      return number ? std::optional(*number * ns) : std::nullopt;
    }
  return std::nullopt;
}

// CLI11's usage line does not know the two sides.
std::string diffHelp(const CLI::App &app) {
  std::string help = app.help();
  const std::size_t line = help.find("Usage:");
  if (line != std::string::npos)
    help.replace(line, help.find('\n', line) - line,
                 "usage: graphprof diff [options] BEFORE... -- AFTER...");
  return help;
}

struct DiffOptions {
  std::vector<std::string> files;
  std::string threshold = "2%", floor = "0.3us", single = "10%", confidence = "98%", across;
  std::size_t top = 40;
  bool all = false, json = false, markdown = false, strict = false;
};

// Returns what is wrong.
std::string readFloors(const DiffOptions &options, Floors &floors) {
  const auto threshold = shareOf(options.threshold), single = shareOf(options.single),
             confidence = shareOf(options.confidence);
  const auto floor = nsOf(options.floor);
  if (!threshold)
    return fmt::format("--threshold {}: must be a share, such as 2% or 0.02", options.threshold);
  if (!single)
    return fmt::format("--single {}: must be a share, such as 10% or 0.1", options.single);
  if (!floor)
    return fmt::format("--floor {}: must be a time, such as 0.3us or 300ns", options.floor);
  if (!confidence || *confidence <= 0 || *confidence >= 1)
    return fmt::format("--confidence {}: must be a share below 100%, such as 98%",
                       options.confidence);
  floors.threshold = *threshold;
  floors.single = std::max(*single, *threshold);
  floors.floorNs = *floor;
  floors.singleFloorNs = std::max(floors.singleFloorNs, *floor);
  floors.alpha = 1 - *confidence;
  for (std::string_view rest = options.across; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (one != "gpu" && one != "driver" && one != "clock" && one != "graph")
      return fmt::format("--across {}: must be gpu, driver, clock or graph, or several of them, "
                         "separated by commas",
                         one);
    floors.across.emplace(one);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return {};
}

// The words before and behind "--". Without it, two files are one a side.
struct Sides {
  std::vector<std::string> before, after;
  std::string wrong;
};
Sides sidesOf(std::vector<std::string> files, const std::vector<std::string> &behind,
              bool separated) {
  Sides sides;
  if (separated) {
    sides.before = std::move(files);
    sides.after = behind;
  } else if (files.size() == 2) {
    sides.before = {files[0]};
    sides.after = {files[1]};
  } else {
    sides.wrong = "name the recordings of both sides, with -- between them: graphprof diff "
                  "BEFORE... -- AFTER...";
  }
  if (sides.wrong.empty() && (sides.before.empty() || sides.after.empty()))
    sides.wrong = fmt::format("no recording {} --", sides.before.empty() ? "before" : "behind");
  for (const std::string &file : sides.after)
    if (file.starts_with("--"))
      sides.wrong = fmt::format("{} stands behind --, where files are; options come first", file);
  return sides;
}

} // namespace

int diff(const std::vector<std::string> &arguments) {
  DiffOptions options;
  CLI::App app{"Compares recordings of two versions of a program, region by region: slower, "
               "faster, same, undecided or not comparable. Give three or more recordings a side, "
               "each of a process of its own.",
               "graphprof diff"};
  app.footer("Exit status: 0 no region is slower; 1 one is; 2 a file cannot be read, nothing can "
             "be compared, or called wrongly; 3 none is slower and, with --strict, one is "
             "undecided or not comparable.");
  app.add_option("FILE", options.files,
                 "recordings: binary files, databases, JSON lines, CSV, or "
                 "results of benchmarks");
  app.add_option("--threshold", options.threshold,
                 "a change must be more than this share (usually 2%)")
      ->type_name("SHARE");
  app.add_option("--floor", options.floor, "and more than this time (usually 0.3us)")
      ->type_name("TIME");
  app.add_option("--single", options.single,
                 "the threshold where a side has one recording only (usually 10%)")
      ->type_name("SHARE");
  app.add_option("--confidence", options.confidence,
                 "with which all intervals together hold (usually 98%)")
      ->type_name("SHARE");
  app.add_option("--across", options.across,
                 "compare although these differ: gpu, driver, clock, graph")
      ->type_name("LIST");
  app.add_flag("--strict", options.strict,
               "exit status 3 if a region is undecided or not comparable");
  app.add_option("--top", options.top, "show this many regions (usually 40)")->type_name("N");
  app.add_flag("--all", options.all, "show all regions, also those that are the same");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--markdown", options.markdown, "print a table in Markdown");
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  try {
    std::vector<std::string> words(arguments.begin(), dashes);
    std::reverse(words.begin(), words.end());
    app.parse(words);
  } catch (const CLI::CallForHelp &) {
    fmt::print("{}", diffHelp(app));
    return 0;
  } catch (const CLI::Error &error) {
    sayOfDiff(fmt::format("{}; see graphprof diff --help", error.what()));
    return usageError;
  }
  const bool separated = dashes != arguments.end();
  const Sides sides = sidesOf(options.files,
                              separated ? std::vector<std::string>(dashes + 1, arguments.end())
                                        : std::vector<std::string>(),
                              separated);
  Floors floors;
  std::string wrong = sides.wrong.empty() ? readFloors(options, floors) : sides.wrong;
  if (wrong.empty() && options.json && options.markdown)
    wrong = "--json and --markdown exclude each other";
  if (!wrong.empty()) {
    sayOfDiff(wrong);
    return usageError;
  }

  Recordings recordings;
  Side before, after;
  try {
    if ((kindOf(sides.before.front()) == RecordingKind::Benchmarks) !=
        (kindOf(sides.after.front()) == RecordingKind::Benchmarks))
      throw UnreadableRecording{"one side has results of benchmarks, and the other recordings"};
    recordings.read(sides.before, before);
    recordings.read(sides.after, after);
  } catch (const UnreadableRecording &error) {
    sayOfDiff(error.why);
    return usageError;
  }
  const Comparison comparison = compare(before, after, floors);
  const DiffLook look{options.top, options.all, options.markdown ? 0 : screenWidth()};
  const std::string text = options.json       ? diffJson(before, after, comparison, floors)
                           : options.markdown ? diffMarkdown(before, after, comparison, look)
                                              : diffText(before, after, comparison, look);
  if (!printWhole(text))
    return usageError;
  const std::size_t slower = comparison.count(Verdict::Slower),
                    open = comparison.count(Verdict::Undecided) +
                           comparison.count(Verdict::NotComparable);
  if (slower + comparison.count(Verdict::Faster) + comparison.count(Verdict::Same) +
          comparison.count(Verdict::Undecided) ==
      0) {
    sayOfDiff("nothing can be compared: no region of both sides has times that compare");
    return usageError;
  }
  if (slower > 0)
    return isSlower;
  return options.strict && open > 0 ? isUndecided : noneSlower;
}

} // namespace graphprof::tool

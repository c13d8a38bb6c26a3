// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "CompareOptions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace graphprof::tool {

namespace {

std::optional<double> numberOf(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > 1e12)
    return std::nullopt;
  return number;
}

// "2%", "0.02". Not "2", which some would read as 2 %, and others as 200 %.
std::optional<double> shareOf(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent)
    text.remove_suffix(1);
  const auto number = numberOf(text);
  constexpr double whole = 100;
  if (!number || (!percent && *number >= 1))
    return std::nullopt;
  return percent ? *number / whole : *number;
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

// What a change must be more than: a share or a time. Returns what is wrong with it; empty:
// nothing.
std::string readLimit(std::string_view option, const std::string &text, double &share, double &ns) {
  if (const auto asNs = nsOf(text))
    ns = std::max(ns, *asNs);
  else if (const auto asShare = shareOf(text))
    share = std::max(share, *asShare);
  else if (numberOf(text))
    return fmt::format("{} {}: {}% or {}us? 1 and more need a unit", option, text, text, text);
  else
    return fmt::format("{} {}: must be a share, such as 2% or 0.02, or a time, such as 0.3us or "
                       "300ns",
                       option, text);
  return {};
}

} // namespace

void addFloors(CLI::App &app, CompareOptions &options) {
  app.add_option("--threshold", options.threshold,
                 "a change must be more than this, such as 2%, 0.02 or 5us (usually 2%)")
      ->type_name("LIMIT");
  app.add_option("--floor", options.floor, "and more than this (usually 0.3us)")
      ->type_name("LIMIT");
  app.add_option("--single", options.single,
                 "the threshold where a side has one recording only (usually 10%)")
      ->type_name("LIMIT");
  app.add_option("--confidence", options.confidence,
                 "with which all intervals together hold (usually 98%)")
      ->type_name("SHARE");
  app.add_option("--across", options.across, "compare although these differ: gpu, driver, clock")
      ->type_name("LIST");
}

std::string readFloors(const CompareOptions &options, Floors &floors) {
  floors.threshold = floors.floorNs = floors.single = 0;
  std::string wrong = readLimit("--threshold", options.threshold, floors.threshold, floors.floorNs);
  if (wrong.empty())
    wrong = readLimit("--floor", options.floor, floors.threshold, floors.floorNs);
  if (wrong.empty())
    wrong = readLimit("--single", options.single, floors.single, floors.singleFloorNs);
  if (!wrong.empty())
    return wrong;
  floors.single = std::max(floors.single, floors.threshold);
  floors.singleFloorNs = std::max(floors.singleFloorNs, floors.floorNs);
  const auto confidence = shareOf(options.confidence);
  if (!confidence || *confidence <= 0 || *confidence >= 1)
    return fmt::format("--confidence {}: must be a share below 100%, such as 98% or 0.98",
                       options.confidence);
  floors.alpha = 1 - *confidence;
  for (std::string_view rest = options.across; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (one != "gpu" && one != "driver" && one != "clock")
      return fmt::format("--across {}: must be gpu, driver or clock, or several of them, "
                         "separated by commas",
                         one);
    floors.across.emplace(one);
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return {};
}

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
    if (file.starts_with('-') && file.size() > 1)
      sides.wrong = fmt::format("{} stands behind --, where files are; options come first", file);
  return sides;
}

void checkSides(const Sides &sides) {
  std::vector<std::string> all = sides.before;
  all.insert(all.end(), sides.after.begin(), sides.after.end());
  refuseRepeated(all);
}

std::unique_ptr<ComparedSides> compareFiles(const Sides &sides, const Floors &floors) {
  checkSides(sides);
  auto compared = std::make_unique<ComparedSides>();
  compared->recordings.read(sides.before, compared->before);
  compared->recordings.read(sides.after, compared->after);
  compared->comparison = compare(compared->before, compared->after, floors);
  return compared;
}

} // namespace graphprof::tool

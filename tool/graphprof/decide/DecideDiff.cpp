// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "decide/DecideDiff.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "Child.h"
#include "CommandLine.h"
#include "Commands.h"
#include "decide/FreshProcesses.h"

namespace graphprof::tool {
namespace {

namespace fs = std::filesystem;

void sayOfDecision(std::string_view text) { sayOf("graphprof diff", text); }

// After how many processes a side it looks: with each look it may be wrong once more, so there are
// few. Fewer than five show no small change.
std::vector<std::size_t> looksUpTo(std::size_t most) {
  constexpr std::size_t first = 5;
  std::vector<std::size_t> looks;
  for (std::size_t at = first; at < most; at += (2 * at + first - 1) / first) // 40 % more
    looks.push_back(at);
  looks.push_back(most);
  return looks;
}

// In all its executions.
double timeIn(const Finding &finding) {
  const auto of = [](double meanNs, std::uint64_t count) {
    return meanNs > 0 ? meanNs * static_cast<double>(count) : 0;
  };
  return std::max(of(finding.mean().beforeNs, finding.beforeCount),
                  of(finding.mean().afterNs, finding.afterCount));
}

// Those that take at least 1 % of what the largest takes: usually of the whole replay.
std::vector<const Finding *> openAmong(const Comparison &comparison) {
  constexpr double least = 0.01;
  double largest = 0;
  for (const Finding &each : comparison.findings)
    largest = std::max(largest, timeIn(each));
  std::vector<const Finding *> open;
  for (const Finding &each : comparison.findings)
    if (each.verdict == Verdict::Undecided && timeIn(each) >= least * largest)
      open.push_back(&each);
  return open;
}

// Where the recordings go. Returns what is wrong with it; empty: nothing.
std::string whyNotKept(const std::string &folder) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    return fmt::format("--keep {}: is there, and not an empty folder; name another one", folder);
  if (fs::create_directories(folder, error); error)
    return fmt::format("--keep {}: {}", folder, error.message());
  return {};
}

} // namespace

void addDecide(CLI::App &app, DecideOptions &options) {
  app.add_flag("--until-decided", options.isAsked,
               "the words are two commands: run them in turn, in fresh processes, until every "
               "region that takes 1 % of the time or more is decided");
  app.add_option("--processes", options.most,
                 "with --until-decided: at most this many processes a side (usually 20)")
      ->check(CLI::Range(std::size_t{2}, std::size_t{1000}))
      ->type_name("N");
  app.add_option("--keep", options.keep, "with --until-decided: keep the recordings in this folder")
      ->type_name("FOLDER");
}

std::unique_ptr<ComparedSides> decide(const DecideOptions &options,
                                      const std::vector<std::string> &commands, Floors floors,
                                      int &status) {
  status = usageError;
  const SplitWords both = splitAtDashes(commands);
  if (both.before.empty() || both.behind.empty()) {
    sayOfDecision("name both commands, each behind --: graphprof diff --until-decided [options] -- "
                  "COMMAND_A -- COMMAND_B");
    return nullptr;
  }
  if (const std::string why = options.keep.empty() ? "" : whyNotKept(options.keep); !why.empty()) {
    sayOfDecision(why);
    return nullptr;
  }
  const ScratchFolder scratch;
  const fs::path folder = options.keep.empty() ? scratch.path() : fs::path(options.keep);
  if (folder.empty()) {
    sayOfDecision("cannot make a folder for the recordings; set TMPDIR to one that can be "
                  "written, or name one by --keep");
    return nullptr;
  }
  FreshProcesses processes(folder, both.before, both.behind);
  const std::vector<std::size_t> looks = looksUpTo(options.most);
  floors.alpha /= static_cast<double>(looks.size());
  for (const std::size_t count : looks) {
    sayOfDecision(fmt::format("recording until there are {} processes a side", count));
    if (!processes.runUntil(count))
      return nullptr;
    auto compared = compareFiles({processes.before(), processes.after(), {}}, floors);
    const auto open = openAmong(compared->comparison);
    if (!open.empty())
      sayOfDecision(fmt::format("undecided with {} a side: {}{}", count, open.front()->path,
                                open.size() > 1 ? fmt::format(" and {} more", open.size() - 1)
                                                : std::string()));
    if (open.empty() || count == looks.back())
      return compared;
  }
  return nullptr; // never: there is a last look
}

} // namespace graphprof::tool

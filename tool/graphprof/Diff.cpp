// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof diff: compares the recordings of two versions of a program, with a verdict.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "CommandLine.h"
#include "Commands.h"
#include "CompareOptions.h"
#include "Screen.h"
#include "decide/DecideDiff.h"
#include "diff/Compare.h"
#include "diff/ShowDiff.h"
#include "figures/Render.h"

namespace graphprof::tool {
namespace {

// Exit statuses.
constexpr int noneSlower = 0, isSlower = 1, isUndecided = 3;

void sayOfDiff(std::string_view text) { sayOf("graphprof diff", text); }

struct DiffOptions {
  CompareOptions compare;
  DecideOptions decide;
  std::size_t top = 40;
  bool all = false, json = false, markdown = false, strict = false;
};

void declareDiff(CLI::App &app, DiffOptions &options) {
  app.add_option("FILE", options.compare.files, "recordings: binary files");
  addFloors(app, options.compare);
  addDecide(app, options.decide);
  app.add_flag("--strict", options.strict,
               "exit status 3 if a region is undecided or not comparable");
  addTop(app, options.top, "show this many regions (usually 40)");
  app.add_flag("--all", options.all, "show all regions, also those that are the same");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--markdown", options.markdown, "print a table in Markdown");
}

int statusOfDiff(const Comparison &comparison, bool strict) {
  const std::size_t slower = comparison.count(Verdict::Slower),
                    undecided = comparison.count(Verdict::Undecided),
                    decided = slower + comparison.count(Verdict::Faster) +
                              comparison.count(Verdict::Same);
  if (decided + undecided == 0) {
    sayOfDiff("nothing can be compared: no region of both sides has times that compare");
    return usageError;
  }
  if (slower > 0)
    return isSlower;
  const bool isOpen = undecided + comparison.count(Verdict::NotComparable) > 0;
  return strict && isOpen ? isUndecided : noneSlower;
}

// What excludes each other; empty: nothing does.
std::string whyNotTogether(const DiffOptions &options) {
  const DecideOptions usual;
  if (options.json && options.markdown)
    return "--json and --markdown exclude each other";
  if (options.decide.isAsked && !options.compare.files.empty())
    return fmt::format("--until-decided takes two commands behind --, no file {}",
                       options.compare.files.front());
  if (!options.decide.isAsked &&
      (options.decide.most != usual.most || !options.decide.keep.empty()))
    return "--processes and --keep go with --until-decided";
  return {};
}

} // namespace

int diff(const std::vector<std::string> &arguments) {
  DiffOptions options;
  CLI::App app{"Compares recordings of two versions of a program, region by region: slower, "
               "faster, same, undecided or not comparable. Give five recordings a side, "
               "each of a process of its own.",
               "graphprof diff"};
  app.footer("Exit status: 0 no region and no whole replay is slower; 1 one is; 2 a file cannot be "
             "read, nothing can "
             "be compared, or called wrongly; 3 none is slower and, with --strict, one is "
             "undecided or not comparable.");
  declareDiff(app, options);
  const SplitWords words = splitAtDashes(arguments);
  if (const auto status =
          parse(app, words.before,
                "graphprof diff [options] BEFORE... -- AFTER...\n"
                "       graphprof diff --until-decided [options] -- COMMAND_A -- COMMAND_B"))
    return *status;
  Floors floors;
  std::string wrong = readFloors(options.compare, floors);
  if (wrong.empty())
    wrong = whyNotTogether(options);
  Sides sides;
  if (wrong.empty() && !options.decide.isAsked) {
    sides = sidesOf(options.compare.files, words.behind, words.separated);
    wrong = sides.wrong;
  }
  if (!wrong.empty()) {
    sayOfDiff(wrong);
    return usageError;
  }

  std::unique_ptr<ComparedSides> compared;
  int ending = usageError;
  try {
    compared = options.decide.isAsked ? decide(options.decide, words.behind, floors, ending)
                                      : compareFiles(sides, floors);
  } catch (const UnreadableRecording &error) {
    sayOfDiff(error.why);
  }
  if (!compared)
    return ending;
  const auto &[recordings, before, after, comparison] = *compared;
  const auto document = [&] {
    return diffDocument(before, after, comparison, {options.top, options.all});
  };
  if (!printWhole(options.json       ? jsonText(diffJson(before, after, comparison, floors))
                  : options.markdown ? asMarkdown(document())
                                     : asText(document(), screenWidth())))
    return usageError;
  return statusOfDiff(comparison, options.strict);
}

} // namespace graphprof::tool

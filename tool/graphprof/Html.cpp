// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof html: a page of recordings, or of a comparison, in one file for any browser.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "CommandLine.h"
#include "Commands.h"
#include "CompareOptions.h"
#include "Screen.h"
#include "diff/Compare.h"
#include "diff/PrintDiff.h"
#include "html/Page.h"
#include "html/PageData.h"
#include "output/io/File.h"
#include "output/io/Text.h"

namespace graphprof::tool {
namespace {

constexpr std::size_t fewestReplays = 3, mostReplays = 10'000;

void sayOfHtml(std::string_view text) { sayOf("graphprof html", text); }

// "decode", or the programs' names.
std::string titleOf(const std::vector<RunFacts> &runs) {
  std::set<std::string> names;
  for (const RunFacts &run : runs)
    names.insert(run.run.program.empty() ? run.file : run.run.program);
  constexpr std::size_t most = 3;
  if (names.size() > most)
    return fmt::format("{} programs", names.size());
  return utf8(fmt::format("{}", fmt::join(names, ", ")));
}

std::string sideJson(std::string_view name, const PageData &data) {
  return fmt::format(R"({{"name":"{}","data":{}}})", name, data.json());
}

// Whether they may be of several processes. A database may hold any number of runs.
bool mayHoldSeveral(const std::vector<std::string> &paths) {
  try {
    return paths.size() > 1 || kindOf(paths.front()) == RecordingKind::Sqlite;
  } catch (const UnreadableRecording &) {
    return false; // reading it says so
  }
}

} // namespace

int html(const std::vector<std::string> &arguments) {
  CompareOptions options;
  std::string output = "graphprof.html";
  PageBounds bounds;
  CLI::App app{"Makes a page of recordings: one file, for any browser, without a network. Several "
               "files are added up; two sides, with -- between them, are compared too.",
               "graphprof html"};
  app.footer("Exit status: 0 written; 2 a file cannot be read or written, or called wrongly.");
  app.add_option("FILE", options.files,
                 "recordings: binary files, databases, JSON lines, CSV, or "
                 "results of benchmarks");
  app.add_option("-o,--output", output,
                 "where the page is written (usually graphprof.html); - is standard output")
      ->type_name("PAGE");
  app.add_option("--replays", bounds.replays,
                 fmt::format("show the timelines of this many replays of each graph (usually {})",
                             bounds.replays))
      ->type_name("N")
      ->check(CLI::Range(fewestReplays, mostReplays).description(""));
  addFloors(app, options);
  const SplitWords words = splitAtDashes(arguments);
  if (const auto status =
          parse(app, words.before, "graphprof html [options] FILE... | BEFORE... -- AFTER..."))
    return *status;
  const bool compares = words.separated;
  Sides sides{options.files, {}, {}};
  if (compares)
    sides = sidesOf(options.files, words.behind, true);
  else if (options.files.empty())
    sides.wrong = "name a recording; see graphprof html --help";
  Floors floors;
  const std::string wrong = sides.wrong.empty() ? readFloors(options, floors) : sides.wrong;
  if (!wrong.empty()) {
    sayOfHtml(wrong);
    return usageError;
  }

  Recordings recordings;
  Side before, after;
  // The two sides of a comparison ran at different times.
  const bool several = !compares && mayHoldSeveral(sides.before);
  PageData beforeData(bounds, several), afterData(bounds, false);
  std::string json;
  std::string title;
  try {
    if (compares) {
      if ((kindOf(sides.before.front()) == RecordingKind::Benchmarks) !=
          (kindOf(sides.after.front()) == RecordingKind::Benchmarks))
        throw UnreadableRecording{"one side has results of benchmarks, and the other recordings"};
      Several toBefore({&before, &beforeData}), toAfter({&after, &afterData});
      recordings.read(sides.before, toBefore);
      recordings.read(sides.after, toAfter);
    } else {
      recordings.read(sides.before, beforeData);
    }
    beforeData.finish();
    if (RecordingsListener *const again = beforeData.secondLook())
      recordings.read(sides.before, *again);
    if (compares) {
      afterData.finish();
      if (RecordingsListener *const again = afterData.secondLook())
        recordings.read(sides.after, *again);
    }
  } catch (const UnreadableRecording &error) {
    sayOfHtml(error.why);
    return usageError;
  }
  title = titleOf(beforeData.runs());
  if (compares) {
    const Comparison comparison = compare(before, after, floors);
    json = fmt::format(R"({{"sides":[{},{}],"summary":"{}","comparison":{}}})",
                       sideJson("before", beforeData), sideJson("after", afterData),
                       summaryOf(comparison), diffJson(before, after, comparison, floors));
    title += ": before and after";
  } else {
    json = fmt::format(R"({{"sides":[{}],"summary":null,"comparison":null}})",
                       sideJson("", beforeData));
  }
  for (const PageData *const data : {&beforeData, &afterData})
    for (const RunFacts &run : data->runs())
      if (!run.missing.empty())
        sayOfHtml(fmt::format("{}: {}", run.file, run.missing));

  const std::string page = pageText(title, json);
  if (output == "-")
    return printWhole(page) ? 0 : usageError;
  if (const std::string failed = writeWhole(output, page); !failed.empty()) {
    sayOfHtml(failed);
    return usageError;
  }
  constexpr double megabyte = 1e6;
  sayOfHtml(fmt::format("{} written, {:.1f} MB: open it in a browser", output,
                        static_cast<double>(page.size()) / megabyte));
  return 0;
}

} // namespace graphprof::tool

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof html: a page of recordings, or of a comparison, in one file for any browser.

#include <cstddef>
#include <optional>
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
#include "diff/ShowDiff.h"
#include "html/Page.h"
#include "html/PageData.h"
#include "output/Overwriting.h"
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

// What the command line says. `compares`: there are two sides.
struct HtmlRequest {
  CompareOptions options;
  std::string output = "graphprof.html";
  bool force = false;
  PageBounds bounds;
  Sides sides;
  Floors floors;
  bool compares = false;
};

std::string whyNotWritten(const HtmlRequest &request) {
  if (request.output == "-")
    return {};
  Overwriting allowed{.inputs = request.sides.before, .force = request.force};
  allowed.inputs.insert(allowed.inputs.end(), request.sides.after.begin(),
                        request.sides.after.end());
  std::string why = allowed.whyNot(request.output, isPage);
  if (!why.empty())
    return fmt::format("-o {}: {}", request.output, why);
  return WholeFile(request.output).check();
}

// Returns the exit status if the command ends here.
std::optional<int> parseRequest(const std::vector<std::string> &arguments, HtmlRequest &request) {
  CLI::App app{"Makes a page of recordings: one file, for any browser, without a network. Several "
               "files are added up; two sides, with -- between them, are compared too.",
               "graphprof html"};
  app.footer("Exit status: 0 written; 2 a file cannot be read or written, or called wrongly.");
  app.add_option("FILE", request.options.files, "recordings: binary files");
  app.add_option("-o,--output", request.output,
                 "where the page is written (usually graphprof.html); - is standard output")
      ->type_name("PAGE");
  app.add_option("--replays", request.bounds.replays,
                 fmt::format("show the timelines of this many replays of each graph (usually {})",
                             request.bounds.replays))
      ->type_name("N")
      ->check(CLI::Range(fewestReplays, mostReplays).description(""));
  app.add_flag("--force", request.force, "overwrite what is no page of graphprof's");
  addFloors(app, request.options);
  const SplitWords words = splitAtDashes(arguments);
  if (const auto status =
          parse(app, words.before, "graphprof html [options] FILE... | BEFORE... -- AFTER..."))
    return status;
  request.compares = words.separated;
  request.sides = {request.options.files, {}, {}};
  if (request.compares)
    request.sides = sidesOf(request.options.files, words.behind, true);
  else if (request.options.files.empty())
    request.sides.wrong = "name a recording; see graphprof html --help";
  std::string wrong = request.sides.wrong.empty() ? readFloors(request.options, request.floors)
                                                  : request.sides.wrong;
  if (wrong.empty())
    wrong = whyNotWritten(request);
  if (wrong.empty())
    return std::nullopt;
  sayOfHtml(wrong);
  return usageError;
}

// Reads the files of a side; some things are looked for when the rest is known.
void read(Recordings &recordings, const std::vector<std::string> &files, RecordingsListener &to,
          PageData &data) {
  recordings.read(files, to);
  data.finish();
  if (RecordingsListener *const again = data.secondLook())
    recordings.read(files, *again);
}

void sayWhatIsMissing(const PageData &data) {
  for (const RunFacts &run : data.runs())
    if (!run.missing.empty())
      sayOfHtml(fmt::format("{}: {}", run.file, run.missing));
}

// The page, in one text. Throws UnreadableRecording.
std::string pageOf(const HtmlRequest &request) {
  Recordings recordings;
  const Sides &sides = request.sides;
  if (!request.compares) {
    PageData data(request.bounds, sides.before.size() > 1);
    read(recordings, sides.before, data, data);
    sayWhatIsMissing(data);
    return pageText(
        titleOf(data.runs()),
        fmt::format(R"({{"sides":[{}],"summary":null,"comparison":null}})", sideJson("", data)));
  }
  checkSides(sides);
  Side before, after;
  // They ran at different times: no clocks are compared.
  PageData beforeData(request.bounds, false), afterData(request.bounds, false);
  Several toBefore({&before, &beforeData}), toAfter({&after, &afterData});
  read(recordings, sides.before, toBefore, beforeData);
  read(recordings, sides.after, toAfter, afterData);
  sayWhatIsMissing(beforeData);
  sayWhatIsMissing(afterData);
  const Comparison comparison = compare(before, after, request.floors);
  return pageText(titleOf(beforeData.runs()) + ": before and after",
                  fmt::format(R"({{"sides":[{},{}],"summary":"{}","comparison":{}}})",
                              sideJson("before", beforeData), sideJson("after", afterData),
                              summaryOf(comparison),
                              jsonText(diffJson(before, after, comparison, request.floors))));
}

} // namespace

int html(const std::vector<std::string> &arguments) {
  HtmlRequest request;
  if (const auto status = parseRequest(arguments, request))
    return *status;
  std::string page;
  try {
    page = pageOf(request);
  } catch (const UnreadableRecording &error) {
    sayOfHtml(error.why);
    return usageError;
  }
  if (request.output == "-")
    return printWhole(page) ? 0 : usageError;
  if (const std::string failed = writeWhole(request.output, page); !failed.empty()) {
    sayOfHtml(failed);
    return usageError;
  }
  constexpr double megabyte = 1e6;
  sayOfHtml(fmt::format("{} written, {:.1f} MB: open it in a browser", request.output,
                        static_cast<double>(page.size()) / megabyte));
  return 0;
}

} // namespace graphprof::tool

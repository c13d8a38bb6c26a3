// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof merge: a job's ranks side by side.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "CommandLine.h"
#include "Commands.h"
#include "Screen.h"
#include "figures/Render.h"
#include "merge/MergedTrace.h"
#include "merge/ShowMerge.h"
#include "merge/StuckRanks.h"
#include "output/MakeOutput.h"
#include "output/data/LossText.h"

namespace graphprof::tool {
namespace {

struct MergeOptions {
  std::vector<std::string> files, groups, roots;
  std::string collectives, show, output;
  std::size_t top = 10;
  bool force = false, all = false, inOrder = false, json = false, csv = false, markdown = false;

  bool operator==(const MergeOptions &) const = default;
};

// What is wrong with the command line.
struct WronglyCalled {
  std::string why;
};

void sayOfMerge(std::string_view text) { sayOf("graphprof merge", text); }

// The parts of "a,b,c".
std::vector<std::string_view> partsOf(std::string_view list) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos)
      return parts;
    list.remove_prefix(comma + 1);
  }
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    return std::nullopt;
  return number;
}

// "0-3,8": the places of these ranks. Throws WronglyCalled.
RankGroup groupOf(std::string_view list, const std::vector<Rank> &ranks) {
  std::set<std::size_t> group;
  for (const std::string_view part : partsOf(list)) {
    const std::size_t dash = part.find('-');
    const auto first = wholeNumber(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : wholeNumber(part.substr(dash + 1));
    if (!first || !last || *last < *first)
      throw WronglyCalled{fmt::format(
          "--group {}: must be numbers of ranks, separated by commas, such as 0,1 or 0-3", list)};
    bool any = false;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i].number >= *first && ranks[i].number <= *last) {
        group.insert(i);
        any = true;
      }
    if (!any)
      throw WronglyCalled{fmt::format("--group {}: no recording is of rank {}", list, part)};
  }
  return {group.begin(), group.end()};
}

std::vector<RankGroup> groupsOf(const MergeOptions &options, const std::vector<Rank> &ranks) {
  std::vector<RankGroup> groups;
  std::set<std::size_t> known;
  for (const std::string &list : options.groups) {
    groups.push_back(groupOf(list, ranks));
    for (const std::size_t rank : groups.back())
      if (!known.insert(rank).second)
        throw WronglyCalled{fmt::format("--group {}: rank {} is in another group already", list,
                                        ranks[rank].number)};
  }
  return groups;
}

// "0", or "weights=0".
std::vector<SaidRoot> rootsOf(const MergeOptions &options) {
  std::vector<SaidRoot> roots;
  for (const std::string &text : options.roots) {
    const std::size_t equals = text.rfind('=');
    const bool hasPaths = equals != std::string::npos;
    const auto rank = wholeNumber(std::string_view(text).substr(hasPaths ? equals + 1 : 0));
    if (!rank)
      throw WronglyCalled{fmt::format("--root {}: must be the number of a rank, or a regular "
                                      "expression for paths, = and a number, such as weights=0",
                                      text)};
    try {
      roots.push_back({text, std::regex(hasPaths ? text.substr(0, equals) : ""), *rank});
    } catch (const std::regex_error &error) {
      throw WronglyCalled{
          fmt::format("--root {}: is not a regular expression: {}", text, error.what())};
    }
  }
  return roots;
}

std::vector<MergeTable> tablesOf(const MergeOptions &options) {
  if (options.show.empty())
    return options.csv ? std::vector{MergeTable::Collectives} : MergeLook().tables;
  std::vector<MergeTable> tables;
  for (const std::string_view word : partsOf(options.show))
    if (word == "ranks")
      tables.push_back(MergeTable::Ranks);
    else if (word == "steps")
      tables.push_back(MergeTable::Steps);
    else if (word == "collectives")
      tables.push_back(MergeTable::Collectives);
    else
      throw WronglyCalled{fmt::format("--show {}: must be ranks, steps or collectives, or several "
                                      "of them, separated by commas",
                                      options.show)};
  if (options.csv && tables.size() > 1)
    throw WronglyCalled{
        fmt::format("--show {}: with --csv one of ranks, steps and collectives", options.show)};
  return tables;
}

WhichCollectives collectivesOf(const MergeOptions &options) {
  WhichCollectives which;
  if (options.collectives.empty())
    return which;
  try {
    which.names = std::regex(options.collectives);
  } catch (const std::regex_error &error) {
    throw WronglyCalled{fmt::format("--collectives {}: is not a regular expression: {}",
                                    options.collectives, error.what())};
  }
  which.chosen = true;
  return which;
}

void checkOutput(const MergeOptions &options) {
  if (!options.output.empty() && !options.output.ends_with(".json") &&
      !options.output.ends_with(".json.gz"))
    throw WronglyCalled{
        fmt::format("-o {}: must be a path that ends with .json or .json.gz, for a Chrome trace",
                    options.output)};
  const Overwriting allowed{.inputs = options.files, .force = options.force};
  if (const std::string why = whyNotWritten(options.output, allowed); !why.empty())
    throw WronglyCalled{fmt::format("-o {}: {}", options.output, why)};
}

// Returns whether it was written.
bool writeTrace(const MergeOptions &options, const Job &job, const JobClocks &clocks) {
  constexpr std::size_t mostRecords = 10'000'000; // about 1 GB
  MergedTrace trace(options.output, mostRecords, job, clocks);
  Recordings recordings;
  recordings.read(options.files, trace);
  if (const std::string failed = trace.close(); !failed.empty()) {
    sayOfMerge(fmt::format("{}: {}", options.output, failed));
    return false;
  }
  sayOfMerge(fmt::format("wrote {}", options.output));
  if (trace.leftOut() > 0)
    sayOfMerge(fmt::format("{}: {} left out: no collective tells their clocks", options.output,
                           counted(trace.leftOut(), "rank is", "ranks are")));
  return true;
}

// Of answers to `graphprof attach PID where --json` no option but --json makes sense.
int showStuck(const MergeOptions &options) {
  const auto answer = std::ranges::find_if(options.files, mayBeAnswer),
             other = std::ranges::find_if_not(options.files, mayBeAnswer);
  if (other != options.files.end())
    throw UnreadableRecording{fmt::format("{} looks like an answer of graphprof attach PID where "
                                          "--json, and {} does not: merge reads either",
                                          *answer, *other)};
  MergeOptions plain;
  plain.files = options.files;
  plain.json = options.json;
  if (options != plain)
    throw WronglyCalled{"answers of graphprof attach PID where --json take no option but --json"};
  return printWhole(stuckRanks(options.files, options.json)) ? 0 : usageError;
}

int show(const MergeOptions &options) {
  if (std::ranges::any_of(options.files, mayBeAnswer))
    return showStuck(options);
  checkOutput(options);
  if (static_cast<int>(options.json) + static_cast<int>(options.csv) +
          static_cast<int>(options.markdown) >
      1)
    throw WronglyCalled{"--json, --csv and --markdown exclude each other"};
  MergeLook look;
  look.tables = tablesOf(options);
  look.most = options.all ? SIZE_MAX : options.top;
  Job job(collectivesOf(options), options.inOrder);
  Recordings recordings;
  recordings.read(options.files, job);
  job.finish();
  const Matching matching(job, groupsOf(options, job.ranks()));
  const JobClocks clocks(job, matching);
  const Roots roots(job, matching, clocks, rootsOf(options));
  const Split split(job, matching, clocks, roots, !options.all && !options.json && !options.csv);
  const MergedJob merged{job, matching, clocks, split};
  if (matching.launches().empty())
    throw UnreadableRecording{"the recordings have no launch in common: no graph and no region "
                              "outside graphs of one rank "
                              "is in the recording of another. Where ranks have graphs of their "
                              "own, as stages of a pipeline do, merge cannot compare them; "
                              "graphprof report --group-by rank shows each"};
  const std::string text = options.json       ? jsonText(mergeJson(merged))
                           : options.csv      ? asCsv(mergeTable(merged, look))
                           : options.markdown ? asMarkdown(mergeDocument(merged, look))
                                              : asText(mergeDocument(merged, look), screenWidth());
  if (options.csv || options.json)
    for (const RunFacts &run : job.runs())
      if (!run.missing.empty())
        sayOfMerge(fmt::format("{}: {}", run.file, run.missing));
  if (options.csv)
    for (const std::string &remark : mergeRemarks(merged))
      sayOfMerge(remark);
  const bool written = options.output.empty() || writeTrace(options, job, clocks);
  return printWhole(text) && written ? 0 : usageError;
}

} // namespace

int merge(const std::vector<std::string> &arguments) {
  MergeOptions options;
  CLI::App app{
      "Shows a job's ranks side by side: which rank holds up the others in which step, and "
      "how long each waits in collectives. Reads a recording of each rank, a binary "
      "file; or of a job that hangs what `graphprof attach PID where --json` prints of each "
      "rank, and says which did not arrive.",
      "graphprof merge"};
  app.footer("Exit status: 0 shown; 2 a file cannot be read, the recordings are not of several "
             "ranks of one job, or called wrongly.");
  app.add_option("FILE", options.files, "what to read")->required();
  app.add_option("--collectives", options.collectives,
                 "kernels and regions whose name matches this are collectives (usually NCCL's "
                 "kernels of all-reduce, all-gather and reduce-scatter)")
      ->type_name("REGEX");
  app.add_option(
         "--group", options.groups,
         "these ranks take part in collectives together, such as 0-3 or 0,4; one option for "
         "each group (usually all ranks)")
      ->type_name("RANKS")
      ->allow_extra_args(false);
  app.add_option("--root", options.roots,
                 "this rank is the root of broadcasts and reductions to one rank, or of those "
                 "whose paths match; one option for each (usually what begins and ends tell)")
      ->type_name("[REGEX=]RANK")
      ->allow_extra_args(false);
  app.add_flag("--in-order", options.inOrder,
               "the recordings are those of ranks 0, 1, 2 and so on, whatever they say");
  app.add_option("-o,--output", options.output,
                 "also write a Chrome trace of all ranks on one clock: PATH.json or PATH.json.gz")
      ->type_name("PATH");
  app.add_flag("--force", options.force, "with -o, overwrite what is no trace of graphprof's");
  app.add_option("--show", options.show, "ranks, steps or collectives, or several (usually all)")
      ->type_name("LIST");
  addTop(app, options.top, "show this many rows of a table (usually 10)");
  app.add_flag("--all", options.all, "show all rows, and each collective in a row of its own");
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--csv", options.csv, "print CSV: of collectives, unless --show says otherwise");
  app.add_flag("--markdown", options.markdown, "print tables in Markdown");
  if (const auto status = parse(app, arguments))
    return *status;
  try {
    return show(options);
  } catch (const WronglyCalled &error) {
    sayOfMerge(error.why);
  } catch (const UnreadableRecording &error) {
    sayOfMerge(error.why);
  }
  return usageError;
}

} // namespace graphprof::tool

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "PrintMerge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "MergedRows.h"
#include "output/data/LossText.h"
#include "output/formats/table/TableText.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "report/Print.h"

namespace graphprof {

namespace {

// A table of texts. The name is in the column `nameColumn`, and is shortened to fit.
struct Texts {
  std::string title, rest; // below it: what is not shown
  std::vector<Column> columns;
  std::vector<Columns::Cells> rows;
  std::size_t nameColumn = 0;
};

std::string exactly(std::int64_t ns) { return formatTime(static_cast<double>(ns)); }

std::string quantile(const Distribution &times, double which) {
  return times.empty() ? std::string(noValue) : formatTime(times.quantileNs(which), times.exact());
}

// What a wait is, or that it is too short to say.
std::string wait(const Distribution &waiting, double which, double uncertaintyNs) {
  if (waiting.empty())
    return std::string(noValue);
  return waiting.quantileNs(which) > uncertaintyNs ? quantile(waiting, which)
                                                   : '<' + formatTime(uncertaintyNs, false);
}

std::string share(std::uint64_t part, std::uint64_t of) {
  constexpr double whole = 100;
  return of == 0 ? std::string(noValue)
                 : fmt::format("{} ({:.0f}%)", part,
                               whole * static_cast<double>(part) / static_cast<double>(of));
}

std::string restOf(std::size_t all, std::size_t most, std::string_view one, std::string_view many) {
  return all > most ? counted(all - most, one, many) + " more (--all)" : std::string();
}

constexpr std::ptrdiff_t busyOfRank = 4, busyOfCollective = 6; // columns

Texts ranksTable(const MergedJob &merged, std::size_t most) {
  Texts table;
  table.title = "time of each rank";
  table.columns = {{"Rank", 0},       {"Host", 0, true}, {"Own time", 0},    {"P95", 0},
                   {"Slowest in", 0}, {"Behind", 0},     {"Last in", 0},     {"Waiting", 0},
                   {"P95", 0},        {"In all", 0},     {"Transferring", 0}};
  table.nameColumn = 1;
  const std::vector<RankSummary> &all = merged.split.ranks();
  const bool anyBusy =
      std::any_of(all.begin(), all.end(), [](const RankSummary &one) { return !one.busy.empty(); });
  if (anyBusy)
    table.columns.insert(table.columns.begin() + busyOfRank, {"Busy", 0});
  const std::vector<std::size_t> order = ranksInOrder(merged, most);
  for (const std::size_t i : order) {
    if (table.rows.size() == most)
      break;
    const Rank &rank = merged.job.ranks()[i];
    const RankSummary &summary = merged.split.ranks()[i];
    const RankShare &all = summary.all;
    table.rows.push_back(
        {fmt::format("{}", rank.number), rank.host.empty() ? std::string(noValue) : rank.host,
         quantile(summary.own, 0.5), quantile(summary.own, 0.95),
         share(summary.slowest, summary.own.count()), quantile(summary.behind, 0.5),
         share(all.last, all.waiting.count()), wait(all.waiting, 0.5, all.uncertaintyNs),
         wait(all.waiting, 0.95, all.uncertaintyNs),
         all.known > 0 ? exactly(all.knownNs) : std::string(noValue),
         quantile(all.transferring, 0.5)});
    Columns::Cells &row = table.rows.back();
    if (anyBusy)
      row.insert(row.begin() + busyOfRank, quantile(summary.busy, 0.5));
  }
  table.rest = restOf(order.size(), most, "rank", "ranks");
  return table;
}

Texts stepsTable(const MergedJob &merged, std::size_t most) {
  Texts table;
  const Split &split = merged.split;
  table.title = split.bySteps() ? "steps in which ranks are furthest apart"
                                : "launches in which ranks are furthest apart";
  table.columns = {{split.bySteps() ? "Step" : "Launch", 0, true},
                   {"Fastest", 0},
                   {"Own time", 0},
                   {"Median", 0},
                   {"Slowest", 0},
                   {"Own time", 0},
                   {"Behind", 0}};
  const std::vector<std::size_t> order = stepsInOrder(split);
  for (const std::size_t i : order) {
    if (table.rows.size() == most)
      break;
    const StepRow &step = split.steps()[i];
    table.rows.push_back({nameOf(step, merged.matching.execs()),
                          fmt::format("rank {}", merged.job.ranks()[step.fastest].number),
                          exactly(step.fastestNs), exactly(step.medianNs),
                          step.decided
                              ? fmt::format("rank {}", merged.job.ranks()[step.slowest].number)
                              : std::string("undecided"),
                          exactly(step.slowestNs), exactly(step.spreadNs())});
  }
  table.rest = restOf(order.size(), most, split.bySteps() ? "step" : "launch",
                      split.bySteps() ? "steps" : "launches");
  return table;
}

// Who was last most often, if not by chance.
std::string lastOf(const MergedJob &merged, const CollectiveRow &row) {
  const std::size_t most = row.lastMostOften();
  if (most == CollectiveRow::none)
    return row.anyLast() ? "no rank more than others" : std::string(noValue);
  return fmt::format("rank {}: {}", merged.job.ranks()[most].number,
                     share(row.ranks[most].last, row.count));
}

// " from rank 0" of a broadcast, " to rank 0" of a reduction.
std::string rootText(const MergedJob &merged, const CollectiveRow &row) {
  if (row.flow == Flow::All)
    return {};
  const std::string_view word = row.flow == Flow::ToRoot ? "to" : "from";
  return row.roots.size() == 1
             ? fmt::format(" {} rank {}", word, merged.job.ranks()[*row.roots.begin()].number)
             : fmt::format(" {} several ranks", word);
}

Texts collectivesTable(const MergedJob &merged, std::size_t most) {
  Texts table;
  table.title = "collectives: waiting for the last rank, and transferring";
  table.columns = {{"Collective", 0, true},
                   {"Count", 0},
                   {"Longest wait", 0},
                   {"P95", 0},
                   {"Max", 0},
                   {"Transferring", 0},
                   {"Uncertainty", 0},
                   {"Last most often", 0, true}};
  const auto &all = merged.split.collectives();
  const bool anyBusy = std::any_of(all.begin(), all.end(),
                                   [](const CollectiveRow &one) { return !one.busy.empty(); });
  if (anyBusy)
    for (const char *const heading : {"Gap", "Busy"})
      table.columns.insert(table.columns.begin() + busyOfCollective, {heading, 0});
  const std::vector<std::size_t> order = collectivesInOrder(merged.split);
  for (const std::size_t i : order) {
    if (table.rows.size() == most)
      break;
    const CollectiveRow &row = merged.split.collectives()[i];
    table.rows.push_back(
        {row.path + (row.paths > 1 ? fmt::format(" ×{}", row.paths) : "") + rootText(merged, row),
         fmt::format("{}", row.count), wait(row.longest, 0.5, row.uncertaintyNs),
         wait(row.longest, 0.95, row.uncertaintyNs), wait(row.longest, 1, row.uncertaintyNs),
         quantile(row.transferring, 0.5), formatTime(row.uncertaintyNs, false),
         lastOf(merged, row)});
    if (!anyBusy)
      continue;
    Columns::Cells &cells = table.rows.back();
    const Batch::Busy busy = row.busy.shown();
    for (const std::int64_t ns : {busy.gapNs, busy.ns})
      cells.insert(cells.begin() + busyOfCollective, timeOrNone(ns));
  }
  table.rest = restOf(order.size(), most, "collective", "collectives");
  if (std::any_of(all.begin(), all.end(), [](const CollectiveRow &row) { return row.paths > 1; }))
    table.rest += std::string(table.rest.empty() ? "" : "; ") +
                  "×N are N collectives that agree; --all shows each";
  return table;
}

Texts make(const MergedJob &merged, MergeTable which, std::size_t most) {
  switch (which) {
  case MergeTable::Ranks:
    return ranksTable(merged, most);
  case MergeTable::Steps:
    return stepsTable(merged, most);
  case MergeTable::Collectives:
    return collectivesTable(merged, most);
  }
  return {};
}

std::string numbersOf(const Job &job, const JobClock &clock) {
  constexpr std::size_t most = 8;
  std::vector<std::int64_t> numbers;
  for (const std::size_t rank : clock.ranks)
    if (numbers.size() < most)
      numbers.push_back(job.ranks()[rank].number);
  return fmt::format(
      "{} {}{}", clock.ranks.size() == 1 ? "rank" : "ranks", fmt::join(numbers, ", "),
      clock.ranks.size() > most ? fmt::format(" and {} more", clock.ranks.size() - most) : "");
}

std::string driftOf(const JobClock &clock) {
  if (clock.nodes.size() < 2 || clock.driftWithinNsPerS > std::abs(clock.driftNsPerS))
    return "its drift too small to be seen in this time";
  return fmt::format("{} {} in a second", clock.driftNsPerS < 0 ? "losing" : "gaining",
                     formatTime(std::abs(clock.driftNsPerS), false));
}

std::string spreadLine(const Split &split) {
  if (split.steps().empty())
    return split.bySteps() ? "no step that all ranks recorded"
                           : "no launch that all ranks recorded";
  return fmt::format("{}; the slowest rank is behind the fastest by {} in the median, {} in P95, "
                     "{} at most",
                     split.bySteps() ? counted(split.steps().size(), "step", "steps")
                                     : counted(split.steps().size(), "launch", "launches"),
                     quantile(split.spread(), 0.5), quantile(split.spread(), 0.95),
                     exactly(split.spread().maxNs()));
}

void addText(std::string &text, Texts table, std::size_t width) {
  if (table.rows.empty())
    return;
  std::vector<std::string> names;
  names.reserve(table.rows.size());
  for (Columns::Cells &row : table.rows)
    names.push_back(printable(std::exchange(row[table.nameColumn], {})));
  Columns widths(table.columns);
  widths.fit(table.rows);
  constexpr std::size_t leastName = 24;
  const std::size_t others =
      widths.width() - std::min(widths.width(), table.columns[table.nameColumn].heading.size());
  const std::size_t room =
      width == 0 ? SIZE_MAX : std::max(leastName, width - std::min(width, others));
  names = shortNames(names, std::vector<std::size_t>(names.size(), room));
  for (std::size_t i = 0; i < names.size(); ++i)
    table.rows[i][table.nameColumn] = names[i];
  Columns lines(std::move(table.columns));
  lines.fit(table.rows);
  lines.add(table.title + '\n');
  lines.rule();
  lines.headings();
  lines.rule();
  for (const Columns::Cells &row : table.rows)
    lines.line(row);
  lines.rule();
  text += std::move(lines).text();
  if (!table.rest.empty())
    text += table.rest + '\n';
}

void addMarkdown(std::string &text, const Texts &table) {
  if (table.rows.empty())
    return;
  text += fmt::format("**{}**\n\n|", table.title);
  for (const Column &column : table.columns)
    text += fmt::format(" {} |", column.heading);
  text += "\n|";
  for (const Column &column : table.columns)
    text += column.left ? " --- |" : " ---: |";
  text += '\n';
  for (const Columns::Cells &row : table.rows) {
    text += '|';
    for (const std::string &cell : row)
      text += fmt::format(" {} |", markdownCell(cell));
    text += '\n';
  }
  text += table.rest.empty() ? "\n" : fmt::format("\n{}\n\n", table.rest);
}

std::vector<std::string> losses(const MergedJob &merged) {
  Losses all{};
  for (const RunFacts &run : merged.job.runs())
    for (const LossKind &kind : lossKinds())
      all.*kind.count += run.losses.*kind.count;
  return lossSentences(all);
}

} // namespace

std::vector<std::string> clockLines(const Job &job, const JobClocks &clocks) {
  std::vector<std::string> lines;
  lines.reserve(clocks.clocks().size());
  for (const JobClock &clock : clocks.clocks()) {
    double known = 0;
    for (const std::size_t rank : clock.ranks)
      known = std::max(known, clocks.uncertaintyNs(rank));
    std::string line = fmt::format("clock of {}{}: ", clock.host.empty() ? "" : clock.host + ", ",
                                   numbersOf(job, clock));
    if (!clock.known)
      line += "not known: no collective in common with the others";
    else if (clock.collectives == 0)
      line += fmt::format("the host's, within {}", formatTime(known, false));
    else
      line +=
          fmt::format("{} {} the first at its begin, {}, within {}; from the ends of {}",
                      exactly(std::abs(clock.aheadNs)), clock.aheadNs < 0 ? "behind" : "ahead of",
                      driftOf(clock), formatTime(known, false),
                      counted(clock.collectives, "collective", "collectives"));
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> mergeRemarks(const MergedJob &merged) {
  std::vector<std::string> said = merged.job.remarks();
  said.insert(said.end(), merged.clocks.remarks().begin(), merged.clocks.remarks().end());
  const auto say = [&](std::uint64_t count, std::string_view one, std::string_view many,
                       std::string_view what) {
    if (count > 0)
      said.push_back(fmt::format("{} {}", counted(count, one, many), what));
  };
  const std::vector<std::uint64_t> &replays = merged.matching.replays();
  const auto [least, most] = std::minmax_element(replays.begin(), replays.end());
  if (*least != *most)
    said.push_back(fmt::format(
        "the ranks recorded different numbers of replays: rank {} {}, rank {} {}",
        merged.job.ranks()[static_cast<std::size_t>(least - replays.begin())].number, *least,
        merged.job.ranks()[static_cast<std::size_t>(most - replays.begin())].number, *most));
  const Unmatched &unmatched = merged.matching.unmatched();
  say(unmatched.replays, "replay", "replays",
      "not compared: other ranks have the graph, but not this launch");
  say(unmatched.replaysAlone, "replay", "replays",
      "not compared: of graphs and regions that one rank has only");
  say(unmatched.collectives, "collective", "collectives",
      "not split: not in the same launch of the other ranks");
  say(unmatched.notMeasured, "collective", "collectives", "not split: not measured on all ranks");
  say(unmatched.twice, "replay", "replays", "in two files of a process: counted once");
  say(merged.split.notComparable(), "collective", "collectives",
      "not split: of ranks whose clocks cannot be compared");
  say(merged.split.impossible(), "collective", "collectives",
      "not split: a rank ended before another began, so they are no collective of all these ranks; "
      "--group says which ranks go together");
  say(merged.split.cold(), "cold launch", "cold launches",
      "left out: some code ran for the first time");
  say(merged.split.rootUnknown(), "broadcast, reduction to one rank, or send",
      "broadcasts, reductions to one rank, or sends",
      "not split: which rank is the root is not known; --root says it");
  say(merged.split.rootContradicted(), "broadcast, reduction to one rank, or send",
      "broadcasts, reductions to one rank, or sends",
      "not split: a rank that would be the root began after another had ended, or ended before "
      "another began; --group says which ranks go together, --root which is the root");
  say(unmatched.sends, "send or receive", "sends and receives",
      "not split: which of more than two ranks talk to each other is not known; --group says it");
  std::uint64_t notSplit = 0, noCollectives = 0;
  for (const Rank &rank : merged.job.ranks()) {
    notSplit += rank.notSplit;
    noCollectives += rank.spans.empty() ? 1 : 0;
  }
  say(notSplit, "record", "records",
      "of NCCL's other kernels not split: who waits for whom in them is not known");
  if (noCollectives > 0)
    said.push_back(fmt::format(
        "{}: record with GRAPHPROF_NODES=1, as graphprof run does, or name the regions around them "
        "with --collectives",
        noCollectives == merged.job.ranks().size()
            ? "there is no collective in the recordings"
            : counted(noCollectives, "rank has", "ranks have") + " no collective"));
  for (const RunFacts &run : merged.job.runs())
    said.insert(said.end(), run.remarks.begin(), run.remarks.end());
  return said;
}

std::string mergeText(const MergedJob &merged, const MergeLook &look) {
  std::string text = runsText(merged.job.runs(), "");
  for (const std::string &line : clockLines(merged.job, merged.clocks))
    text += printable(line) + '\n';
  for (const MergeTable which : look.tables) {
    addText(text, make(merged, which, look.most), look.width);
    if (which == MergeTable::Steps)
      text += spreadLine(merged.split) + '\n';
  }
  for (const std::string &sentence : mergeRemarks(merged))
    text += printable(sentence) + '\n';
  for (const std::string &sentence : losses(merged))
    text += sentence + '\n';
  return text;
}

std::string mergeMarkdown(const MergedJob &merged, const MergeLook &look) {
  std::string text;
  for (const MergeTable which : look.tables)
    addMarkdown(text, make(merged, which, look.most));
  fmt::format_to(std::back_inserter(text), "- {}\n", spreadLine(merged.split));
  for (const std::string &line : clockLines(merged.job, merged.clocks))
    text += fmt::format("- {}\n", markdownCell(line));
  for (const std::string &sentence : mergeRemarks(merged))
    text += fmt::format("- {}\n", markdownCell(sentence));
  for (const std::string &sentence : losses(merged))
    text += fmt::format("- {}\n", sentence);
  text += runsText(merged.job.runs(), "- ");
  return text;
}

} // namespace graphprof

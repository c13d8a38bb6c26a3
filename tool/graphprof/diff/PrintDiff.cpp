// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "PrintDiff.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "figures/Runs.h"
#include "output/data/LossText.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "report/Print.h"

namespace graphprof {

namespace {

constexpr double whole = 100; // percent

std::string time(double ns) { return ns < 0 ? std::string(noValue) : formatTime(ns); }
std::string change(double ratio) { return fmt::format("{:+.2f}%", whole * (ratio - 1)); }

// Of a FigureFinding or a BusyFinding.
template <class Found> std::string changeOf(const Found &of) {
  if (of.ratio > 0)
    return change(of.ratio);
  return of.beforeNs > 0 && of.afterNs > 0 ? '(' + change(of.afterNs / of.beforeNs) + ')'
                                           : std::string(noValue);
}

template <class Found> std::string intervalOf(const Found &of) {
  return of.ratio > 0 ? fmt::format("{} .. {}", change(of.low), change(of.high))
                      : std::string(noValue);
}

std::string noiseOf(double noise) {
  return noise < 0 ? std::string(noValue) : fmt::format("{:.2f}%", whole * noise);
}

// "slower", or "slower (median)" if it is not by both figures.
std::string verdictOf(const Finding &finding) {
  std::string text(word(finding.verdict));
  if (finding.verdict == Verdict::Slower || finding.verdict == Verdict::Faster)
    for (const Measure figure : finding.by())
      text += fmt::format(" ({})", word(figure));
  return text;
}

// What would decide it; empty: nothing is known to.
std::string whatDecides(const Finding &finding) {
  if (finding.verdict != Verdict::Undecided)
    return {};
  std::string text;
  if (finding.mayBeModes)
    text = "a process may keep one of several speeds, and so few may all have had the same one";
  if (finding.seen > 0)
    text += fmt::format("{}a change of {:.3g}% would have been seen; {} would show one of {:.3g}%",
                        text.empty() ? "" : "; ", whole * finding.seen,
                        finding.moreProcesses == 0
                            ? std::string("only more than 1000 more processes a side")
                            : fmt::format("about {} more {} a side", finding.moreProcesses,
                                          finding.moreProcesses == 1 ? "process" : "processes"),
                        whole * finding.least);
  return text;
}

// What is said below the line of a finding; empty: nothing.
std::string noteOf(const Finding &finding) {
  std::string note;
  if (!finding.renamedFrom.empty())
    note = "was " + finding.renamedFrom;
  if (!finding.why.empty())
    note += (note.empty() ? "" : "; ") + finding.why;
  if (finding.perReplayNs >= 0)
    note += fmt::format("{}{} a replay", note.empty() ? "" : "; ", formatTime(finding.perReplayNs));
  if (const std::string decides = whatDecides(finding); !decides.empty())
    note += (note.empty() ? "" : "; ") + decides;
  return note;
}

std::vector<const Finding *> shownOf(const Comparison &comparison, const DiffLook &look) {
  std::vector<const Finding *> shown;
  for (const Finding &finding : comparison.findings)
    if (look.all || (shown.size() < look.most &&
                     (finding.verdict != Verdict::Same || !finding.renamedFrom.empty())))
      shown.push_back(&finding);
  return shown;
}

// The table of busy times: those that changed, and those of what the other table shows.
std::vector<const Finding *> busyOf(const Comparison &comparison, const DiffLook &look) {
  const std::vector<const Finding *> shown = shownOf(comparison, look);
  std::vector<const Finding *> busy;
  for (const Finding &finding : comparison.findings)
    if (finding.busy.isKnown() &&
        (look.all || (busy.size() < look.most &&
                      (finding.busy.isChanged() ||
                       std::find(shown.begin(), shown.end(), &finding) != shown.end()))))
      busy.push_back(&finding);
  std::sort(busy.begin(), busy.end(), [](const Finding *one, const Finding *other) {
    const auto verdict = [](const Finding *of) { return of->busy.verdict.value_or(Verdict::Gone); };
    return verdict(one) != verdict(other) ? verdict(one) < verdict(other) : one < other;
  });
  return busy;
}

std::string busyVerdictOf(const BusyFinding &busy) {
  return busy.verdict ? std::string(word(*busy.verdict)) : std::string(noValue);
}

// Of both sides: their runs, and what they lost.
std::vector<std::string> lossesOf(const Side &side, std::string_view name) {
  std::vector<std::string> sentences;
  Losses all{};
  for (const RunFacts &run : side.runs())
    for (const LossKind &kind : lossKinds())
      all.*kind.count += run.losses.*kind.count;
  for (const std::string &sentence : lossSentences(all))
    sentences.push_back(fmt::format("{}: {}", name, sentence));
  return sentences;
}

// One reason for all rows is said once.
bool sameReason(const std::vector<const Finding *> &shown) {
  return shown.size() > 1 && std::all_of(shown.begin(), shown.end(), [&](const Finding *finding) {
           return finding->verdict == Verdict::NotComparable && finding->why == shown.front()->why;
         });
}

template <class CountOf> std::string summary(CountOf countOf) {
  std::string text;
  for (const Verdict verdict : {Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Undecided,
                                Verdict::NotComparable, Verdict::New, Verdict::Gone})
    if (const std::size_t count = countOf(verdict); count > 0 || verdict == Verdict::Slower)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word(verdict));
  return text;
}

std::string busySummaryOf(const Comparison &comparison) {
  return "busy times: " + summary([&](Verdict verdict) { return comparison.countBusy(verdict); });
}

// What one or both sides know of none of them: not a line.
bool anyBusyCompared(const Comparison &comparison) {
  return std::any_of(comparison.findings.begin(), comparison.findings.end(),
                     [](const Finding &finding) { return finding.busy.verdict.has_value(); });
}

// The lines of the table of one finding; the cell of its name is filled in later.
struct FindingLines {
  std::vector<Columns::Cells> lines;
  std::string note; ///< below them; empty: none
};

// Fits names into what the other columns leave of a line, and prints.
std::string findingsTable(std::vector<Column> columns, std::vector<FindingLines> rows,
                          const std::vector<const Finding *> &shown, const DiffLook &look) {
  if (rows.empty())
    return {};
  std::vector<std::string> names;
  names.reserve(shown.size());
  for (const Finding *finding : shown)
    names.push_back(printable(finding->path));
  Columns widths(columns), table(std::move(columns));
  for (const FindingLines &row : rows)
    widths.fit(row.lines);
  constexpr std::size_t leastName = 24;
  const std::size_t others = widths.width() - std::string_view("Region").size();
  const std::size_t room =
      look.width == 0 ? SIZE_MAX : std::max(leastName, look.width - std::min(look.width, others));
  names = shortNames(names, std::vector<std::size_t>(names.size(), room));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].lines.front()[1] = names[i];
    table.fit(rows[i].lines);
  }
  table.rule();
  table.headings();
  table.rule();
  for (const FindingLines &row : rows) {
    for (const Columns::Cells &line : row.lines)
      table.line(line);
    if (!row.note.empty())
      table.add(fmt::format("    {}\n", printable(row.note)));
  }
  table.rule();
  return std::move(table).text();
}

// Its mean, median and P95. Of what is on one side only, the mean.
std::vector<Columns::Cells> linesOf(const Finding &finding) {
  std::vector<Columns::Cells> lines;
  for (const Measure figure : allMeasures) {
    const FigureFinding &of = finding.of(figure);
    if (lines.empty() || of.ratio > 0)
      lines.push_back({lines.empty() ? verdictOf(finding) : std::string(),
                       {},
                       std::string(word(figure)),
                       time(of.beforeNs),
                       noiseOf(of.beforeNoise),
                       time(of.afterNs),
                       noiseOf(of.afterNoise),
                       changeOf(of),
                       intervalOf(of)});
  }
  return lines;
}

std::string busyText(const Comparison &comparison, const DiffLook &look) {
  const std::vector<const Finding *> shown = busyOf(comparison, look);
  std::vector<FindingLines> rows;
  for (const Finding *finding : shown) {
    const BusyFinding &busy = finding->busy;
    rows.push_back({{{busyVerdictOf(busy),
                      {},
                      time(busy.beforeNs),
                      time(busy.afterNs),
                      changeOf(busy),
                      intervalOf(busy),
                      time(busy.beforeGapNs),
                      time(busy.afterGapNs)}},
                    {}});
  }
  std::string text = findingsTable({{"Busy", 0, true},
                                    {"Region", 0, true},
                                    {"Before", 0},
                                    {"After", 0},
                                    {"Change", 0},
                                    {"Interval", 0},
                                    {"Gap before", 0},
                                    {"Gap after", 0}},
                                   std::move(rows), shown, look);
  return anyBusyCompared(comparison) ? text + busySummaryOf(comparison) + '\n' : text;
}

std::string busyMarkdown(const Comparison &comparison, const DiffLook &look) {
  const std::vector<const Finding *> shown = busyOf(comparison, look);
  if (shown.empty())
    return {};
  std::string text = "| Busy | Region | Before | After | Change | Interval | Gap before | Gap "
                     "after |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const Finding *finding : shown) {
    const BusyFinding &busy = finding->busy;
    fmt::format_to(std::back_inserter(text), "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                   busyVerdictOf(busy), markdownCell(finding->path), time(busy.beforeNs),
                   time(busy.afterNs), changeOf(busy), intervalOf(busy), time(busy.beforeGapNs),
                   time(busy.afterGapNs));
  }
  text += '\n';
  return text;
}

} // namespace

std::string summaryOf(const Comparison &comparison) {
  return summary([&](Verdict verdict) { return comparison.count(verdict); });
}

std::string diffText(const Side &before, const Side &after, const Comparison &comparison,
                     const DiffLook &look) {
  std::string text = runsText(before.runs(), "before: ") + runsText(after.runs(), "after:  ");
  const std::vector<const Finding *> shown = shownOf(comparison, look);
  const bool once = sameReason(shown);
  std::vector<FindingLines> rows;
  rows.reserve(shown.size());
  for (const Finding *finding : shown)
    rows.push_back({linesOf(*finding), once ? std::string() : noteOf(*finding)});
  text += findingsTable({{"Verdict", 0, true},
                         {"Region", 0, true},
                         {"Figure", 0, true},
                         {"Before", 0},
                         {"Noise", 0},
                         {"After", 0},
                         {"Noise", 0},
                         {"Change", 0},
                         {"Interval", 0}},
                        std::move(rows), shown, look);
  if (once)
    text += printable(shown.front()->why) + '\n';
  text += summaryOf(comparison) + '\n';
  text += busyText(comparison, look);
  for (const std::string &remark : comparison.remarks)
    text += printable(remark) + '\n';
  for (const auto &[side, name] : {std::pair(&before, "before"), std::pair(&after, "after")})
    for (const std::string &sentence : lossesOf(*side, name))
      text += sentence + '\n';
  return text;
}

std::string diffMarkdown(const Side &before, const Side &after, const Comparison &comparison,
                         const DiffLook &look) {
  std::string text = fmt::format("**graphprof: {}**\n\n", summaryOf(comparison));
  const std::vector<const Finding *> shown = shownOf(comparison, look);
  const bool once = sameReason(shown);
  auto out = std::back_inserter(text);
  if (!shown.empty()) {
    text += "| Verdict | Region | Figure | Before | Noise | After | Noise | Change | Interval |\n"
            "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (const Finding *finding : shown) {
      const std::string note = once ? std::string() : noteOf(*finding);
      std::vector<Columns::Cells> lines = linesOf(*finding);
      lines.front()[1] = markdownCell(finding->path);
      if (!note.empty())
        lines.front()[1] += fmt::format(" ({})", markdownCell(note));
      for (const Columns::Cells &line : lines)
        fmt::format_to(out, "| {} |\n", fmt::join(line, " | "));
    }
    text += '\n';
  }
  text += busyMarkdown(comparison, look);
  if (once)
    fmt::format_to(out, "- {}\n", markdownCell(shown.front()->why));
  if (anyBusyCompared(comparison))
    fmt::format_to(out, "- {}\n", busySummaryOf(comparison));
  for (const std::string &remark : comparison.remarks)
    fmt::format_to(out, "- {}\n", markdownCell(remark));
  for (const auto &[side, name] : {std::pair(&before, "before"), std::pair(&after, "after")})
    for (const std::string &sentence : lossesOf(*side, name))
      fmt::format_to(out, "- {}\n", sentence);
  text += runsText(before.runs(), "- before: ") + runsText(after.runs(), "- after: ");
  return text;
}

std::string diffJson(const Side &before, const Side &after, const Comparison &comparison,
                     const Floors &floors) {
  OrderedJson counts = OrderedJson::object();
  for (const Verdict verdict : {Verdict::Slower, Verdict::Faster, Verdict::Same, Verdict::Undecided,
                                Verdict::NotComparable, Verdict::New, Verdict::Gone})
    counts[std::string(word(verdict))] = comparison.count(verdict);
  OrderedJson document = {{"graphprof_diff", 1},
                          {"before", runsJson(before.runs())},
                          {"after", runsJson(after.runs())},
                          {"threshold", comparison.single ? floors.single : floors.threshold},
                          {"floor_ns", comparison.single ? floors.singleFloorNs : floors.floorNs},
                          {"confidence", 1 - floors.alpha},
                          {"counts", counts},
                          {"remarks", comparison.remarks}};
  OrderedJson &list = document["findings"] = OrderedJson::array();
  for (const Finding &finding : comparison.findings) {
    const auto known = [](bool is, double figure) {
      return is ? OrderedJson(figure) : OrderedJson();
    };
    const auto figureJson = [&](const FigureFinding &of) {
      return OrderedJson{{"before_ns", known(of.beforeNs >= 0, of.beforeNs)},
                         {"after_ns", known(of.afterNs >= 0, of.afterNs)},
                         {"before_noise", known(of.beforeNoise >= 0, of.beforeNoise)},
                         {"after_noise", known(of.afterNoise >= 0, of.afterNoise)},
                         {"ratio", known(of.ratio > 0, of.ratio)},
                         {"low", known(of.ratio > 0, of.low)},
                         {"high", known(of.ratio > 0, of.high)}};
    };
    OrderedJson by = OrderedJson::array();
    if (finding.verdict == Verdict::Slower || finding.verdict == Verdict::Faster)
      for (const Measure figure : {Measure::Mean, Measure::Median})
        if (finding.of(figure).verdict == finding.verdict)
          by.push_back(word(figure));
    const bool undecided = finding.verdict == Verdict::Undecided && finding.seen > 0;
    const BusyFinding &busy = finding.busy;
    list.push_back(
        {{"verdict", word(finding.verdict)},
         {"path", utf8(finding.path)},
         {"renamed_from",
          finding.renamedFrom.empty() ? OrderedJson() : OrderedJson(utf8(finding.renamedFrom))},
         {"kind", finding.kind},
         {"source", finding.source.empty() ? OrderedJson() : OrderedJson(utf8(finding.source))},
         {"by", std::move(by)},
         {"before_count", finding.beforeCount},
         {"after_count", finding.afterCount},
         {"mean", figureJson(finding.mean())},
         {"median", figureJson(finding.of(Measure::Median))},
         {"p95", figureJson(finding.of(Measure::P95))},
         {"per_replay_ns", known(finding.perReplayNs >= 0, finding.perReplayNs)},
         {"would_have_seen", known(undecided, finding.seen)},
         {"more_processes", undecided && finding.moreProcesses > 0
                                ? OrderedJson(finding.moreProcesses)
                                : OrderedJson()},
         {"before_busy_ns", known(busy.beforeNs >= 0, busy.beforeNs)},
         {"after_busy_ns", known(busy.afterNs >= 0, busy.afterNs)},
         {"before_busy_replays", busy.beforeReplays},
         {"after_busy_replays", busy.afterReplays},
         {"before_gap_ns", known(busy.beforeGapNs >= 0, busy.beforeGapNs)},
         {"after_gap_ns", known(busy.afterGapNs >= 0, busy.afterGapNs)},
         {"busy_verdict", busy.verdict ? OrderedJson(word(*busy.verdict)) : OrderedJson()},
         {"busy_ratio", known(busy.ratio > 0, busy.ratio)},
         {"busy_low", known(busy.ratio > 0, busy.low)},
         {"busy_high", known(busy.ratio > 0, busy.high)},
         {"why", finding.why.empty() ? OrderedJson() : OrderedJson(utf8(finding.why))},
         {"note", utf8(noteOf(finding))}});
  }
  return document.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

} // namespace graphprof

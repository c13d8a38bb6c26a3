// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "PrintDiff.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "output/data/LossText.h"
#include "output/io/Columns.h"
#include "output/io/ShortName.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "report/Print.h"
#include "report/RunsJson.h"

namespace graphprof {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double whole = 100; // percent

std::string time(double ns) { return ns < 0 ? std::string(noValue) : formatTime(ns); }
std::string change(double ratio) { return fmt::format("{:+.2f}%", whole * (ratio - 1)); }

std::string changeOf(const Finding &finding) {
  if (finding.ratio > 0)
    return change(finding.ratio);
  return finding.beforeNs > 0 && finding.afterNs > 0
             ? '(' + change(finding.afterNs / finding.beforeNs) + ')'
             : std::string(noValue);
}

std::string intervalOf(const Finding &finding) {
  return finding.ratio > 0 ? fmt::format("{} .. {}", change(finding.low), change(finding.high))
                           : std::string(noValue);
}

// What is said below the line of a finding; empty: nothing.
std::string noteOf(const Finding &finding) {
  std::string note;
  if (!finding.renamedFrom.empty())
    note = "was " + finding.renamedFrom;
  if (!finding.why.empty())
    note += (note.empty() ? "" : "; ") + finding.why;
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
std::string busyChangeOf(const BusyFinding &busy) {
  if (busy.ratio > 0)
    return change(busy.ratio);
  return busy.beforeNs > 0 && busy.afterNs > 0 ? '(' + change(busy.afterNs / busy.beforeNs) + ')'
                                               : std::string(noValue);
}
std::string busyIntervalOf(const BusyFinding &busy) {
  return busy.ratio > 0 ? fmt::format("{} .. {}", change(busy.low), change(busy.high))
                        : std::string(noValue);
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

// Fits names into what the other columns leave of a line, and prints.
std::string findingsTable(std::vector<Column> columns, std::vector<Columns::Cells> rows,
                          const std::vector<const Finding *> &shown, const DiffLook &look,
                          const std::vector<std::string> &notes) {
  std::vector<std::string> names;
  names.reserve(shown.size());
  for (const Finding *finding : shown)
    names.push_back(printable(finding->path));
  Columns widths(columns);
  widths.fit(rows);
  constexpr std::size_t leastName = 24;
  const std::size_t others = widths.width() - std::string_view("Region").size();
  const std::size_t room =
      look.width == 0 ? SIZE_MAX : std::max(leastName, look.width - std::min(look.width, others));
  names = shortNames(names, std::vector<std::size_t>(names.size(), room));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i][1] = names[i];
  Columns table(std::move(columns));
  table.fit(rows);
  if (rows.empty())
    return {};
  table.rule();
  table.headings();
  table.rule();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.line(rows[i]);
    if (!notes.empty() && !notes[i].empty())
      table.add(fmt::format("    {}\n", printable(notes[i])));
  }
  table.rule();
  return std::move(table).text();
}

std::string busyText(const Comparison &comparison, const DiffLook &look) {
  const std::vector<const Finding *> shown = busyOf(comparison, look);
  std::vector<Columns::Cells> rows;
  for (const Finding *finding : shown) {
    const BusyFinding &busy = finding->busy;
    rows.push_back({busyVerdictOf(busy),
                    {},
                    time(busy.beforeNs),
                    time(busy.afterNs),
                    busyChangeOf(busy),
                    busyIntervalOf(busy),
                    time(busy.beforeGapNs),
                    time(busy.afterGapNs)});
  }
  std::string text = findingsTable({{"Busy", 0, true},
                                    {"Region", 0, true},
                                    {"Before", 0},
                                    {"After", 0},
                                    {"Change", 0},
                                    {"Interval", 0},
                                    {"Gap before", 0},
                                    {"Gap after", 0}},
                                   std::move(rows), shown, look, {});
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
                   time(busy.afterNs), busyChangeOf(busy), busyIntervalOf(busy),
                   time(busy.beforeGapNs), time(busy.afterGapNs));
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
  std::vector<Columns::Cells> rows;
  std::vector<std::string> notes;
  for (const Finding *finding : shown) {
    rows.push_back({std::string(word(finding->verdict)),
                    {},
                    time(finding->beforeNs),
                    time(finding->afterNs),
                    changeOf(*finding),
                    intervalOf(*finding)});
    notes.push_back(once ? std::string() : noteOf(*finding));
  }
  text += findingsTable({{"Verdict", 0, true},
                         {"Region", 0, true},
                         {"Before", 0},
                         {"After", 0},
                         {"Change", 0},
                         {"Interval", 0}},
                        std::move(rows), shown, look, notes);
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
    text += "| Verdict | Region | Before | After | Change | Interval |\n"
            "| --- | --- | ---: | ---: | ---: | ---: |\n";
    for (const Finding *finding : shown) {
      const std::string note = once ? std::string() : noteOf(*finding);
      fmt::format_to(out, "| {} | {}{} | {} | {} | {} | {} |\n", word(finding->verdict),
                     markdownCell(finding->path),
                     note.empty() ? "" : fmt::format(" ({})", markdownCell(note)),
                     time(finding->beforeNs), time(finding->afterNs), changeOf(*finding),
                     intervalOf(*finding));
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
    const bool compared = finding.ratio > 0;
    const BusyFinding &busy = finding.busy;
    list.push_back(
        {{"verdict", word(finding.verdict)},
         {"path", utf8(finding.path)},
         {"renamed_from",
          finding.renamedFrom.empty() ? OrderedJson() : OrderedJson(utf8(finding.renamedFrom))},
         {"kind", finding.kind},
         {"source", finding.source.empty() ? OrderedJson() : OrderedJson(utf8(finding.source))},
         {"before_ns", known(finding.beforeNs >= 0, finding.beforeNs)},
         {"after_ns", known(finding.afterNs >= 0, finding.afterNs)},
         {"before_count", finding.beforeCount},
         {"after_count", finding.afterCount},
         {"ratio", known(compared, finding.ratio)},
         {"low", known(compared, finding.low)},
         {"high", known(compared, finding.high)},
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
         {"why", finding.why.empty() ? OrderedJson() : OrderedJson(utf8(finding.why))}});
  }
  return document.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ShowDiff.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "figures/Runs.h"
#include "output/io/Units.h"

namespace graphprof {

namespace {

constexpr double whole = 100; // percent

using Holds = FigureColumn::Holds;

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

Figure noiseOf(double noise) { return Figure::percent(noise < 0 ? noise : whole * noise); }

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

Figure busyVerdictOf(const BusyFinding &busy) {
  return busy.verdict ? Figure(word(*busy.verdict)) : Figure();
}

// One reason for all rows is said once.
bool sameReason(const std::vector<const Finding *> &shown) {
  return shown.size() > 1 && std::all_of(shown.begin(), shown.end(), [&](const Finding *finding) {
           return finding->verdict == Verdict::NotComparable && finding->why == shown.front()->why;
         });
}

// As they are counted.
constexpr std::array allVerdicts = {Verdict::Slower,    Verdict::Faster,        Verdict::Same,
                                    Verdict::Undecided, Verdict::NotComparable, Verdict::New,
                                    Verdict::Gone};

template <class CountOf> std::string summary(CountOf countOf) {
  std::string text;
  for (const Verdict verdict : allVerdicts)
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

// A finding has a line for each measure that has a ratio, and one in any case: of what is on one
// side only, the mean. `noted`: with what is said of it.
FigureTable linesTable(const std::vector<const Finding *> &findings, bool noted) {
  FigureTable table;
  for (const Finding *finding : findings)
    for (const Measure measure : allMeasures) {
      const FigureFinding &of = finding->of(measure);
      const bool isFirst = measure == allMeasures.front();
      if (!isFirst && of.ratio <= 0)
        continue;
      table.next();
      table.add("", "Verdict", isFirst ? verdictOf(*finding) : "", Holds::Texts);
      table.add("", "Region", isFirst ? finding->path : "", Holds::Names);
      table.add("", "Figure", word(measure), Holds::Texts);
      table.add("", "Before", Figure::time(of.beforeNs));
      table.add("", "Noise", noiseOf(of.beforeNoise));
      table.add("", "After", Figure::time(of.afterNs));
      table.add("", "Noise", noiseOf(of.afterNoise));
      table.add("", "Change", changeOf(of));
      table.add("", "Interval", intervalOf(of));
      table.notes.push_back(noted && isFirst ? noteOf(*finding) : std::string());
    }
  return table;
}

FigureTable busyTable(const std::vector<const Finding *> &findings) {
  FigureTable table;
  for (const Finding *finding : findings) {
    const BusyFinding &busy = finding->busy;
    table.next();
    table.add("", "Busy", busyVerdictOf(busy), Holds::Texts);
    table.add("", "Region", finding->path, Holds::Names);
    table.add("", "Before", Figure::time(busy.beforeNs));
    table.add("", "After", Figure::time(busy.afterNs));
    table.add("", "Change", changeOf(busy));
    table.add("", "Interval", intervalOf(busy));
    table.add("", "Gap before", Figure::time(busy.beforeGapNs));
    table.add("", "Gap after", Figure::time(busy.afterGapNs));
  }
  return table;
}

void addMeasure(FigureTable &table, const std::string &before, const FigureFinding &of) {
  table.add(before + "before_ns", Figure::time(of.beforeNs));
  table.add(before + "after_ns", Figure::time(of.afterNs));
  table.add(before + "before_noise", Figure(of.beforeNoise).onlyIf(of.beforeNoise >= 0));
  table.add(before + "after_noise", Figure(of.afterNoise).onlyIf(of.afterNoise >= 0));
  table.add(before + "ratio", Figure(of.ratio).onlyIf(of.ratio > 0));
  table.add(before + "low", Figure(of.low).onlyIf(of.ratio > 0));
  table.add(before + "high", Figure(of.high).onlyIf(of.ratio > 0));
}

// All that is known of each finding, for programs.
FigureTable dataTable(const std::vector<Finding> &findings) {
  FigureTable table;
  for (const Finding &finding : findings) {
    const BusyFinding &busy = finding.busy;
    const bool saw = finding.verdict == Verdict::Undecided && finding.seen > 0;
    table.next();
    table.add("verdict", word(finding.verdict));
    table.add("path", finding.path);
    table.add("renamed_from", Figure::text(finding.renamedFrom));
    table.add("kind", finding.kind);
    table.add("source", Figure::text(finding.source));
    table.add("before_count", finding.beforeCount);
    table.add("after_count", finding.afterCount);
    addMeasure(table, "mean/", finding.of(Measure::Mean));
    addMeasure(table, "median/", finding.of(Measure::Median));
    addMeasure(table, "p95/", finding.of(Measure::P95));
    table.add("per_replay_ns", Figure::time(finding.perReplayNs));
    table.add("would_have_seen", Figure(finding.seen).onlyIf(saw));
    table.add("more_processes",
              Figure(finding.moreProcesses).onlyIf(saw && finding.moreProcesses > 0));
    table.add("before_busy_ns", Figure::time(busy.beforeNs));
    table.add("after_busy_ns", Figure::time(busy.afterNs));
    table.add("before_busy_replays", busy.beforeReplays);
    table.add("after_busy_replays", busy.afterReplays);
    table.add("before_gap_ns", Figure::time(busy.beforeGapNs));
    table.add("after_gap_ns", Figure::time(busy.afterGapNs));
    table.add("busy_verdict", busyVerdictOf(busy));
    table.add("busy_ratio", Figure(busy.ratio).onlyIf(busy.ratio > 0));
    table.add("busy_low", Figure(busy.low).onlyIf(busy.ratio > 0));
    table.add("busy_high", Figure(busy.high).onlyIf(busy.ratio > 0));
    table.add("why", Figure::text(finding.why));
    table.add("note", noteOf(finding));
  }
  return table;
}

// The figures that its verdict comes from.
OrderedJson byJson(const Finding &finding) {
  OrderedJson by = OrderedJson::array();
  if (finding.verdict == Verdict::Slower || finding.verdict == Verdict::Faster)
    for (const Measure measure : {Measure::Mean, Measure::Median})
      if (finding.of(measure).verdict == finding.verdict)
        by.push_back(word(measure));
  return by;
}

} // namespace

std::string summaryOf(const Comparison &comparison) {
  return summary([&](Verdict verdict) { return comparison.count(verdict); });
}

Document diffDocument(const Side &before, const Side &after, const Comparison &comparison,
                      const DiffLook &look) {
  Document document;
  document.about = runLines(before.runs(), "before: ");
  std::ranges::move(runLines(after.runs(), "after:  "), std::back_inserter(document.about));

  const std::vector<const Finding *> shown = shownOf(comparison, look);
  const bool once = sameReason(shown);
  Section durations{"", linesTable(shown, !once)};
  if (once)
    durations.notes.push_back(shown.front()->why);
  durations.result = summaryOf(comparison);
  Section busy{"", busyTable(busyOf(comparison, look))};
  if (anyBusyCompared(comparison))
    busy.notes.push_back(busySummaryOf(comparison));
  document.sections = {std::move(durations), std::move(busy)};

  document.notes = comparison.remarks;
  std::ranges::move(lossLines(before.runs(), "before: "), std::back_inserter(document.notes));
  std::ranges::move(lossLines(after.runs(), "after: "), std::back_inserter(document.notes));
  return document;
}

OrderedJson diffJson(const Side &before, const Side &after, const Comparison &comparison,
                     const Floors &floors) {
  OrderedJson counts = OrderedJson::object();
  for (const Verdict verdict : allVerdicts)
    counts[std::string(word(verdict))] = comparison.count(verdict);
  OrderedJson list = asJson(dataTable(comparison.findings));
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i]["by"] = byJson(comparison.findings[i]);
  return {{"graphprof_diff", 1},
          {"before", runsJson(before.runs())},
          {"after", runsJson(after.runs())},
          {"threshold", comparison.single ? floors.single : floors.threshold},
          {"floor_ns", comparison.single ? floors.singleFloorNs : floors.floorNs},
          {"confidence", 1 - floors.alpha},
          {"counts", std::move(counts)},
          {"remarks", comparison.remarks},
          {"findings", std::move(list)}};
}

} // namespace graphprof

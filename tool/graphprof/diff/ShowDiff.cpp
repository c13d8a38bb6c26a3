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

// What a finding says of one measure. A finding has a line for each that has a ratio, and one in
// any case: of what is on one side only, the mean.
struct Line {
  const Finding *finding;
  Measure measure;
  bool isFirst;
};

std::vector<Line> linesOf(const std::vector<const Finding *> &findings) {
  std::vector<Line> lines;
  for (const Finding *finding : findings)
    for (const Measure measure : allMeasures)
      if (measure == allMeasures.front() || finding->of(measure).ratio > 0)
        lines.push_back({finding, measure, measure == allMeasures.front()});
  return lines;
}

// With what is said of each finding, if `noted`.
FigureTable linesTable(const std::vector<Line> &lines, bool noted) {
  TableOf<Line> table(lines);
  const auto add = [&](const char *heading, auto figureOf) {
    table.add({"", heading},
              [&](const Line &line) { return figureOf(line.finding->of(line.measure)); });
  };
  table.add({"", "Verdict", Holds::Texts}, [](const Line &line) {
    return line.isFirst ? verdictOf(*line.finding) : std::string();
  });
  table.add({"", "Region", Holds::Names},
            [](const Line &line) { return line.isFirst ? line.finding->path : std::string(); });
  table.add({"", "Figure", Holds::Texts}, [](const Line &line) { return word(line.measure); });
  add("Before", [](const FigureFinding &of) { return Figure::time(of.beforeNs); });
  add("Noise", [](const FigureFinding &of) { return noiseOf(of.beforeNoise); });
  add("After", [](const FigureFinding &of) { return Figure::time(of.afterNs); });
  add("Noise", [](const FigureFinding &of) { return noiseOf(of.afterNoise); });
  add("Change", [](const FigureFinding &of) { return changeOf(of); });
  add("Interval", [](const FigureFinding &of) { return intervalOf(of); });
  for (const Line &line : lines)
    table.notes.push_back(noted && line.isFirst ? noteOf(*line.finding) : std::string());
  return std::move(table);
}

FigureTable busyTable(const std::vector<const Finding *> &findings) {
  TableOf<const Finding *> table(findings);
  const auto add = [&](FigureColumn column, auto figureOf) {
    table.add(std::move(column), [&](const Finding *finding) { return figureOf(finding->busy); });
  };
  add({"", "Busy", Holds::Texts}, [](const BusyFinding &busy) { return busyVerdictOf(busy); });
  table.add({"", "Region", Holds::Names}, [](const Finding *finding) { return finding->path; });
  add({"", "Before"}, [](const BusyFinding &busy) { return Figure::time(busy.beforeNs); });
  add({"", "After"}, [](const BusyFinding &busy) { return Figure::time(busy.afterNs); });
  add({"", "Change"}, [](const BusyFinding &busy) { return changeOf(busy); });
  add({"", "Interval"}, [](const BusyFinding &busy) { return intervalOf(busy); });
  add({"", "Gap before"}, [](const BusyFinding &busy) { return Figure::time(busy.beforeGapNs); });
  add({"", "Gap after"}, [](const BusyFinding &busy) { return Figure::time(busy.afterGapNs); });
  return std::move(table);
}

// All that is known of each finding, for programs.
FigureTable dataTable(const std::vector<const Finding *> &findings) {
  TableOf<const Finding *> table(findings);
  const auto add = [&](const std::string &key, auto figureOf) {
    table.add({key, ""}, [&](const Finding *finding) { return figureOf(*finding); });
  };
  const auto addOf = [&](const std::string &measure, Measure which, const char *key,
                         auto figureOf) {
    add(measure + key, [&](const Finding &finding) { return figureOf(finding.of(which)); });
  };
  const auto addBusy = [&](const char *key, auto figureOf) {
    add(key, [&](const Finding &finding) { return figureOf(finding.busy); });
  };
  add("verdict", [](const Finding &finding) { return word(finding.verdict); });
  add("path", [](const Finding &finding) { return finding.path; });
  add("renamed_from", [](const Finding &finding) { return Figure::text(finding.renamedFrom); });
  add("kind", [](const Finding &finding) { return finding.kind; });
  add("source", [](const Finding &finding) { return Figure::text(finding.source); });
  add("before_count", [](const Finding &finding) { return finding.beforeCount; });
  add("after_count", [](const Finding &finding) { return finding.afterCount; });
  for (const auto &[name, which] :
       {std::pair("mean/", Measure::Mean), std::pair("median/", Measure::Median),
        std::pair("p95/", Measure::P95)}) {
    using Of = const FigureFinding &;
    const auto known = [](Of of, double ratio) { return Figure(ratio).onlyIf(of.ratio > 0); };
    addOf(name, which, "before_ns", [](Of of) { return Figure::time(of.beforeNs); });
    addOf(name, which, "after_ns", [](Of of) { return Figure::time(of.afterNs); });
    addOf(name, which, "before_noise",
          [](Of of) { return Figure(of.beforeNoise).onlyIf(of.beforeNoise >= 0); });
    addOf(name, which, "after_noise",
          [](Of of) { return Figure(of.afterNoise).onlyIf(of.afterNoise >= 0); });
    addOf(name, which, "ratio", [&](Of of) { return known(of, of.ratio); });
    addOf(name, which, "low", [&](Of of) { return known(of, of.low); });
    addOf(name, which, "high", [&](Of of) { return known(of, of.high); });
  }
  add("per_replay_ns", [](const Finding &finding) { return Figure::time(finding.perReplayNs); });
  add("would_have_seen", [](const Finding &finding) {
    return Figure(finding.seen).onlyIf(finding.verdict == Verdict::Undecided && finding.seen > 0);
  });
  add("more_processes", [](const Finding &finding) {
    return Figure(finding.moreProcesses)
        .onlyIf(finding.verdict == Verdict::Undecided && finding.seen > 0 &&
                finding.moreProcesses > 0);
  });
  using Busy = const BusyFinding &;
  addBusy("before_busy_ns", [](Busy busy) { return Figure::time(busy.beforeNs); });
  addBusy("after_busy_ns", [](Busy busy) { return Figure::time(busy.afterNs); });
  addBusy("before_busy_replays", [](Busy busy) { return busy.beforeReplays; });
  addBusy("after_busy_replays", [](Busy busy) { return busy.afterReplays; });
  addBusy("before_gap_ns", [](Busy busy) { return Figure::time(busy.beforeGapNs); });
  addBusy("after_gap_ns", [](Busy busy) { return Figure::time(busy.afterGapNs); });
  addBusy("busy_verdict", [](Busy busy) { return busyVerdictOf(busy); });
  addBusy("busy_ratio", [](Busy busy) { return Figure(busy.ratio).onlyIf(busy.ratio > 0); });
  addBusy("busy_low", [](Busy busy) { return Figure(busy.low).onlyIf(busy.ratio > 0); });
  addBusy("busy_high", [](Busy busy) { return Figure(busy.high).onlyIf(busy.ratio > 0); });
  add("why", [](const Finding &finding) { return Figure::text(finding.why); });
  add("note", [](const Finding &finding) { return noteOf(finding); });
  return std::move(table);
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
  Section durations{"", linesTable(linesOf(shown), !once)};
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
  std::vector<const Finding *> findings;
  findings.reserve(comparison.findings.size());
  for (const Finding &finding : comparison.findings)
    findings.push_back(&finding);
  OrderedJson list = asJson(dataTable(findings));
  for (std::size_t i = 0; i < findings.size(); ++i)
    list[i]["by"] = byJson(*findings[i]);
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

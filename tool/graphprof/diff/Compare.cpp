// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "Graphs.h"
#include "Uncertainty.h"
#include "output/data/LossText.h"
#include "output/io/Units.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

// What the runs of a side say of one thing, such as their devices.
using Said = std::set<std::string>;

template <class Of> Said saidBy(const Side &side, Of of) {
  Said said;
  for (const RunFacts &run : side.runs())
    if (std::string text = of(run); !text.empty())
      said.insert(std::move(text));
  return said;
}

std::string textOf(const Said &said) { return fmt::format("{}", fmt::join(said, " and ")); }

class Comparing {
public:
  Comparing(const Side &before, const Side &after, const Floors &floors)
      : before_(before), after_(after), floors_(floors),
        matches_(matched(before.subjects(), after.subjects())), graphs_(before, after, matches_) {
    comparison_.single = before.processCount() == 1 || after.processCount() == 1;
  }

  Comparison run() {
    compareRuns();
    std::map<Family, std::vector<std::size_t>> families;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const Match &match = matches_[i];
      std::optional<Finding> found = findingOf(match);
      if (!found)
        continue;
      if (found->verdict == Verdict::Undecided)
        families[familyOf(match)].push_back(comparison_.findings.size());
      comparison_.findings.push_back(std::move(*found));
      ofFinding_.push_back(i);
    }
    std::vector<std::size_t> sizes;
    sizes.reserve(families.size());
    for (const auto &[family, findings] : families)
      sizes.push_back(findings.size());
    const Certainty certainty = certaintyOf(floors_.alpha, sizes, allMeasures.size());
    for (const auto &[family, findings] : families)
      judge(findings, certainty);
    judgeBusy();
    sort();
    describe();
    return std::move(comparison_);
  }

private:
  // What differs between the runs, and whether that stops the comparison.
  void compareRuns() {
    compareOne("gpu", "GPU",
               [](const RunFacts &run) { return fmt::format("{}", fmt::join(run.devices, ", ")); });
    compareOne("driver", "driver", [](const RunFacts &run) { return run.driver; });
    compareOne("clock", "clock", [](const RunFacts &run) {
      return run.backend.empty() || run.backend == "cuda" ? std::string()
                                                          : "backend " + run.backend;
    });
  }
  template <class Of> void compareOne(std::string_view word, std::string_view what, Of of) {
    const Said before = saidBy(before_, of), after = saidBy(after_, of);
    if (before.size() <= 1 && (before == after || before.empty() || after.empty())) {
      if (before.empty() != after.empty())
        comparison_.remarks.push_back(
            fmt::format("one side does not say its {}, the other says {}: taken for the same", what,
                        textOf(before.empty() ? after : before)));
      return;
    }
    const std::string text =
        before == after
            ? fmt::format("recordings of more than one {}: {}", what, textOf(before))
            : fmt::format("another {}: {}, then {}", what, textOf(before), textOf(after));
    if (floors_.across.contains(word))
      comparison_.remarks.push_back(text);
    else if (whyNone_.empty())
      whyNone_ = fmt::format("{} (--across {} compares all the same)", text, word);
  }

  static std::string clocksOf(const Subject &subject) {
    std::vector<std::string_view> words;
    words.reserve(subject.clocks.size());
    for (const Clock clock : subject.clocks)
      words.push_back(word(clock));
    return fmt::format("{}", fmt::join(words, " and "));
  }

  // Why the two cannot be compared; empty: they can.
  std::string whyNot(const Subject &before, const Subject &after) const {
    if (!whyNone_.empty())
      return whyNone_;
    if (before.measured() == 0 || after.measured() == 0) {
      const Subject &without = before.measured() == 0 ? before : after;
      const std::string_view side = before.measured() == 0 ? "before" : "after";
      const std::vector<RunFacts> &runs = (before.measured() == 0 ? before_ : after_).runs();
      if (std::ranges::any_of(runs, [](const RunFacts &run) { return !run.missing.empty(); }))
        return fmt::format("it is not in what is left of a recording that is not whole {}, or in "
                           "cold replays only",
                           side);
      return without.coldExecutions > 0
                 ? fmt::format("it ran in cold replays only {}; launch each graph again", side)
                 : fmt::format("it was never measured {}", side);
    }
    const bool clockMatters = !floors_.across.contains("clock");
    if (before.clocks != after.clocks && clockMatters)
      return fmt::format("another clock: {}, then {} (--across clock compares all the same)",
                         clocksOf(before), clocksOf(after));
    const auto share = [](const Subject &one) {
      return static_cast<double>(one.endsAtNextBegin) / static_cast<double>(one.measured());
    };
    constexpr double half = 0.5;
    if (!before.isGraph() && std::abs(share(before) - share(after)) > half && clockMatters)
      return fmt::format("it ended {} before, and ends {} after, which is another time (--across "
                         "clock compares all the same)",
                         share(before) > half ? "when the next work began" : "with its completion",
                         share(after) > half ? "when the next work begins" : "with its completion");
    return {};
  }

  // One figure of each process of a side, of all its recordings.
  static std::vector<std::optional<ProcessFigure>>
  byProcess(const Side &side, const Subject &subject, Measure measure) {
    std::vector<std::optional<ProcessFigure>> all(side.processCount());
    std::vector<double> counts(all.size());
    for (std::size_t run = 0; run < subject.runs.size(); ++run)
      counts[side.processes()[run]] += static_cast<double>(subject.runs[run].count);
    for (std::size_t run = 0; run < subject.runs.size(); ++run) {
      const ProcessTimes &times = subject.runs[run];
      if (times.count == 0)
        continue;
      const std::size_t process = side.processes()[run];
      const ProcessFigure &of = times.of(measure);
      const double part = static_cast<double>(times.count) / counts[process];
      ProcessFigure sum = all[process].value_or(ProcessFigure{});
      sum.ns += part * of.ns;
      sum.lowNs += part * of.lowNs;
      sum.highNs += part * of.highNs;
      sum.variance += part * part * of.variance;
      all[process] = sum;
    }
    return all;
  }

  // The geometric mean of its processes, and their relative standard deviation.
  static void tellFigure(const std::vector<std::optional<ProcessFigure>> &processes, double &ns,
                         double &noise) {
    double sum = 0, squares = 0, count = 0;
    for (const auto &process : processes)
      if (process) {
        const double log = std::log(std::max(process->ns, 1.0));
        sum += log;
        squares += log * log;
        ++count;
      }
    if (count > 0)
      ns = std::exp(sum / count);
    if (count > 1)
      noise = std::sqrt(std::max(squares - sum * sum / count, 0.0) / (count - 1));
  }

  // Of the processes that know it.
  static void tellBusy(const Subject &subject, double &busyNs, double &gapNs,
                       std::uint64_t &replays, std::size_t &processes) {
    double logs = 0, gaps = 0, withGap = 0;
    for (const Batch::Busy &busy : subject.busy) {
      if (!busy.isKnown())
        continue;
      logs += std::log(std::max(static_cast<double>(busy.ns), 1.0));
      replays += busy.replays;
      ++processes;
      if (busy.gapNs < 0)
        continue;
      gaps += static_cast<double>(busy.gapNs);
      ++withGap;
    }
    if (processes > 0)
      busyNs = std::exp(logs / static_cast<double>(processes));
    if (withGap > 0)
      gapNs = gaps / withGap;
  }

  // Undecided: still to be compared. Nothing: there is nothing to say of it.
  std::optional<Finding> findingOf(const Match &match) const {
    Finding finding;
    const Subject *const before =
        match.before == Match::none ? nullptr : &before_.subjects()[match.before];
    const Subject *const after =
        match.after == Match::none ? nullptr : &after_.subjects()[match.after];
    const Subject &shown = after ? *after : *before;
    finding.path = shown.path;
    finding.source = shown.source;
    finding.kind = shown.isGraph() ? "replay" : std::string(word(shown.kind));
    if (before) {
      for (const Measure measure : allMeasures)
        tellFigure(byProcess(before_, *before, measure), finding.of(measure).beforeNs,
                   finding.of(measure).beforeNoise);
      finding.beforeCount = before->measured();
      tellBusy(*before, finding.busy.beforeNs, finding.busy.beforeGapNs, finding.busy.beforeReplays,
               finding.busy.beforeProcesses);
    }
    if (after) {
      for (const Measure measure : allMeasures)
        tellFigure(byProcess(after_, *after, measure), finding.of(measure).afterNs,
                   finding.of(measure).afterNoise);
      finding.afterCount = after->measured();
      tellBusy(*after, finding.busy.afterNs, finding.busy.afterGapNs, finding.busy.afterReplays,
               finding.busy.afterProcesses);
    }
    if (!before || !after) {
      finding.verdict = after ? Verdict::New : Verdict::Gone;
      if (shown.place == Place::Graph && !shown.isGraph())
        finding.perReplayNs = shown.nsPerReplay();
      return finding;
    }
    if (before->measured() == 0 && after->measured() == 0 && before->coldExecutions == 0 &&
        after->coldExecutions == 0)
      return std::nullopt;
    if (match.renamed)
      finding.renamedFrom = before->path;
    finding.why = whyNot(*before, *after);
    if (!finding.why.empty()) {
      finding.verdict = Verdict::NotComparable;
      return finding;
    }
    if (before->isGraph())
      finding.why = graphs_.difference(*before, *after);
    else if (runOtherwise(*before, *after))
      finding.why = fmt::format("{:.4g} executions a replay, then {:.4g}",
                                before->executionsPerReplay(), after->executionsPerReplay());
    return finding;
  }

  // Where it runs, and whether hardly ever: such regions vary for other reasons.
  using Family = std::pair<Place, bool>;
  [[nodiscard]] Family familyOf(const Match &match) const {
    constexpr std::uint64_t few = 8; // a process
    const auto runsRarely = [](const Subject &subject) {
      const auto runs = static_cast<std::uint64_t>(
          std::ranges::count_if(subject.runs, [](const auto &run) { return run.count > 0; }));
      return subject.measured() < few * runs;
    };
    const Subject &before = before_.subjects()[match.before],
                  &after = after_.subjects()[match.after];
    return {after.place, runsRarely(before) || runsRarely(after)};
  }

  [[nodiscard]] Pairing pairingOf(const Match &match, Measure measure, double least) const {
    const Subject &before = before_.subjects()[match.before],
                  &after = after_.subjects()[match.after];
    const auto perRun = [](const Subject &subject) {
      return static_cast<double>(subject.measured()) /
             static_cast<double>(std::ranges::count_if(
                 subject.runs, [](const ProcessTimes &run) { return run.count > 0; }));
    };
    constexpr double little = 0.02;
    return {byProcess(before_, before, measure), byProcess(after_, after, measure), least,
            std::abs(perRun(before) / perRun(after) - 1) > little};
  }

  static std::optional<ProcessFigure> figureOf(const Batch::Busy &busy) {
    if (!busy.isKnown())
      return std::nullopt;
    const auto ns = static_cast<double>(busy.ns);
    return ProcessFigure{ns, ns, ns, 0};
  }
  // Each process's busy time, of the newest of its recordings that knows it.
  static std::vector<std::optional<ProcessFigure>> busyIn(const Side &side,
                                                          const Subject &subject) {
    std::vector<std::optional<ProcessFigure>> all(side.processCount());
    for (std::size_t run = 0; run < subject.busy.size(); ++run)
      if (const auto figure = figureOf(subject.busy[run]))
        all[side.processes()[run]] = figure;
    return all;
  }

  // Their intervals hold together by themselves: they widen none of those of durations.
  void judgeBusy() {
    std::vector<Pairing> pairings;
    std::vector<std::size_t> paired;
    for (std::size_t i = 0; i < comparison_.findings.size(); ++i) {
      const Finding &finding = comparison_.findings[i];
      BusyFinding &busy = comparison_.findings[i].busy;
      if (busy.beforeNs < 0 || busy.afterNs < 0 || finding.verdict == Verdict::NotComparable)
        continue;
      busy.verdict = Verdict::Undecided;
      const Match &match = matches_[ofFinding_[i]];
      Pairing pairing{busyIn(before_, before_.subjects()[match.before]),
                      busyIn(after_, after_.subjects()[match.after]), leastOf(busy.beforeNs)};
      if (isOfOne(pairing)) {
        busyIsOfOne_ = true;
        continue;
      }
      pairings.push_back(std::move(pairing));
      paired.push_back(i);
    }
    const std::vector<Interval> all =
        intervals(pairings, certaintyOf(floors_.alpha, {pairings.size()}, 1));
    for (std::size_t i = 0; i < all.size(); ++i) {
      BusyFinding &busy = comparison_.findings[paired[i]].busy;
      busy.ratio = all[i].ratio;
      busy.low = all[i].low;
      busy.high = all[i].high;
      busy.verdict = verdictOf(busy.beforeNs, all[i], false);
    }
  }

  // Whether only one process of a side has it.
  static bool isOfOne(const Pairing &pairing) {
    const auto count = [](const std::vector<std::optional<ProcessFigure>> &side) {
      return std::ranges::count_if(side, [](const auto &process) { return process.has_value(); });
    };
    return count(pairing.before) == 1 || count(pairing.after) == 1;
  }

  // A family.
  void judge(const std::vector<std::size_t> &findings, const Certainty &certainty) {
    for (const Measure measure : allMeasures) {
      std::vector<Pairing> pairings;
      pairings.reserve(findings.size());
      for (const std::size_t i : findings)
        pairings.push_back(pairingOf(matches_[ofFinding_[i]], measure,
                                     leastOf(comparison_.findings[i].of(measure).beforeNs)));
      const std::vector<Interval> all = intervals(pairings, certainty);
      for (std::size_t i = 0; i < all.size(); ++i)
        judge(comparison_.findings[findings[i]], measure, all[i], isOfOne(pairings[i]));
    }
    for (const std::size_t i : findings) {
      Finding &finding = comparison_.findings[i];
      finding.verdict = verdictOf(finding.mean().verdict, finding.of(Measure::Median).verdict);
    }
  }
  void judge(Finding &finding, Measure measure, const Interval &interval, bool single) const {
    FigureFinding &of = finding.of(measure);
    of.ratio = interval.ratio;
    of.low = interval.low;
    of.high = interval.high;
    of.verdict = verdictOf(of.beforeNs, interval, single);
    // What would decide it: of the mean, or, if that is decided, of the median.
    if (of.verdict != Verdict::Undecided || measure == Measure::P95 || finding.seen > 0)
      return;
    finding.mayBeModes = interval.mayBeModes;
    if (single)
      return;
    finding.least = leastOf(of.beforeNs);
    finding.seen = std::max(interval.seen() - 1, finding.least);
    finding.moreProcesses = interval.moreToSee(1 + finding.least).value_or(0);
  }
  // The smallest change that matters, relative.
  [[nodiscard]] double leastOf(double beforeNs) const {
    return std::max(floors_.threshold, floors_.floorNs / std::max(beforeNs, 1.0));
  }
  // A shorter median is no gain before the mean, which is what is paid, is known not to be longer.
  static Verdict verdictOf(Verdict mean, Verdict median) {
    if (mean == Verdict::Slower || median == Verdict::Slower)
      return Verdict::Slower;
    if (mean == Verdict::Faster || (median == Verdict::Faster && mean == Verdict::Same))
      return Verdict::Faster;
    return mean == Verdict::Same && median == Verdict::Same ? Verdict::Same : Verdict::Undecided;
  }
  [[nodiscard]] Verdict verdictOf(double beforeNs, const Interval &interval, bool single) const {
    const double least = std::max((single ? floors_.single : floors_.threshold) * beforeNs,
                                  single ? floors_.singleFloorNs : floors_.floorNs);
    const double change = (interval.ratio - 1) * beforeNs, lowest = (interval.low - 1) * beforeNs,
                 highest = (interval.high - 1) * beforeNs;
    // Of single processes, which do not show how processes differ, all of it must be beyond them.
    const double clear = single ? least : 0;
    if (lowest > clear && change > least)
      return Verdict::Slower;
    if (highest < -clear && change < -least)
      return Verdict::Faster;
    return !single && lowest > -least && highest < least ? Verdict::Same : Verdict::Undecided;
  }

  void sort() {
    const std::size_t processes = std::max<std::size_t>(after_.runs().size(), 1);
    std::vector<std::pair<double, std::size_t>> order;
    order.reserve(comparison_.findings.size());
    for (std::size_t i = 0; i < comparison_.findings.size(); ++i)
      order.emplace_back(comparison_.findings[i].impactNs(processes), i);
    std::sort(order.begin(), order.end(), [this](const auto &one, const auto &other) {
      const Finding &a = comparison_.findings[one.second], &b = comparison_.findings[other.second];
      if (a.verdict != b.verdict)
        return a.verdict < b.verdict;
      return one.first != other.first ? one.first > other.first : one.second < other.second;
    });
    std::vector<Finding> sorted;
    sorted.reserve(order.size());
    for (const auto &[impact, i] : order)
      sorted.push_back(std::move(comparison_.findings[i]));
    comparison_.findings = std::move(sorted);
  }

  void describe() {
    if (comparison_.single)
      comparison_.remarks.push_back(fmt::format(
          "one recording on a side does not show what differs between processes: nothing below "
          "{:.4g} % and {} is called slower or faster, and nothing the same; record three or more "
          "a side",
          100 * floors_.single, formatTime(floors_.singleFloorNs, false)));
    if (busyIsOfOne_)
      comparison_.remarks.push_back(
          "busy times of which a side knows those of one process only have no verdict: each is the "
          "median of few replays, and only other processes show how sure it is");
    if (const std::uint64_t left = before_.leftOut() + after_.leftOut(); left > 0)
      comparison_.remarks.push_back(
          fmt::format("{} not compared: they are of more regions than a comparison tells apart",
                      counted(left, "record", "records")));
  }

  const Side &before_, &after_;
  const Floors &floors_;
  std::vector<Match> matches_;
  const MatchedGraphs graphs_;
  std::string whyNone_;                // why nothing can be compared
  std::vector<std::size_t> ofFinding_; // the match of each finding, before they are sorted
  bool busyIsOfOne_ = false;           // of a pair, a side knows one process's only
  Comparison comparison_;
};

} // namespace

std::string_view word(Verdict verdict) {
  switch (verdict) {
  case Verdict::Slower:
    return "slower";
  case Verdict::Faster:
    return "faster";
  case Verdict::Undecided:
    return "undecided";
  case Verdict::NotComparable:
    return "not comparable";
  case Verdict::New:
    return "new";
  case Verdict::Gone:
    return "gone";
  case Verdict::Same:
    return "same";
  }
  return {};
}

double Finding::impactNs(std::size_t processes) const {
  const double times =
      static_cast<double>(std::max(beforeCount, afterCount)) / static_cast<double>(processes);
  const FigureFinding &of = mean();
  if (of.beforeNs >= 0 && of.afterNs >= 0)
    return std::abs(of.afterNs - of.beforeNs) * times;
  return std::max(of.beforeNs, of.afterNs) * times;
}

std::vector<Measure> Finding::by() const {
  std::vector<Measure> figures;
  for (const Measure measure : {Measure::Mean, Measure::Median})
    if (of(measure).verdict == verdict)
      figures.push_back(measure);
  return figures.size() == 2 ? std::vector<Measure>() : figures;
}

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const Finding &finding) { return finding.verdict == verdict; }));
}

std::size_t Comparison::countBusy(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const Finding &finding) { return finding.busy.verdict == verdict; }));
}

Comparison compare(const Side &before, const Side &after, const Floors &floors) {
  return Comparing(before, after, floors).run();
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
        matches_(matched(before.subjects(), after.subjects())) {
    comparison_.single = before.runs().size() == 1 || after.runs().size() == 1;
    for (const Match &match : matches_)
      if (match.before != Match::none && match.after != Match::none)
        ofBefore_.emplace(match.before, match.after);
  }

  Comparison run() {
    compareRuns();
    std::vector<Pairing> pairings;
    std::vector<std::size_t> paired;
    for (std::size_t i = 0; i < matches_.size(); ++i) {
      const Match &match = matches_[i];
      std::optional<Finding> found = findingOf(match);
      if (!found)
        continue;
      if (found->verdict == Verdict::Undecided) {
        pairings.push_back(pairingOf(match));
        paired.push_back(comparison_.findings.size());
      }
      comparison_.findings.push_back(std::move(*found));
      ofFinding_.push_back(i);
    }
    const std::vector<Interval> all = intervals(pairings, floors_.alpha);
    for (std::size_t i = 0; i < all.size(); ++i)
      judge(comparison_.findings[paired[i]], all[i], isOfOne(pairings[i]));
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
      return without.coldExecutions > 0
                 ? fmt::format("it ran in cold replays only {}; launch each graph again", side)
                 : fmt::format("it was never measured {}", side);
    }
    const bool clockMatters = !floors_.across.contains("clock");
    if (before.clocks != after.clocks && clockMatters)
      return fmt::format("another clock: {}, then {} (--across clock compares all the same)",
                         clocksOf(before), clocksOf(after));
    if (before.ways != after.ways && clockMatters)
      return fmt::format("measured in another way: {}, then {} (--across clock compares all the "
                         "same)",
                         textOf(before.ways), textOf(after.ways));
    const auto share = [](const Subject &one) {
      return static_cast<double>(one.endsAtNextBegin) / static_cast<double>(one.measured());
    };
    constexpr double half = 0.5;
    if (!before.isGraph() && std::abs(share(before) - share(after)) > half && clockMatters)
      return fmt::format("it ended {} before, and ends {} after, which is another time (--across "
                         "clock compares all the same)",
                         share(before) > half ? "when the next work began" : "with its completion",
                         share(after) > half ? "when the next work begins" : "with its completion");
    if (before.isGraph() && !floors_.across.contains("graph"))
      if (const std::string other = otherGraph(before.graph); !other.empty())
        return other + " (--across graph compares all the same)";
    return {};
  }

  // How the regions and nodes that ran in a graph differ; empty: they do not.
  std::string otherGraph(std::uint64_t graph) const {
    const std::set<std::size_t> &before = before_.inGraph(graph), &after = after_.inGraph(graph);
    std::size_t kept = 0;
    for (const std::size_t subject : before)
      if (const auto match = ofBefore_.find(subject);
          match != ofBefore_.end() && after.contains(match->second))
        ++kept;
    if (kept == before.size() && kept == after.size())
      return otherCounts(graph);
    return fmt::format("another graph: of its {} only {} also in the other's {}",
                       counted(before.size(), "region or node", "regions and nodes"),
                       kept == 1 ? "1 is" : fmt::format("{} are", kept), after.size());
  }

  // The same of the numbers of its nodes and edges, which recordings say also where nodes are not
  // recorded.
  std::string otherCounts(std::uint64_t graph) const {
    const auto &before = before_.countsOf(graph), &after = after_.countsOf(graph);
    if (before.empty() || after.empty() || before == after)
      return {};
    const auto text = [](const std::set<std::pair<std::uint32_t, std::uint32_t>> &counts) {
      return fmt::format("{} and {}", counted(counts.begin()->first, "node", "nodes"),
                         counted(counts.begin()->second, "edge", "edges"));
    };
    return fmt::format("another graph: it has {}, the other {}", text(before), text(after));
  }

  static double timeOf(const Subject &subject) {
    double sum = 0, count = 0;
    for (const Blocks &blocks : subject.processes)
      if (!blocks.values().empty()) {
        sum += std::log(std::max(blocks.meanNs(), 1.0));
        ++count;
      }
    return count > 0 ? std::exp(sum / count) : -1;
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
      finding.beforeNs = timeOf(*before);
      finding.beforeCount = before->measured();
      tellBusy(*before, finding.busy.beforeNs, finding.busy.beforeGapNs, finding.busy.beforeReplays,
               finding.busy.beforeProcesses);
    }
    if (after) {
      finding.afterNs = timeOf(*after);
      finding.afterCount = after->measured();
      tellBusy(*after, finding.busy.afterNs, finding.busy.afterGapNs, finding.busy.afterReplays,
               finding.busy.afterProcesses);
    }
    if (!before || !after) {
      finding.verdict = after ? Verdict::New : Verdict::Gone;
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
    const auto perReplay = [](const Subject &one) {
      return static_cast<double>(one.executions) / static_cast<double>(one.replays);
    };
    constexpr double little = 0.001;
    if (before->replays > 0 && after->replays > 0 &&
        std::abs(perReplay(*before) / perReplay(*after) - 1) > little)
      finding.why = fmt::format("{:.4g} executions a replay, then {:.4g}", perReplay(*before),
                                perReplay(*after));
    return finding;
  }

  static std::vector<const Blocks *> measuredIn(const Subject &subject) {
    std::vector<const Blocks *> all;
    all.reserve(subject.processes.size());
    for (const Blocks &blocks : subject.processes)
      all.push_back(blocks.values().empty() ? nullptr : &blocks);
    return all;
  }
  [[nodiscard]] Pairing pairingOf(const Match &match) const {
    return {measuredIn(before_.subjects()[match.before]),
            measuredIn(after_.subjects()[match.after])};
  }

  // Each process's busy time as the only block it has: so what intervals tell comes from the
  // differences between processes, which hold those of its few replays, too.
  const Blocks *blockOf(const Batch::Busy &busy) {
    if (!busy.isKnown())
      return nullptr;
    Blocks &made = busy_.emplace_back();
    made.add(busy.ns);
    made.finish();
    return &made;
  }
  std::vector<const Blocks *> busyIn(const Subject &subject) {
    std::vector<const Blocks *> all;
    all.reserve(subject.busy.size());
    for (const Batch::Busy &busy : subject.busy)
      all.push_back(blockOf(busy));
    return all;
  }

  // The intervals of busy times hold together by themselves, so that those of durations, which the
  // verdicts come from, are as wide as without them.
  void judgeBusy() {
    std::vector<Pairing> pairings;
    std::vector<std::size_t> paired;
    for (std::size_t i = 0; i < comparison_.findings.size(); ++i) {
      const Finding &finding = comparison_.findings[i];
      BusyFinding &busy = comparison_.findings[i].busy;
      if (busy.beforeNs < 0 || busy.afterNs < 0 || finding.verdict == Verdict::NotComparable)
        continue;
      busy.verdict = Verdict::Undecided;
      if (busy.beforeProcesses < 2 || busy.afterProcesses < 2) {
        busyIsOfOne_ = true;
        continue;
      }
      const Match &match = matches_[ofFinding_[i]];
      pairings.push_back(
          {busyIn(before_.subjects()[match.before]), busyIn(after_.subjects()[match.after])});
      paired.push_back(i);
    }
    const std::vector<Interval> all = intervals(pairings, floors_.alpha);
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
    const auto ofOne = [](const std::vector<const Blocks *> &side) {
      return std::count(side.begin(), side.end(), nullptr) + 1 ==
             static_cast<std::ptrdiff_t>(side.size());
    };
    return ofOne(pairing.before) || ofOne(pairing.after);
  }
  void judge(Finding &finding, const Interval &interval, bool single) const {
    finding.ratio = interval.ratio;
    finding.low = interval.low;
    finding.high = interval.high;
    finding.verdict = verdictOf(finding.beforeNs, interval, single);
  }
  [[nodiscard]] Verdict verdictOf(double beforeNs, const Interval &interval, bool single) const {
    const double least = std::max((single ? floors_.single : floors_.threshold) * beforeNs,
                                  single ? floors_.singleFloorNs : floors_.floorNs);
    const double change = (interval.ratio - 1) * beforeNs, lowest = (interval.low - 1) * beforeNs,
                 highest = (interval.high - 1) * beforeNs;
    // Between single processes an interval does not hold what differs between processes: all of it
    // must be beyond the floors.
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
  const std::vector<Match> matches_;
  std::map<std::size_t, std::size_t> ofBefore_; // the match of each subject of the left side
  std::string whyNone_;                         // why nothing can be compared
  std::vector<std::size_t> ofFinding_;          // the match of each finding, before they are sorted
  std::deque<Blocks> busy_;                     // they do not move
  bool busyIsOfOne_ = false;                    // of a pair, a side knows one process's only
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
  if (beforeNs >= 0 && afterNs >= 0)
    return std::abs(afterNs - beforeNs) * times;
  return std::max(beforeNs, afterNs) * times;
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

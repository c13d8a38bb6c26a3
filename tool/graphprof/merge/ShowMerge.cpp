// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "ShowMerge.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "MergedRows.h"
#include "figures/Runs.h"
#include "output/data/LossText.h"
#include "output/io/Text.h"
#include "output/io/Units.h"
#include "output/io/Words.h"

namespace graphprof {

namespace {

using Holds = FigureColumn::Holds;

// A wait that is not longer than its uncertainty is no number, only less than that.
Figure wait(const Distribution &waiting, double which, double uncertaintyNs) {
  return waiting.empty() || waiting.quantileNs(which) > uncertaintyNs
             ? Figure::quantile(waiting, which)
             : Figure().as('<' + formatTime(uncertaintyNs, false));
}

// A count, for people with the share that it is of.
Figure share(std::uint64_t part, std::uint64_t of) {
  constexpr double whole = 100;
  return Figure(part).as(
      of == 0 ? std::string(noValue)
              : fmt::format("{} ({:.0f}%)", part,
                            whole * static_cast<double>(part) / static_cast<double>(of)));
}

Figure rankFigure(const MergedJob &merged, std::size_t place) {
  const std::int64_t number = merged.job.ranks()[place].number;
  return Figure(number).as(fmt::format("rank {}", number));
}

// `shown`: for people, too.
void addBusy(FigureTable &table, const std::string &before, const BusyFigures &figures,
             bool shown) {
  const Batch::Busy busy = figures.shown();
  table.add(before + "busy_ns", shown ? "Busy" : "", Figure::time(busy.ns));
  table.add(before + "gap_ns", shown ? "Gap" : "", Figure::time(busy.gapNs));
  table.add(before + "gap_cause", Figure::text(word(busy.cause)));
  table.add(before + "busy_replays", busy.replays);
}

// `before`: begins the keys. With it people see some of them, too.
void addShare(FigureTable &table, const std::string &before, const RankShare &of) {
  const auto add = [&](const char *key, const char *heading, Figure figure) {
    table.add(before + key, before.empty() ? "" : heading, std::move(figure));
  };
  const Figure inAll = Figure::time(of.knownNs);
  add("count", "", of.waiting.count());
  add("last_in", "Last in", share(of.last, of.waiting.count()));
  add("waiting_p50_ns", "Waiting", wait(of.waiting, 0.5, of.uncertaintyNs));
  add("waiting_p95_ns", "P95", wait(of.waiting, 0.95, of.uncertaintyNs));
  add("waiting_max_ns", "", wait(of.waiting, 1, of.uncertaintyNs));
  add("waits_known", "", of.known);
  add("known_waiting_ns", "In all", of.known > 0 ? inAll : inAll.as(std::string(noValue)));
  add("transferring_p50_ns", "Transferring", Figure::quantile(of.transferring, 0.5));
  add("transferring_p95_ns", "", Figure::quantile(of.transferring, 0.95));
  add("uncertainty_ns", "", Figure::time(of.uncertaintyNs).onlyIf(!of.waiting.empty()));
  addBusy(table, before, of.busy, false);
}

using Places = std::vector<std::size_t>;

FigureTable ranksTable(const MergedJob &merged, const Places &places) {
  const bool anyBusy = std::ranges::any_of(
      merged.split.ranks(), [](const RankSummary &one) { return !one.busy.empty(); });
  FigureTable table;
  for (const std::size_t i : places) {
    const Rank &rank = merged.job.ranks()[i];
    const RankSummary &of = merged.split.ranks()[i];
    table.next();
    table.add("rank", "Rank", rank.number);
    table.add("host", "Host", Figure::text(rank.host), Holds::Names);
    table.add("clock_uncertainty_ns",
              Figure::time(merged.clocks.uncertaintyNs(i)).onlyIf(merged.clocks.of(i).known));
    table.add("replays", merged.matching.replays()[i]);
    table.add("steps", of.own.count());
    table.add("own_p50_ns", "Own time", Figure::quantile(of.own, 0.5));
    table.add("own_p95_ns", "P95", Figure::quantile(of.own, 0.95));
    table.add("busy_p50_ns", anyBusy ? "Busy" : "", Figure::quantile(of.busy, 0.5));
    table.add("slowest_in", "Slowest in", share(of.slowest, of.own.count()));
    table.add("behind_p50_ns", "Behind", Figure::quantile(of.behind, 0.5));
    addShare(table, "collectives/", of.all);
  }
  return table;
}

FigureTable stepsTable(const MergedJob &merged, const Places &places) {
  FigureTable table;
  for (const std::size_t i : places) {
    const StepRow &step = merged.split.steps()[i];
    const bool isLaunch = step.step < 0;
    table.next();
    table.add("", merged.split.bySteps() ? "Step" : "Launch", nameOf(step, merged), Holds::Names);
    table.add("step", Figure(step.step).onlyIf(!isLaunch));
    table.add("exec", Figure(step.exec + 1).onlyIf(isLaunch));
    table.add("launch", Figure(step.number).onlyIf(isLaunch));
    table.add("graph_name", Figure::text(merged.job.graphName(step.serves)).onlyIf(isLaunch));
    table.add("fastest", "Fastest", rankFigure(merged, step.fastest));
    table.add("fastest_ns", "Own time", Figure::time(step.fastestNs));
    table.add("median_ns", "Median", Figure::time(step.medianNs));
    table.add("slowest", "Slowest",
              step.decided ? rankFigure(merged, step.slowest) : Figure().as("undecided"));
    table.add("slowest_ns", "Own time", Figure::time(step.slowestNs));
    table.add("behind_ns", "Behind", Figure::time(step.spreadNs()));
  }
  return table;
}

// Who was last most often, if not by chance.
std::string lastOf(const MergedJob &merged, const CollectiveRow &row) {
  const std::size_t most = row.lastMostOften();
  if (most == CollectiveRow::none)
    return row.anyLast() ? "no rank more than others" : std::string(noValue);
  return fmt::format("rank {}: {}", merged.job.ranks()[most].number,
                     share(row.ranks[most].last, row.count).forPeople());
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

std::string_view flowWord(Flow flow) {
  switch (flow) {
  case Flow::All:
    return "all";
  case Flow::FromRoot:
    return "from_root";
  case Flow::ToRoot:
    return "to_root";
  case Flow::Pair:
    return "pair";
  }
  return {};
}

FigureTable collectivesTable(const MergedJob &merged, const Places &places) {
  const auto &all = merged.split.collectives();
  const bool anyBusy =
      std::ranges::any_of(all, [](const CollectiveRow &one) { return !one.busy.empty(); });
  FigureTable table;
  for (const std::size_t i : places) {
    const CollectiveRow &row = all[i];
    table.next();
    table.add("path", "Collective",
              Figure(row.path).as(row.path + (row.paths > 1 ? fmt::format(" ×{}", row.paths) : "") +
                                  rootText(merged, row)),
              Holds::Names);
    table.add("paths", row.paths);
    table.add("count", "Count", row.count);
    table.add("longest_wait_p50_ns", "Longest wait", wait(row.longest, 0.5, row.uncertaintyNs));
    table.add("longest_wait_p95_ns", "P95", wait(row.longest, 0.95, row.uncertaintyNs));
    table.add("longest_wait_max_ns", "Max", wait(row.longest, 1, row.uncertaintyNs));
    table.add("transferring_p50_ns", "Transferring", Figure::quantile(row.transferring, 0.5));
    addBusy(table, "", row.busy, anyBusy);
    table.add("uncertainty_ns", "Uncertainty", Figure::time(row.uncertaintyNs, false));
    table.add("last_unknown", row.lastUnknown);
    table.add("flow", flowWord(row.flow));
    table.add("root", row.roots.size() == 1 ? rankFigure(merged, *row.roots.begin()) : Figure());
    table.add("", "Last most often", lastOf(merged, row), Holds::Texts);
  }
  return table;
}

// Adds the ranks in a collective, for programs. `named`: with its path.
void addRanksOf(FigureTable &table, const MergedJob &merged, const CollectiveRow &row, bool named) {
  for (std::size_t i = 0; i < row.ranks.size(); ++i) {
    if (row.ranks[i].waiting.empty() && !row.roots.contains(i))
      continue;
    table.next();
    if (named) {
      table.add("path", row.path);
      table.add("paths", row.paths);
    }
    table.add("rank", merged.job.ranks()[i].number);
    addShare(table, "", row.ranks[i]);
  }
}

OrderedJson clocksJson(const MergedJob &merged) {
  OrderedJson list = OrderedJson::array();
  for (const JobClock &clock : merged.clocks.clocks()) {
    OrderedJson ranks = OrderedJson::array();
    for (const std::size_t rank : clock.ranks)
      ranks.push_back(merged.job.ranks()[rank].number);
    list.push_back(
        {{"host", asJson(Figure::text(clock.host))},
         {"ranks", ranks},
         {"known", clock.known},
         {"ahead_ns", asJson(Figure(clock.aheadNs).onlyIf(clock.known))},
         {"drift_ns_per_s", asJson(Figure(clock.driftNsPerS).onlyIf(clock.nodes.size() > 1))},
         {"drift_within_ns_per_s",
          asJson(Figure(clock.driftWithinNsPerS).onlyIf(clock.nodes.size() > 1))},
         {"collectives", clock.collectives}});
  }
  return list;
}

// All places, in their order.
Places all(std::size_t count) {
  Places places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

std::string spreadLine(const Split &split) {
  if (split.steps().empty())
    return split.bySteps() ? "no step that all ranks recorded"
                           : "no launch that all ranks recorded";
  const auto behind = [&](double which) {
    return Figure::quantile(split.spread(), which).forPeople();
  };
  return fmt::format("{}; the slowest rank is behind the fastest by {} in the median, {} in P95, "
                     "{} at most",
                     split.bySteps() ? counted(split.steps().size(), "step", "steps")
                                     : counted(split.steps().size(), "launch", "launches"),
                     behind(0.5), behind(0.95), Figure::time(split.spread().maxNs()).forPeople());
}

// The first `most` of a table's rows, and how many more there are.
Section section(std::string title, Places order, std::size_t most, std::string_view one,
                std::string_view many, auto tableOf) {
  std::vector<std::string> notes;
  if (order.size() > most) {
    notes.push_back(counted(order.size() - most, one, many) + " more (--all)");
    order.resize(most);
  }
  return {order.empty() ? std::string() : std::move(title), tableOf(order), std::move(notes)};
}

Section sectionOf(const MergedJob &merged, MergeTable which, std::size_t most) {
  const Split &split = merged.split;
  Section made;
  switch (which) {
  case MergeTable::Ranks:
    return section("time of each rank", ranksInOrder(merged, most), most, "rank", "ranks",
                   [&](const Places &places) { return ranksTable(merged, places); });
  case MergeTable::Steps:
    made = section(split.bySteps() ? "steps in which ranks are furthest apart"
                                   : "launches in which ranks are furthest apart",
                   stepsInOrder(split), most, split.bySteps() ? "step" : "launch",
                   split.bySteps() ? "steps" : "launches",
                   [&](const Places &places) { return stepsTable(merged, places); });
    made.notes.push_back(spreadLine(split));
    return made;
  case MergeTable::Collectives:
    made = section("collectives: waiting for the last rank, and transferring",
                   collectivesInOrder(split), most, "collective", "collectives",
                   [&](const Places &places) { return collectivesTable(merged, places); });
    if (std::ranges::any_of(split.collectives(),
                            [](const CollectiveRow &row) { return row.paths > 1; })) {
      const std::string folded = "×N are N collectives that agree; --all shows each";
      if (made.notes.empty())
        made.notes.push_back(folded);
      else
        made.notes.front() += "; " + folded;
    }
    return made;
  }
  return made;
}

} // namespace

Document mergeDocument(const MergedJob &merged, const MergeLook &look) {
  Document document;
  document.about = runLines(merged.job.runs());
  std::ranges::move(clockLines(merged.job, merged.clocks), std::back_inserter(document.about));
  for (const MergeTable which : look.tables)
    document.sections.push_back(sectionOf(merged, which, look.most));
  document.notes = mergeRemarks(merged);
  std::ranges::move(lossLines(merged.job.runs()), std::back_inserter(document.notes));
  return document;
}

OrderedJson mergeJson(const MergedJob &merged) {
  const Unmatched &unmatched = merged.matching.unmatched();
  const Split &split = merged.split;
  OrderedJson collectives = asJson(collectivesTable(merged, all(split.collectives().size())));
  for (std::size_t i = 0; i < split.collectives().size(); ++i) {
    FigureTable ranks;
    addRanksOf(ranks, merged, split.collectives()[i], false);
    collectives[i]["ranks"] = asJson(ranks);
  }
  return {{"graphprof_merge", 1},
          {"runs", runsJson(merged.job.runs())},
          {"clocks", clocksJson(merged)},
          {"step_is", split.bySteps() ? "step" : "launch"},
          {"ranks", asJson(ranksTable(merged, all(split.ranks().size())))},
          {"steps", asJson(stepsTable(merged, all(split.steps().size())))},
          {"spread_p50_ns", asJson(Figure::quantile(split.spread(), 0.5))},
          {"spread_p95_ns", asJson(Figure::quantile(split.spread(), 0.95))},
          {"collectives", std::move(collectives)},
          {"not_compared",
           {{"replays", unmatched.replays},
            {"replays_of_one_rank", unmatched.replaysAlone},
            {"collectives", unmatched.collectives},
            {"not_measured", unmatched.notMeasured},
            {"clocks_unknown", split.notComparable()},
            {"impossible", split.impossible()},
            {"root_unknown", split.rootUnknown()},
            {"root_contradicted", split.rootContradicted()},
            {"sends", unmatched.sends},
            {"twice", unmatched.twice},
            {"left_out", merged.job.leftOut()},
            {"cold_launches", split.cold()}}},
          {"remarks", mergeRemarks(merged)}};
}

FigureTable mergeTable(const MergedJob &merged, const MergeLook &look) {
  const Split &split = merged.split;
  if (look.tables.front() == MergeTable::Ranks)
    return ranksTable(merged, all(split.ranks().size()));
  if (look.tables.front() == MergeTable::Steps)
    return stepsTable(merged, all(split.steps().size()));
  FigureTable ranks;
  for (const CollectiveRow &row : split.collectives())
    addRanksOf(ranks, merged, row, true);
  return ranks;
}

} // namespace graphprof

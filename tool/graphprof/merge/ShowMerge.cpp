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
template <class Row, class BusyOf>
void addBusy(TableOf<Row> &table, const std::string &before, bool shown, BusyOf busyOf) {
  const auto add = [&](const char *key, const char *heading, auto figureOf) {
    table.add({before + key, shown ? heading : ""},
              [&](const Row &row) { return figureOf(busyOf(row).shown()); });
  };
  add("busy_ns", "Busy", [](const Batch::Busy &busy) { return Figure::time(busy.ns); });
  add("gap_ns", "Gap", [](const Batch::Busy &busy) { return Figure::time(busy.gapNs); });
  add("gap_cause", "", [](const Batch::Busy &busy) { return Figure::text(word(busy.cause)); });
  add("busy_replays", "", [](const Batch::Busy &busy) { return Figure(busy.replays); });
}

// `before`: begins the keys. With it people see some of them, too.
template <class Row, class ShareOf>
void addShare(TableOf<Row> &table, const std::string &before, ShareOf shareOf) {
  const auto add = [&](const char *key, const char *heading, auto figureOf) {
    table.add({before + key, before.empty() ? "" : heading},
              [&](const Row &row) { return figureOf(shareOf(row)); });
  };
  const auto addWait = [&](const char *key, const char *heading, double which) {
    add(key, heading,
        [which](const RankShare &of) { return wait(of.waiting, which, of.uncertaintyNs); });
  };
  add("count", "", [](const RankShare &of) { return Figure(of.waiting.count()); });
  add("last_in", "Last in", [](const RankShare &of) { return share(of.last, of.waiting.count()); });
  addWait("waiting_p50_ns", "Waiting", 0.5);
  addWait("waiting_p95_ns", "P95", 0.95);
  addWait("waiting_max_ns", "", 1);
  add("waits_known", "", [](const RankShare &of) { return Figure(of.known); });
  add("known_waiting_ns", "In all", [](const RankShare &of) {
    const Figure all = Figure::time(of.knownNs);
    return of.known > 0 ? all : all.as(std::string(noValue));
  });
  add("transferring_p50_ns", "Transferring",
      [](const RankShare &of) { return Figure::quantile(of.transferring, 0.5); });
  add("transferring_p95_ns", "",
      [](const RankShare &of) { return Figure::quantile(of.transferring, 0.95); });
  add("uncertainty_ns", "", [](const RankShare &of) {
    return Figure::time(of.uncertaintyNs).onlyIf(!of.waiting.empty());
  });
  addBusy(table, before, false, [&](const Row &row) { return shareOf(row).busy; });
}

using Places = std::vector<std::size_t>;

FigureTable ranksTable(const MergedJob &merged, Places places) {
  const std::vector<RankSummary> &all = merged.split.ranks();
  const bool anyBusy =
      std::ranges::any_of(all, [](const RankSummary &one) { return !one.busy.empty(); });
  TableOf<std::size_t> table(std::move(places));
  const auto add = [&](FigureColumn column, auto figureOf) {
    table.add(std::move(column), [&](std::size_t i) { return figureOf(all[i]); });
  };
  table.add({"rank", "Rank"}, [&](std::size_t i) { return merged.job.ranks()[i].number; });
  table.add({"host", "Host", Holds::Names},
            [&](std::size_t i) { return Figure::text(merged.job.ranks()[i].host); });
  table.add({"clock_uncertainty_ns", ""}, [&](std::size_t i) {
    return Figure::time(merged.clocks.uncertaintyNs(i)).onlyIf(merged.clocks.of(i).known);
  });
  table.add({"replays", ""}, [&](std::size_t i) { return merged.matching.replays()[i]; });
  add({"steps", ""}, [](const RankSummary &of) { return of.own.count(); });
  add({"own_p50_ns", "Own time"},
      [](const RankSummary &of) { return Figure::quantile(of.own, 0.5); });
  add({"own_p95_ns", "P95"}, [](const RankSummary &of) { return Figure::quantile(of.own, 0.95); });
  add({"busy_p50_ns", anyBusy ? "Busy" : ""},
      [](const RankSummary &of) { return Figure::quantile(of.busy, 0.5); });
  add({"slowest_in", "Slowest in"},
      [](const RankSummary &of) { return share(of.slowest, of.own.count()); });
  add({"behind_p50_ns", "Behind"},
      [](const RankSummary &of) { return Figure::quantile(of.behind, 0.5); });
  addShare(table, "collectives/", [&](std::size_t i) -> const RankShare & { return all[i].all; });
  return table;
}

FigureTable stepsTable(const MergedJob &merged, Places places) {
  const Split &split = merged.split;
  TableOf<std::size_t> table(std::move(places));
  const auto add = [&](FigureColumn column, auto figureOf) {
    table.add(std::move(column), [&](std::size_t i) { return figureOf(split.steps()[i]); });
  };
  add({"", split.bySteps() ? "Step" : "Launch", Holds::Names},
      [&](const StepRow &step) { return nameOf(step, merged); });
  add({"step", ""}, [](const StepRow &step) { return Figure(step.step).onlyIf(step.step >= 0); });
  add({"exec", ""},
      [](const StepRow &step) { return Figure(step.exec + 1).onlyIf(step.step < 0); });
  add({"launch", ""},
      [](const StepRow &step) { return Figure(step.number).onlyIf(step.step < 0); });
  add({"graph_name", ""}, [&](const StepRow &step) {
    return Figure::text(merged.job.graphName(step.serves)).onlyIf(step.step < 0);
  });
  add({"fastest", "Fastest"},
      [&](const StepRow &step) { return rankFigure(merged, step.fastest); });
  add({"fastest_ns", "Own time"}, [](const StepRow &step) { return Figure::time(step.fastestNs); });
  add({"median_ns", "Median"}, [](const StepRow &step) { return Figure::time(step.medianNs); });
  add({"slowest", "Slowest"}, [&](const StepRow &step) {
    return step.decided ? rankFigure(merged, step.slowest) : Figure().as("undecided");
  });
  add({"slowest_ns", "Own time"}, [](const StepRow &step) { return Figure::time(step.slowestNs); });
  add({"behind_ns", "Behind"}, [](const StepRow &step) { return Figure::time(step.spreadNs()); });
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

FigureTable collectivesTable(const MergedJob &merged, Places places) {
  const auto &all = merged.split.collectives();
  const bool anyBusy =
      std::ranges::any_of(all, [](const CollectiveRow &one) { return !one.busy.empty(); });
  TableOf<std::size_t> table(std::move(places));
  const auto add = [&](FigureColumn column, auto figureOf) {
    table.add(std::move(column), [&](std::size_t i) { return figureOf(all[i]); });
  };
  const auto addWait = [&](const char *key, const char *heading, double which) {
    add({key, heading},
        [which](const CollectiveRow &row) { return wait(row.longest, which, row.uncertaintyNs); });
  };
  add({"path", "Collective", Holds::Names}, [&](const CollectiveRow &row) {
    return Figure(row.path).as(row.path + (row.paths > 1 ? fmt::format(" ×{}", row.paths) : "") +
                               rootText(merged, row));
  });
  add({"paths", ""}, [](const CollectiveRow &row) { return row.paths; });
  add({"count", "Count"}, [](const CollectiveRow &row) { return row.count; });
  addWait("longest_wait_p50_ns", "Longest wait", 0.5);
  addWait("longest_wait_p95_ns", "P95", 0.95);
  addWait("longest_wait_max_ns", "Max", 1);
  add({"transferring_p50_ns", "Transferring"},
      [](const CollectiveRow &row) { return Figure::quantile(row.transferring, 0.5); });
  addBusy(table, "", anyBusy, [&](std::size_t i) { return all[i].busy; });
  add({"uncertainty_ns", "Uncertainty"},
      [](const CollectiveRow &row) { return Figure::time(row.uncertaintyNs, false); });
  add({"last_unknown", ""}, [](const CollectiveRow &row) { return row.lastUnknown; });
  add({"flow", ""}, [](const CollectiveRow &row) { return flowWord(row.flow); });
  add({"root", ""}, [&](const CollectiveRow &row) {
    return row.roots.size() == 1 ? rankFigure(merged, *row.roots.begin()) : Figure();
  });
  add({"", "Last most often", Holds::Texts},
      [&](const CollectiveRow &row) { return lastOf(merged, row); });
  return table;
}

// A rank in a collective.
struct OfRank {
  const CollectiveRow *row;
  std::size_t place;
};

void addRanksOf(const CollectiveRow &row, std::vector<OfRank> &to) {
  for (std::size_t i = 0; i < row.ranks.size(); ++i)
    if (!row.ranks[i].waiting.empty() || row.roots.contains(i))
      to.push_back({&row, i});
}

// `named`: with the collective's path.
FigureTable sharesTable(const MergedJob &merged, std::vector<OfRank> ranks, bool named) {
  TableOf<OfRank> table(std::move(ranks));
  if (named) {
    table.add({"path", ""}, [](const OfRank &of) { return of.row->path; });
    table.add({"paths", ""}, [](const OfRank &of) { return of.row->paths; });
  }
  table.add({"rank", ""}, [&](const OfRank &of) { return merged.job.ranks()[of.place].number; });
  addShare(table, "",
           [](const OfRank &of) -> const RankShare & { return of.row->ranks[of.place]; });
  return table;
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
  return {order.empty() ? std::string() : std::move(title), tableOf(std::move(order)),
          std::move(notes)};
}

Section sectionOf(const MergedJob &merged, MergeTable which, std::size_t most) {
  const Split &split = merged.split;
  Section made;
  switch (which) {
  case MergeTable::Ranks:
    return section("time of each rank", ranksInOrder(merged, most), most, "rank", "ranks",
                   [&](Places places) { return ranksTable(merged, std::move(places)); });
  case MergeTable::Steps:
    made = section(split.bySteps() ? "steps in which ranks are furthest apart"
                                   : "launches in which ranks are furthest apart",
                   stepsInOrder(split), most, split.bySteps() ? "step" : "launch",
                   split.bySteps() ? "steps" : "launches",
                   [&](Places places) { return stepsTable(merged, std::move(places)); });
    made.notes.push_back(spreadLine(split));
    return made;
  case MergeTable::Collectives:
    made = section("collectives: waiting for the last rank, and transferring",
                   collectivesInOrder(split), most, "collective", "collectives",
                   [&](Places places) { return collectivesTable(merged, std::move(places)); });
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
    std::vector<OfRank> ranks;
    addRanksOf(split.collectives()[i], ranks);
    collectives[i]["ranks"] = asJson(sharesTable(merged, std::move(ranks), false));
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
  std::vector<OfRank> ranks;
  for (const CollectiveRow &row : split.collectives())
    addRanksOf(row, ranks);
  return sharesTable(merged, std::move(ranks), true);
}

} // namespace graphprof

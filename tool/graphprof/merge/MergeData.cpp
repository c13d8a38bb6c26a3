// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A merged job for programs: JSON and CSV.

#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "MergedRows.h"
#include "PrintMerge.h"
#include "output/formats/csv/Csv.h"
#include "output/io/Text.h"
#include "output/io/Words.h"
#include "report/BusyJson.h"
#include "report/RunsJson.h"

namespace graphprof {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson known(bool is, double ns) { return is ? OrderedJson(ns) : OrderedJson(); }
OrderedJson textOrNull(const std::string &text) {
  return text.empty() ? OrderedJson() : OrderedJson(utf8(text));
}

// A wait that is not longer than its uncertainty is no number, only less than that.
OrderedJson waitJson(const Distribution &waiting, double which, double uncertaintyNs) {
  return known(!waiting.empty() && waiting.quantileNs(which) > uncertaintyNs,
               waiting.quantileNs(which));
}

OrderedJson quantileJson(const Distribution &times, double which) {
  return known(!times.empty(), times.quantileNs(which));
}

OrderedJson shareJson(const RankShare &share) {
  OrderedJson json = {{"count", share.waiting.count()},
                      {"last_in", share.last},
                      {"waiting_p50_ns", waitJson(share.waiting, 0.5, share.uncertaintyNs)},
                      {"waiting_p95_ns", waitJson(share.waiting, 0.95, share.uncertaintyNs)},
                      {"waiting_max_ns", waitJson(share.waiting, 1, share.uncertaintyNs)},
                      {"waits_known", share.known},
                      {"known_waiting_ns", share.knownNs},
                      {"transferring_p50_ns", quantileJson(share.transferring, 0.5)},
                      {"transferring_p95_ns", quantileJson(share.transferring, 0.95)},
                      {"uncertainty_ns", known(!share.waiting.empty(), share.uncertaintyNs)}};
  addBusy(json, share.busy.shown());
  return json;
}

OrderedJson clocksJson(const MergedJob &merged) {
  OrderedJson list = OrderedJson::array();
  for (const JobClock &clock : merged.clocks.clocks()) {
    OrderedJson ranks = OrderedJson::array();
    for (const std::size_t rank : clock.ranks)
      ranks.push_back(merged.job.ranks()[rank].number);
    list.push_back(
        {{"host", textOrNull(clock.host)},
         {"ranks", ranks},
         {"known", clock.known},
         {"ahead_ns", clock.known ? OrderedJson(clock.aheadNs) : OrderedJson()},
         {"drift_ns_per_s", known(clock.nodes.size() > 1, clock.driftNsPerS)},
         {"drift_within_ns_per_s", known(clock.nodes.size() > 1, clock.driftWithinNsPerS)},
         {"collectives", clock.collectives}});
  }
  return list;
}

OrderedJson ranksJson(const MergedJob &merged) {
  OrderedJson list = OrderedJson::array();
  for (std::size_t i = 0; i < merged.split.ranks().size(); ++i) {
    const Rank &rank = merged.job.ranks()[i];
    const RankSummary &summary = merged.split.ranks()[i];
    list.push_back(
        {{"rank", rank.number},
         {"host", textOrNull(rank.host)},
         {"clock_uncertainty_ns", known(merged.clocks.of(i).known, merged.clocks.uncertaintyNs(i))},
         {"replays", merged.matching.replays()[i]},
         {"steps", summary.own.count()},
         {"own_p50_ns", quantileJson(summary.own, 0.5)},
         {"own_p95_ns", quantileJson(summary.own, 0.95)},
         {"busy_p50_ns", quantileJson(summary.busy, 0.5)},
         {"slowest_in", summary.slowest},
         {"behind_p50_ns", quantileJson(summary.behind, 0.5)},
         {"collectives", shareJson(summary.all)}});
  }
  return list;
}

OrderedJson stepsJson(const MergedJob &merged) {
  OrderedJson list = OrderedJson::array();
  for (const StepRow &step : merged.split.steps())
    list.push_back({{"step", step.step < 0 ? OrderedJson() : OrderedJson(step.step)},
                    {"exec", step.step < 0 ? OrderedJson(step.exec + 1) : OrderedJson()},
                    {"launch", step.step < 0 ? OrderedJson(step.number) : OrderedJson()},
                    {"fastest", merged.job.ranks()[step.fastest].number},
                    {"fastest_ns", step.fastestNs},
                    {"median_ns", step.medianNs},
                    {"slowest", step.decided ? OrderedJson(merged.job.ranks()[step.slowest].number)
                                             : OrderedJson()},
                    {"slowest_ns", step.slowestNs},
                    {"behind_ns", step.spreadNs()}});
  return list;
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

OrderedJson collectivesJson(const MergedJob &merged) {
  OrderedJson list = OrderedJson::array();
  for (const CollectiveRow &row : merged.split.collectives()) {
    OrderedJson ranks = OrderedJson::array();
    for (std::size_t i = 0; i < row.ranks.size(); ++i)
      if (!row.ranks[i].waiting.empty() || row.roots.contains(i)) {
        OrderedJson one = {{"rank", merged.job.ranks()[i].number}};
        one.update(shareJson(row.ranks[i]));
        ranks.push_back(std::move(one));
      }
    list.push_back(
        {{"path", utf8(row.path)},
         {"paths", row.paths},
         {"count", row.count},
         {"longest_wait_p50_ns", waitJson(row.longest, 0.5, row.uncertaintyNs)},
         {"longest_wait_p95_ns", waitJson(row.longest, 0.95, row.uncertaintyNs)},
         {"longest_wait_max_ns", waitJson(row.longest, 1, row.uncertaintyNs)},
         {"transferring_p50_ns", quantileJson(row.transferring, 0.5)},
         {"uncertainty_ns", row.uncertaintyNs},
         {"last_unknown", row.lastUnknown},
         {"flow", flowWord(row.flow)},
         {"root", row.roots.size() == 1 ? OrderedJson(merged.job.ranks()[*row.roots.begin()].number)
                                        : OrderedJson()}});
    addBusy(list.back(), row.busy.shown());
    list.back()["ranks"] = std::move(ranks);
  }
  return list;
}

std::string cell(const OrderedJson &value) {
  if (value.is_null())
    return {};
  if (value.is_string())
    return csvField(value.get<std::string>());
  if (value.is_number_float())
    return fmt::format("{:.1f}", value.get<double>());
  return value.dump();
}

// A column for each member, those of objects too: "collectives_last_in".
void addCells(const OrderedJson &object, const std::string &before, std::string &headings,
              std::string &cells) {
  for (const auto &[key, value] : object.items())
    if (value.is_object()) {
      addCells(value, fmt::format("{}{}_", before, key), headings, cells);
    } else if (!value.is_array()) {
      // The cell of the first column may be empty.
      const std::string_view comma = headings.empty() ? "" : ",";
      fmt::format_to(std::back_inserter(headings), "{}{}{}", comma, before, key);
      fmt::format_to(std::back_inserter(cells), "{}{}", comma, cell(value));
    }
}

} // namespace

std::string mergeJson(const MergedJob &merged) {
  const Unmatched &unmatched = merged.matching.unmatched();
  const Split &split = merged.split;
  const OrderedJson document = {{"graphprof_merge", 1},
                                {"runs", runsJson(merged.job.runs())},
                                {"clocks", clocksJson(merged)},
                                {"step_is", split.bySteps() ? "step" : "launch"},
                                {"ranks", ranksJson(merged)},
                                {"steps", stepsJson(merged)},
                                {"spread_p50_ns", quantileJson(split.spread(), 0.5)},
                                {"spread_p95_ns", quantileJson(split.spread(), 0.95)},
                                {"collectives", collectivesJson(merged)},
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
  return document.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

std::string mergeCsv(const MergedJob &merged, const MergeLook &look) {
  OrderedJson list;
  if (look.tables.front() == MergeTable::Ranks)
    list = ranksJson(merged);
  else if (look.tables.front() == MergeTable::Steps)
    list = stepsJson(merged);
  else
    for (const OrderedJson &row : collectivesJson(merged))
      for (const OrderedJson &rank : row["ranks"]) {
        OrderedJson one = {{"path", row["path"]}, {"paths", row["paths"]}};
        one.update(rank);
        list.push_back(std::move(one));
      }
  std::string text;
  for (const OrderedJson &row : list) {
    std::string headings, cells;
    addCells(row, "", headings, cells);
    if (text.empty())
      text = headings + '\n';
    text += cells + '\n';
  }
  return text;
}

} // namespace graphprof

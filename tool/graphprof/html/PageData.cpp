// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "PageData.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "PageJson.h"
#include "critical/ShowCritical.h"
#include "output/data/LossText.h"
#include "output/io/Text.h"
#include "output/io/Words.h"
#include "report/ShowReport.h"

namespace graphprof {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array groupings = {GroupBy::Region, GroupBy::Site, GroupBy::Kernel,
                                  GroupBy::Graph,  GroupBy::Step, GroupBy::Rank};

// The longest `most` rows, and the regions around them, in their order. Returns how many are left
// out.
std::size_t keepLongest(std::vector<TableRow> &rows, std::size_t most) {
  if (rows.size() <= most)
    return 0;
  std::vector<std::size_t> byTotal(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    byTotal[i] = i;
  std::sort(byTotal.begin(), byTotal.end(), [&](std::size_t one, std::size_t other) {
    const std::int64_t a = rows[one].durations->sumNs(), b = rows[other].durations->sumNs();
    return a != b ? a > b : one < other;
  });
  std::vector<bool> stays(rows.size());
  for (std::size_t i = 0; i < most; ++i) {
    stays[byTotal[i]] = true;
    int depth = rows[byTotal[i]].depth;
    for (std::size_t before = byTotal[i]; depth > 0 && before-- > 0;)
      if (rows[before].depth < depth) {
        depth = rows[before].depth;
        stays[before] = true;
      }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (stays[i]) {
      if (kept != i)
        rows[kept] = std::move(rows[i]);
      ++kept;
    }
  const std::size_t left = rows.size() - kept;
  rows.resize(kept);
  return left;
}

// How a row's times are distributed, from the least to `to_ns`, the 99th percentile, as in the
// terminal; the last part holds those above.
OrderedJson histogramOf(const TableRow &row, std::size_t bins) {
  if (!row.hasSpread())
    return nullptr;
  const Distribution &durations = *row.durations;
  const auto from = static_cast<double>(durations.minNs());
  const double to = durations.quantileNs(0.99);
  return {{"from_ns", from}, {"to_ns", to}, {"counts", durations.parts(bins, from, to)}};
}

// Those that took most stay. Returns how many are left out.
std::size_t keepLargest(OrderedJson &graphs, std::size_t most) {
  if (graphs.size() <= most)
    return 0;
  const std::size_t left = graphs.size() - most;
  const auto bytesOf = [](const OrderedJson &row) {
    return row["total_bytes"].get<std::int64_t>();
  };
  std::vector<std::size_t> order(graphs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t one, std::size_t other) {
    const std::int64_t a = bytesOf(graphs[one]), b = bytesOf(graphs[other]);
    return a != b ? a > b : one < other;
  });
  OrderedJson kept = OrderedJson::array();
  for (std::size_t i = 0; i < most; ++i)
    kept.push_back(std::move(graphs[order[i]]));
  graphs = std::move(kept);
  return left;
}

OrderedJson reportOf(const Collected &collected, GroupBy by, const PageBounds &bounds) {
  std::vector<TableRow> rows = collected.rows();
  const std::size_t left = keepLongest(rows, bounds.rows);
  // What `graphprof report --json` prints, so that a figure is the same on both.
  OrderedJson report = reportJson(collected, by, rows, {0.5, 0.95, 0.99});
  for (std::size_t i = 0; i < rows.size(); ++i)
    report["rows"][i]["histogram"] = histogramOf(rows[i], bounds.histogramBins);
  report["rows_left_out"] = left;
  if (by != groupings.front()) // once is enough
    report["graph_memory"] = OrderedJson::array();
  return report;
}

struct Numbered {
  std::vector<std::string> texts;
  std::unordered_map<std::string, std::size_t> numbers;
  std::size_t of(const std::string &text) {
    const auto [known, isNew] = numbers.emplace(text, texts.size());
    if (isNew)
      texts.push_back(text);
    return known->second;
  }
};

// `times`: null if the run's clock is not that of the others.
OrderedJson seriesOf(const Series &series, std::size_t run, std::int64_t beganNs,
                     const JobTimes *times) {
  OrderedJson list = OrderedJson::array();
  for (const Series::Bin &bin : series.bins()) {
    const double mean =
        bin.count == 0 ? -1 : static_cast<double>(bin.sumNs) / static_cast<double>(bin.count);
    list.push_back({bin.number, bin.atNs > 0 ? bin.atNs - beganNs : 0, bin.count, bin.notMeasured,
                    bin.count == 0 ? -1 : bin.minNs, mean, bin.count == 0 ? -1 : bin.maxNs});
    if (times != nullptr && bin.atNs > 0)
      list.back().push_back(times->sinceFirstNs(run, bin.atNs));
  }
  return list;
}

} // namespace

PageData::PageData(const PageBounds &bounds, bool aligns)
    : bounds_(bounds), all_([this, aligns] {
        std::vector<RecordingsListener *> to;
        to.reserve(groupings.size() + 1);
        for (const GroupBy by : groupings)
          to.push_back(&collected_.emplace_back(by, by == groupings.front() ? nullptr
                                                                            : &collected_.front()));
        to.push_back(&critical_);
        if (aligns)
          to.push_back(&times_.emplace());
        return to;
      }()),
      kept_(bounds.replays, bounds.items), memory_(bounds.memories, bounds.memoryBins) {}

void PageData::begin(const Run &run) {
  all_.begin(run);
  kept_.beginRun();
  memory_.beginRun();
  known_ = {};
  byName_.clear();
  began_.push_back(run.beganNs);
}

void PageData::finish() {
  for (Collected &one : collected_)
    one.finish();
  memory_.finish();
  if (times_)
    times_->finish();
  shown_ = kept_.kept();
  std::vector<RecordingsListener *> again;
  if (hasHost_)
    again.push_back(&host_.emplace(shown_, bounds_.hostSpans));
  if (!memory_.places().empty())
    again.push_back(&blocks_.emplace(memory_.places(), bounds_.blocks));
  if (!again.empty())
    again_.emplace(std::move(again));
}

PageData::OverTime *PageData::overTime(bool isGraph, const std::string &name) {
  const std::string key = (isGraph ? 'g' : 'r') + name;
  if (const auto known = byName_.find(key); known != byName_.end())
    return known->second;
  if (series_.size() == bounds_.series)
    return nullptr;
  OverTime &made = series_.emplace_back(
      OverTime{name, isGraph, began_.size() - 1, 0, {Series(bounds_.bins), Series(bounds_.bins)}});
  byName_.emplace(key, &made);
  return &made;
}

void PageData::add(const Batch &batch) {
  all_.add(batch);
  kept_.add(batch);
  memory_.add(batch);
  hasHost_ = hasHost_ || !batch.spans.empty();
  known_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return region.parent == 0 ? Outermost{true, region.path} : Outermost{};
  });
  for (const Batch::Launch &launch : batch.launches) {
    const Replay &replay = launch.replay;
    if (replay.exec != 0) {
      const std::int64_t lengthNs = replay.lengthNs();
      if (OverTime *const of = overTime(true, replay.shownGraph()))
        of->times.of(replay).add(of->recorded++, lengthNs > 0 ? replay.beginNs : replay.launchNs,
                                 lengthNs);
      else
        ++timesLeftOut_;
      continue;
    }
    for (const Batch::Timing &timing : batch.timingsOf(launch)) {
      const Outermost &region = known_.of(timing.region);
      if (!region.is)
        continue;
      if (OverTime *const of = overTime(false, region.path))
        of->times.warm.add(of->recorded++, timing.beginNs, timing.durationNs);
      else
        ++timesLeftOut_;
    }
  }
}

OrderedJson PageData::runsJson() const {
  OrderedJson list = OrderedJson::array();
  for (const RunFacts &run : runs())
    list.push_back({{"name", utf8(run.name())},
                    {"backend", run.backend.empty() ? OrderedJson() : OrderedJson(run.backend)},
                    {"losses", lossSentences(run.losses)},
                    {"untimed", run.notRecorded.below()}});
  return list;
}

OrderedJson PageData::seriesJson() const {
  OrderedJson list = OrderedJson::array();
  for (const OverTime &of : series_) {
    const JobTimes *const times =
        times_ && times_->known() && times_->knows(of.run) ? &*times_ : nullptr;
    list.push_back({{"name", utf8(of.name)},
                    {"is_graph", of.isGraph},
                    {"run", of.run},
                    {"per_bin", of.times.warm.perBin()},
                    {"cold_per_bin", of.times.cold.perBin()},
                    {"warm", seriesOf(of.times.warm, of.run, began_[of.run], times)},
                    {"cold", seriesOf(of.times.cold, of.run, began_[of.run], times)}});
  }
  return list;
}

// Each text once: a graph of 100,000 nodes has a few names.
void PageData::addShapes(OrderedJson &page) const {
  Numbered names, sources, kinds;
  OrderedJson places = OrderedJson::array(), graphs = OrderedJson::array();
  for (const KeptReplays::Place &place : kept_.places())
    places.push_back({names.of(utf8(place.name)), kinds.of(std::string(word(place.kind))),
                      sources.of(utf8(place.source)), place.parent});
  for (const auto &[key, shape] : kept_.shapes()) {
    OrderedJson nodes = OrderedJson::array();
    for (std::size_t i = 0; i < shape.places.size(); ++i) {
      const GraphNodes::Node &node = shape.graphNodes->nodes[i];
      nodes.push_back({kinds.of(std::string(node.type)), names.of(utf8(node.name)), shape.places[i],
                       shape.around[i], node.after, node.early});
    }
    graphs.push_back({{"run", shape.run}, {"graph", shape.graph}, {"nodes", std::move(nodes)}});
  }
  page["graphs"] = std::move(graphs);
  page["names"] = std::move(names.texts);
  page["kinds"] = std::move(kinds.texts);
  page["sources"] = std::move(sources.texts);
  page["places"] = std::move(places);
}

OrderedJson PageData::replayJson(const KeptReplays::Kept &kept) const {
  const Replay &replay = kept.replay;
  const std::int64_t from = kept.extent().first;
  // Four numbers each: place, begin and duration in ns, the number of the stream in `streams`.
  OrderedJson items = OrderedJson::array();
  // Two each, of items that are drawn shorter than they lasted: their index, and how long, in ns.
  OrderedJson drawn = OrderedJson::array();
  std::size_t index = 0;
  std::vector<std::uint64_t> streams;
  std::unordered_map<std::uint64_t, std::size_t> numbers;
  for (const KeptReplays::Item &item : kept.items) {
    const bool measured = item.durationNs >= 0 && item.beginNs > 0;
    const auto [number, isNew] = numbers.emplace(item.stream, streams.size());
    if (isNew)
      streams.push_back(item.stream);
    items.push_back(item.place);
    items.push_back(measured ? item.beginNs - from : 0);
    items.push_back(measured ? item.durationNs : -1);
    items.push_back(number->second);
    if (measured && item.drawnNs < item.durationNs) {
      drawn.push_back(index);
      drawn.push_back(item.drawnNs);
    }
    ++index;
  }
  const std::int64_t lengthNs = replay.lengthNs();
  return {{"run", kept.run},
          {"graph", replay.graph},
          {"graph_name", utf8(replay.shownGraph())},
          {"graph_row", utf8(graphRow(replay, runs()[kept.run].run.program))},
          {"exec", replay.exec},
          {"number", replay.number},
          {"cold", replay.cold},
          {"step", replay.step},
          {"device", replay.device},
          {"why", kept.why},
          {"at_ns", from > 0 ? from - began_[kept.run] : 0},
          {"launch_ns", lengthNs > 0 && replay.launchNs > 0 ? OrderedJson(replay.launchNs - from)
                                                            : OrderedJson()},
          {"span_ns", lengthNs > 0 ? OrderedJson(lengthNs) : OrderedJson()},
          {"streams", streams},
          {"items", std::move(items)},
          {"drawn", std::move(drawn)}};
}

std::string PageData::json() const {
  OrderedJson page = OrderedJson::object();
  OrderedJson &reports = page["reports"] = OrderedJson::object();
  for (std::size_t i = 0; i < groupings.size(); ++i)
    reports[std::string(word(groupings[i]))] = reportOf(collected_[i], groupings[i], bounds_);
  page["runs"] = runsJson();
  page["series"] = seriesJson();
  addShapes(page);
  CriticalLook look;
  look.sort = CriticalLook::Sort::Order;
  look.most = bounds_.rows;
  page["critical"] = criticalJson(critical_, look);
  OrderedJson &replays = page["replays"] = OrderedJson::array();
  for (const KeptReplays::Kept *const kept : shown_)
    replays.push_back(replayJson(*kept));
  page["host"] = host_ ? hostJson(*host_, began_) : OrderedJson();
  page["memory"] = memoryJson(memory_, blocks_ ? &*blocks_ : nullptr, began_);
  page["clocks"] = clocksJson(times_ ? &*times_ : nullptr, began_);
  page["left_out"] = {
      {"graphs", kept_.graphsLeftOut()},
      {"records_outside_graphs", kept_.outsideLeftOut()},
      {"times", timesLeftOut_},
      {"shapes", kept_.shapesLeftOut()},
      {"host_spans", host_ ? host_->leftOut() : 0},
      {"memory", memory_.leftOut()},
      {"graph_memory", keepLargest(page["reports"]["region"]["graph_memory"], bounds_.rows)}};
  return page.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Metrics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "output/data/Path.h"
#include "output/data/Source.h"
#include "output/io/JsonWriter.h"
#include "output/io/ShortName.h"
#include "output/io/Words.h"
#include "output/statistics/ByWarmth.h"
#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

// What is the same for all executions of a place. A site without a file is a range of NVTX's, whose
// name is all that is known.
std::string placeName(const Batch::Region &region) {
  if (region.kind != Kind::Region)
    return region.name;
  return region.site && region.site->line > 0 ? std::string(region.site->name_format)
                                              : withoutNumbers(region.name);
}

} // namespace

void RecentQuantiles::add(std::int64_t ns, std::int64_t nowNs) {
  if (!olderCounts(nowNs)) {
    older_ = newerCounts(nowNs) ? newer_ : Counts{};
    newer_ = {};
    sinceNs_ = nowNs;
  }
  const double octave = std::log2(static_cast<double>(std::max<std::int64_t>(ns, 1))) - firstOctave;
  const auto bucket = static_cast<std::ptrdiff_t>(octave * bucketsOfOctave);
  ++newer_[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(bucket, 0, std::ssize(newer_) - 1))];
}

double RecentQuantiles::quantileNs(double q, std::int64_t nowNs) const {
  Counts counts{};
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    counts[i] = (newerCounts(nowNs) ? newer_[i] : 0) + (olderCounts(nowNs) ? older_[i] : 0);
    all += counts[i];
  }
  if (all == 0)
    return -1;
  // The middle of the bucket, on the scale on which they are equally wide.
  const auto rank = static_cast<std::uint64_t>(q * static_cast<double>(all - 1));
  std::size_t bucket = 0;
  for (std::uint64_t through = counts[0]; through <= rank; through += counts[bucket])
    ++bucket;
  return std::exp2(firstOctave + (static_cast<double>(bucket) + 0.5) / bucketsOfOctave);
}

void Durations::add(std::int64_t ns, std::int64_t nowNs) {
  ++count;
  addTo(sumNs, ns);
  recent.add(ns, nowNs);
}

void BusySums::add(const Batch::Busy &busy) {
  if (!busy.isKnown())
    return;
  ++count;
  addTo(sumNs, busy.ns);
  if (busy.gapNs < 0)
    return;
  ++gapCount;
  addTo(gapSumNs, busy.gapNs);
}

void LastExecutions::add(std::int64_t ns, const Batch::Busy &known, std::int64_t nowNs) {
  newestNs = nowNs;
  busy = known;
  if (ns >= 0)
    last_[count_++ % most] = ns;
}

std::vector<std::int64_t> LastExecutions::durations() const {
  std::vector<std::int64_t> ordered(
      last_.begin(),
      last_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count_, most)));
  if (count_ > most)
    std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(count_ % most),
                ordered.end());
  return ordered;
}

Metrics::Placed Metrics::placed(const Batch::Region &region) {
  std::string around, whole;
  std::size_t outermost = none;
  if (region.parent != 0) {
    const Placed &parent = placed_.of(region.parent);
    if (parent.place == none)
      return {none, none, {}, {}};
    whole = parent.path;
    around = places_[parent.place].path;
    outermost = parent.outermost;
  }
  std::string name = placeName(region);
  std::string path = region.parent != 0 ? pathInside(around, name) : name;
  std::string source = sourceOf(region.site, region.kind);
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}", path, source, word(region.kind), word(region.clock));
  const auto known = byKey_.find(key);
  std::size_t place = none;
  if (known != byKey_.end()) {
    place = known->second;
  } else if (places_.size() < mostPlaces) {
    place = places_.size();
    places_.push_back(
        {std::move(path), std::move(name), std::move(source), region.kind, region.clock, {}});
    byKey_.emplace(key, place);
  }
  return {place,
          outermost == none ? place : outermost,
          region.parent != 0 ? pathInside(whole, region.name) : std::string(region.name),
          {}};
}

std::size_t Metrics::rowOf(std::size_t place, int device) {
  if (place == none)
    return none;
  auto &rows = places_[place].rows;
  const auto known = std::find_if(rows.begin(), rows.end(),
                                  [device](const auto &row) { return row.first == device; });
  if (known != rows.end())
    return known->second;
  if (rows_.size() >= mostPlaces)
    return none;
  rows.emplace_back(device, rows_.size());
  rows_.push_back({place, device, {}, {}, {}});
  return rows_.size() - 1;
}

LastExecutions *Metrics::layerOf(Placed &placed, std::size_t row, int device) {
  auto &own = rows_[row].layers;
  for (const auto &[known, layer] : placed.layers)
    if (known == device)
      return layer == none ? nullptr : &own[layer];
  const std::pair key(row, placed.path);
  auto layer = layers_.find(key);
  if (layer == layers_.end() && layers_.size() < mostLayers) {
    layer = layers_.emplace(key, own.size()).first;
    own.emplace_back();
  }
  placed.layers.emplace_back(device, layer == layers_.end() ? none : layer->second);
  return layer == layers_.end() ? nullptr : &own[layer->second];
}

std::int64_t Metrics::nowNs() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Metrics::add(const Batch &batch, std::int64_t nowNs) {
  const MutexLock lock(mutex_);
  // One by one: a region may be inside another of the same batch.
  placed_.take(batch.regionsFrom, batch.regions,
               [this](const Batch::Region &region) NO_THREAD_SAFETY_ANALYSIS { // called here
                 return placed(region);
               });
  for (const Batch::Launch &launch : batch.launches)
    add(batch, launch, nowNs);
}

void Metrics::add(const Batch &batch, const Batch::Launch &launch, std::int64_t nowNs) {
  const Replay &replay = launch.replay;
  const bool cold = ranCold(replay);
  if (replay.exec != 0)
    addReplay(replay, nowNs);
  if (!cold)
    shares_.begin(replay);
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    Placed &placed = placed_.of(timing.region);
    const std::size_t row = rowOf(placed.place, timing.device);
    if (row == none) {
      ++otherRecords_;
      continue;
    }
    Durations &durations = rows_[row].durations;
    if (cold) {
      ++durations.cold;
      continue;
    }
    if (timing.durationNs < 0)
      ++durations.notMeasured;
    else
      durations.add(timing.durationNs, nowNs);
    rows_[row].busy.add(timing.busy);
    if (LastExecutions *const layer = layerOf(placed, row, timing.device))
      layer->add(timing.durationNs, timing.busy, nowNs);
    if (const std::size_t outermost = rowOf(placed.outermost, timing.device); outermost != none)
      shares_.add(row, outermost, executionOf(timing));
  }
  if (!cold)
    shares_.end();
}

void Metrics::addReplay(const Replay &replay, std::int64_t nowNs) {
  const std::pair key(replay.shownGraph(), replay.device);
  auto known = graphs_.find(key);
  if (known == graphs_.end()) {
    if (graphs_.size() >= mostGraphs) {
      ++otherReplays_;
      return;
    }
    const std::string name = replay.serves ? replay.serves->text : std::string();
    known = graphs_.emplace(key, Graph{replay.graph, name, replay.device, {}}).first;
  }
  Durations &durations = known->second.durations;
  if (ranCold(replay))
    ++durations.cold;
  else if (const std::int64_t lengthNs = replay.lengthNs(); lengthNs > 0)
    durations.add(lengthNs, nowNs);
  else
    ++durations.notMeasured;
}

namespace {

// Of at least one.
double medianOf(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const auto upper = static_cast<double>(values[middle]);
  return values.size() % 2 == 1 ? upper : 0.5 * (upper + static_cast<double>(values[middle - 1]));
}

// A mean over layers.
class Mean {
public:
  void add(double value) { sum_ += value, ++count_; }
  /// Rounded; -1: of none.
  [[nodiscard]] std::int64_t ns() const {
    return count_ == 0 ? -1 : std::llround(sum_ / static_cast<double>(count_));
  }

private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

void write(JsonWriter &json, const Durations &durations, std::int64_t nowNs) {
  const auto quantile = [&](double q) {
    return std::llround(durations.recent.quantileNs(q, nowNs));
  };
  json.member<"count">(durations.count)
      .member<"cold">(durations.cold)
      .member<"not_measured">(durations.notMeasured)
      .member<"sum_ns">(durations.sumNs)
      .member<"p50_ns">(static_cast<std::int64_t>(quantile(0.5)))
      .member<"p95_ns">(static_cast<std::int64_t>(quantile(0.95)))
      .member<"p99_ns">(static_cast<std::int64_t>(quantile(0.99)));
}

// The layers that ran lately or, if none did, all. The halves of the same layers are compared.
void write(JsonWriter &json, const std::vector<LastExecutions> &layers, std::int64_t nowNs) {
  const auto isRecent = [nowNs](const LastExecutions &layer) {
    return nowNs - layer.newestNs < 2 * RecentQuantiles::halfNs;
  };
  const bool anyRecent = std::any_of(layers.begin(), layers.end(), isRecent);
  Mean all, older, newer, busy, gap;
  for (const LastExecutions &layer : layers) {
    if (anyRecent && !isRecent(layer))
      continue;
    if (layer.busy.isKnown())
      busy.add(static_cast<double>(layer.busy.ns));
    if (layer.busy.isKnown() && layer.busy.gapNs >= 0)
      gap.add(static_cast<double>(layer.busy.gapNs));
    const std::vector<std::int64_t> last = layer.durations();
    if (last.empty())
      continue;
    all.add(medianOf(last));
    const auto half = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2);
    if (half == last.begin())
      continue;
    older.add(medianOf({last.begin(), half}));
    newer.add(medianOf({half, last.end()}));
  }
  json.member<"median_ns">(all.ns())
      .member<"older_median_ns">(older.ns())
      .member<"newer_median_ns">(newer.ns())
      .member<"busy_median_ns">(busy.ns())
      .member<"gap_median_ns">(gap.ns());
}

void write(JsonWriter &json, const BusySums &busy) {
  json.member<"busy_count">(busy.count)
      .member<"busy_sum_ns">(busy.sumNs)
      .member<"gap_count">(busy.gapCount)
      .member<"gap_sum_ns">(busy.gapSumNs);
}

// Graphs of one name are one, as elsewhere: it has the number of the first one.
std::vector<LaunchCounts::OfGraph> launchesByName(const LaunchCounts &launches) {
  std::vector<LaunchCounts::OfGraph> all = launches.graphs();
  std::ranges::sort(all, {}, &LaunchCounts::OfGraph::graph);
  std::map<std::string_view, std::size_t> byName;
  std::vector<LaunchCounts::OfGraph> merged;
  for (const LaunchCounts::OfGraph &of : all) {
    const auto [known, isNew] = of.name.empty() ? std::pair(byName.end(), true)
                                                : byName.try_emplace(of.name, merged.size());
    if (isNew)
      merged.push_back(of);
    else
      merged[known->second].count += of.count;
  }
  return merged;
}

} // namespace

std::string Metrics::json(const LaunchCounts &launches, std::int64_t nowNs) const {
  std::vector<Place> places;
  std::vector<Row> rows;
  std::vector<double> shares;
  std::map<std::pair<std::string, int>, Graph> graphs;
  std::uint64_t otherRecords = 0, otherReplays = 0;
  {
    const MutexLock lock(mutex_);
    places = places_;
    rows = rows_;
    graphs = graphs_;
    for (std::size_t row = 0; row < rows_.size(); ++row)
      shares.push_back(shares_.percentOf(row));
    otherRecords = otherRecords_;
    otherReplays = otherReplays_;
  }
  std::string text;
  JsonWriter json(text);
  json.key<"graphs">().beginArray();
  for (const auto &[key, graph] : graphs) {
    json.beginObject().member<"graph">(graph.number);
    if (!graph.name.empty())
      json.member<"graph_name">(graph.name);
    json.member<"device">(graph.device);
    write(json, graph.durations, nowNs);
    json.endObject();
  }
  json.endArray();
  json.key<"launches">().beginArray();
  for (const LaunchCounts::OfGraph &of : launchesByName(launches)) {
    json.beginObject().member<"graph">(of.graph);
    if (!of.name.empty())
      json.member<"graph_name">(of.name);
    json.member<"count">(of.count).endObject();
  }
  json.endArray();
  json.member<"other_launches">(launches.others()).member<"untimed_launches">(launches.untimed());
  json.key<"regions">().beginArray();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Place &place = places[rows[i].place];
    json.beginObject()
        .member<"path">(place.path)
        .member<"name">(place.name)
        .member<"kind">(word(place.kind))
        .member<"clock">(word(place.clock))
        .member<"source">(place.source)
        .member<"device">(rows[i].device);
    json.key<"share_percent">().raw(shares[i] < 0 ? "null" : fmt::format("{:.4f}", shares[i]));
    write(json, rows[i].durations, nowNs);
    write(json, rows[i].layers, nowNs);
    write(json, rows[i].busy);
    json.endObject();
  }
  json.endArray();
  json.member<"other_records">(otherRecords).member<"other_replays">(otherReplays);
  return text;
}

namespace {

class ToMetrics : public Output {
public:
  explicit ToMetrics(std::shared_ptr<Metrics> metrics)
      : Output("metrics"), metrics_(std::move(metrics)) {}
  [[nodiscard]] std::string write(const Batch &batch) override {
    metrics_->add(batch, Metrics::nowNs());
    return {};
  }
  [[nodiscard]] std::string close(const Losses &) override { return {}; }

private:
  const std::shared_ptr<Metrics> metrics_;
};

} // namespace

std::unique_ptr<Output> Metrics::output(std::shared_ptr<Metrics> metrics) {
  return std::make_unique<ToMetrics>(std::move(metrics));
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "control/Metrics.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "output/data/Path.h"
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

void Durations::add(std::int64_t ns) {
  const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), ns) - bounds.begin();
  ++buckets[static_cast<std::size_t>(bucket)];
  last_[count % recent] = ns;
  ++count;
  sumNs += ns;
}

std::vector<std::int64_t> Durations::last() const {
  if (count <= recent)
    return {last_.begin(), last_.begin() + static_cast<std::ptrdiff_t>(count)};
  std::vector<std::int64_t> ordered(last_.begin(), last_.end());
  std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(count % recent),
              ordered.end());
  return ordered;
}

void BusySums::add(const Batch::Busy &busy) {
  const std::size_t at = executions_++ % Durations::recent;
  lastBusy_[at] = busy.isKnown() ? busy.ns : -1;
  lastGaps_[at] = busy.isKnown() ? busy.gapNs : -1;
  if (!busy.isKnown())
    return;
  ++count;
  addTo(sumNs, busy.ns);
  if (busy.gapNs < 0)
    return;
  ++gapCount;
  addTo(gapSumNs, busy.gapNs);
}

std::vector<std::int64_t> BusySums::known(const Last &last) const {
  std::vector<std::int64_t> all(
      last.begin(), last.begin() + static_cast<std::ptrdiff_t>(
                                       std::min<std::uint64_t>(executions_, last.size())));
  std::erase_if(all, [](std::int64_t ns) { return ns < 0; });
  return all;
}

Metrics::Placed Metrics::placed(const Batch::Region &region) {
  std::string around;
  std::size_t outermost = none;
  if (region.parent != 0) {
    const Placed &parent = placed_.of(region.parent);
    if (parent.place == none)
      return {none, none};
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
  return {place, outermost == none ? place : outermost};
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
  rows_.push_back({place, device, {}, {}});
  return rows_.size() - 1;
}

void Metrics::add(const Batch &batch) {
  const MutexLock lock(mutex_);
  // One by one: a region may be inside another of the same batch.
  placed_.take(batch.regionsFrom, batch.regions,
               [this](const Batch::Region &region) NO_THREAD_SAFETY_ANALYSIS { // called here
                 return placed(region);
               });
  for (const Batch::Launch &launch : batch.launches)
    add(batch, launch);
}

void Metrics::add(const Batch &batch, const Batch::Launch &launch) {
  const Replay &replay = launch.replay;
  const bool cold = ranCold(replay);
  if (replay.exec != 0)
    addReplay(replay);
  if (!cold)
    shares_.begin(replay);
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    const Placed &placed = placed_.of(timing.region);
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
      durations.add(timing.durationNs);
    rows_[row].busy.add(timing.busy);
    if (const std::size_t outermost = rowOf(placed.outermost, timing.device); outermost != none)
      shares_.add(row, outermost, executionOf(timing));
  }
  if (!cold)
    shares_.end();
}

void Metrics::addReplay(const Replay &replay) {
  const std::pair key(replay.graph, replay.device);
  auto known = graphs_.find(key);
  if (known == graphs_.end()) {
    if (graphs_.size() >= mostGraphs) {
      ++otherReplays_;
      return;
    }
    known = graphs_.emplace(key, Graph{replay.graph, replay.device, {}}).first;
  }
  Durations &durations = known->second.durations;
  if (ranCold(replay))
    ++durations.cold;
  else if (const std::int64_t lengthNs = replay.lengthNs(); lengthNs > 0)
    durations.add(lengthNs);
  else
    ++durations.notMeasured;
}

namespace {

// Sorts `values`. -1 if there are none.
std::int64_t quantile(std::vector<std::int64_t> values, double part) {
  if (values.empty())
    return -1;
  std::sort(values.begin(), values.end());
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] +
         static_cast<std::int64_t>((at - static_cast<double>(below)) *
                                   static_cast<double>(values[above] - values[below]));
}

void write(JsonWriter &json, const Durations &durations) {
  json.member<"count">(durations.count)
      .member<"cold">(durations.cold)
      .member<"not_measured">(durations.notMeasured)
      .member<"sum_ns">(durations.sumNs);
  json.key<"buckets">().beginArray();
  for (const std::uint64_t count : durations.buckets)
    json.value(count);
  json.endArray();
  const std::vector<std::int64_t> last = durations.last();
  const auto half = last.begin() + static_cast<std::ptrdiff_t>(last.size() / 2);
  json.member<"recent">(static_cast<std::uint64_t>(last.size()))
      .member<"median_ns">(quantile(last, 0.5))
      .member<"p95_ns">(quantile(last, 0.95))
      .member<"older_median_ns">(quantile({last.begin(), half}, 0.5))
      .member<"newer_median_ns">(quantile({half, last.end()}, 0.5));
}

void write(JsonWriter &json, const BusySums &busy) {
  json.member<"busy_count">(busy.count)
      .member<"busy_sum_ns">(busy.sumNs)
      .member<"busy_median_ns">(quantile(busy.lastBusy(), 0.5))
      .member<"gap_count">(busy.gapCount)
      .member<"gap_sum_ns">(busy.gapSumNs)
      .member<"gap_median_ns">(quantile(busy.lastGaps(), 0.5));
}

} // namespace

std::string Metrics::json(const LaunchCounts &launches) const {
  std::vector<Place> places;
  std::vector<Row> rows;
  std::vector<double> shares;
  std::map<std::pair<std::uint64_t, int>, Graph> graphs;
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
  json.key<"bounds_ns">().beginArray();
  for (const std::int64_t bound : Durations::bounds)
    json.value(bound);
  json.endArray();
  json.key<"graphs">().beginArray();
  const auto launched = launches.graphs();
  for (const auto &[key, graph] : graphs) {
    json.beginObject().member<"graph">(graph.number).member<"device">(graph.device);
    write(json, graph.durations);
    json.endObject();
  }
  json.endArray();
  json.key<"launches">().beginArray();
  for (const auto &[graph, count] : launched)
    json.beginObject().member<"graph">(graph).member<"count">(count).endObject();
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
    write(json, rows[i].durations);
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
    metrics_->add(batch);
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

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/BusyTimes.h"

#include <algorithm>
#include <utility>

namespace graphprof {

namespace {

bool isKernel(const Record &record) { return record.kind == Kind::Kernel && record.measured(); }

// Not one that follows from the ends of others.
bool beginIsStamped(const RegionTable &table, const Region &region) {
  return table.readsBegin(region.begin) && region.alsoBehind.empty() && region.orBehind.empty();
}

} // namespace

void BusyTimes::Newest::add(std::int64_t ns) {
  if (ns_.size() < most)
    ns_.push_back(ns);
  else
    ns_[next_++ % most] = ns;
}

// As everywhere: of an even number, the mean of the middle two.
std::int64_t BusyTimes::Newest::median() const {
  std::vector<std::int64_t> sorted = ns_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return sorted.size() % 2 != 0 ? *middle
                                : (*middle + *std::max_element(sorted.begin(), middle)) / 2;
}

void BusyTimes::take(const RegionTable &table) {
  if (layout_ == table.wholeLayout() && nodes_.size() == table.regions.size())
    return;
  layout_ = table.wholeLayout();
  nodes_.assign(table.regions.size(), {});
  known_.clear();
}

void BusyTimes::addEnds(const RegionTable &table, std::span<const Record> records) {
  take(table);
  bool isNews = false;
  for (const Record &record : records) {
    const Region &region = table.regions[record.region];
    if (!isKernel(record) || record.ends != Ends::Completion || !beginIsStamped(table, region) ||
        !region.alsoEnds.empty())
      continue;
    nodes_[record.region].busy.add(record.duration_ns);
    isNews = true;
  }
  if (isNews)
    addUp(table);
}

void BusyTimes::addDurations(const RegionTable &table, std::span<const Record> records) {
  take(table);
  for (const Record &record : records) {
    const Region &region = table.regions[record.region];
    if (!isKernel(record) || !beginIsStamped(table, region))
      continue;
    nodes_[record.region].cause = table.gapCauseOf(region);
    if (record.ends == Ends::NextBegin)
      nodes_[record.region].durations.add(record.duration_ns);
  }
}

BusyTimes::Known BusyTimes::of(const Node &node) {
  if (!node.busy.suffice())
    return {};
  Known known{node.busy.median(), -1, static_cast<std::uint32_t>(node.busy.count()), node.cause};
  if (node.durations.suffice())
    known.gapNs = std::max<std::int64_t>(node.durations.median() - known.busyNs, 0);
  return known;
}

// Regions are in capture order: the ones around a node are before it, and less deep.
void BusyTimes::addUp(const RegionTable &table) {
  struct Open {
    std::size_t region;
    int depth;
    Known sum{0, 0, UINT32_MAX};
    bool hasNodes = false;
  };
  std::vector<Open> open;
  known_.assign(nodes_.size(), {});
  const auto closeDownTo = [&](int depth) {
    for (; !open.empty() && open.back().depth >= depth; open.pop_back())
      if (const Open &last = open.back(); last.hasNodes && last.sum.busyNs >= 0)
        known_[last.region] = last.sum;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Region &region = table.regions[i];
    closeDownTo(region.depth);
    if (region.kind == Kind::Region) {
      open.push_back({i, region.depth});
      continue;
    }
    known_[i] = of(nodes_[i]);
    for (Open &around : open) {
      const bool isFirst = !std::exchange(around.hasNodes, true);
      Known &sum = around.sum;
      sum.busyNs = sum.busyNs < 0 || known_[i].busyNs < 0 ? -1 : sum.busyNs + known_[i].busyNs;
      sum.gapNs = sum.gapNs < 0 || known_[i].gapNs < 0 ? -1 : sum.gapNs + known_[i].gapNs;
      sum.replays = std::min(sum.replays, known_[i].replays);
      if (sum.cause != known_[i].cause)
        sum.cause = isFirst ? known_[i].cause : GapCause::Unknown;
    }
  }
  closeDownTo(INT32_MIN);
}

void BusyTimes::show(const RegionTable &table, std::span<Record> records) const {
  if (known_.empty() || layout_ != table.wholeLayout())
    return;
  for (Record &record : records)
    if (record.region < known_.size() && known_[record.region].busyNs >= 0) {
      const Known &known = known_[record.region];
      record.busy_ns = known.busyNs;
      record.gap_ns = known.gapNs;
      record.busy_replays = known.replays;
      record.gap_cause = known.cause;
    }
}

} // namespace graphprof

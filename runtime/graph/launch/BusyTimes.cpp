// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/BusyTimes.h"

#include <algorithm>
#include <utility>

#include "output/data/RecordColumns.h"

namespace graphprof {

namespace {

bool isKernel(const Record &record) { return record.kind == Kind::Kernel && record.measured(); }

// Not one that follows from the ends of several others.
bool beginIsKnown(const RegionTable &table, const Region &region) {
  return table.knowsBegin(region.begin) && region.alsoBehind.empty() && region.orBehind.empty();
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
  if (layout_ == table.wholeLayout())
    return;
  layout_ = table.wholeLayout();
  timed_.clear();
  ended_.clear();
  known_.clear();
}

void BusyTimes::takeEnds(const RegionTable &table) {
  take(table);
  if (ended_.size() == table.regions.size())
    return;
  ended_.clear();
  for (const Region &region : table.regions)
    ended_.push_back({region.depth, region.kind, {}});
}

void BusyTimes::addEnds(const RegionTable &table, std::span<const Record> records) {
  takeEnds(table);
  bool isNews = false;
  for (const Record &record : records) {
    const Region &region = table.regions[record.region];
    if (!isKernel(record) || record.ends != Ends::Completion || !beginIsKnown(table, region) ||
        !region.alsoEnds.empty())
      continue;
    ended_[record.region].busy.add(record.duration_ns);
    isNews = true;
  }
  if (isNews && !timed_.empty())
    addUp();
}

void BusyTimes::addDurations(const RegionTable &table, std::span<const Record> records) {
  take(table);
  timed_.resize(table.regions.size());
  for (const Record &record : records) {
    const Region &region = table.regions[record.region];
    if (!record.measured() || !beginIsKnown(table, region))
      continue;
    Timed &timed = timed_[record.region];
    if (isKernel(record)) {
      timed.cause = table.gapCauseOf(region);
      if (record.ends == Ends::Completion && region.alsoEnds.empty())
        timed.busy.add(record.duration_ns);
    }
    // Without a stamp at the next begin, the end of a region was moved there by what gaps usually
    // are.
    if (record.ends == Ends::NextBegin && table.readsBegin(region.end) && region.alsoEnds.empty() &&
        (isKernel(record) || (record.kind == Kind::Region && table.isOneBranch)))
      timed.durations.add(record.duration_ns);
  }
}

Batch::Busy BusyTimes::ofNode(std::size_t ended) const {
  const bool isTold = isSame() && timed_[ended].busy.suffice();
  const Newest &busy = isTold ? timed_[ended].busy : ended_[ended].busy;
  if (!busy.suffice())
    return {};
  Batch::Busy known{busy.median(), -1, static_cast<std::uint32_t>(busy.count())};
  if (!isSame())
    return known;
  const Timed &timed = timed_[ended];
  known.cause = timed.cause;
  if (timed.durations.suffice())
    known.gapNs = std::max<std::int64_t>(timed.durations.median() - known.ns, 0);
  return known;
}

// Regions are in capture order: the ones around a node are before it, and less deep.
void BusyTimes::addUp() {
  struct Open {
    std::size_t region; // of the graph
    int depth;
    Batch::Busy sum{0, 0, UINT32_MAX};
    bool hasNodes = false;
  };
  std::vector<Open> open;
  known_.assign(timed_.size(), {});
  const auto close = [&](const Open &last) {
    if (!last.hasNodes || last.sum.ns < 0 || last.region >= known_.size())
      return;
    Batch::Busy &known = known_[last.region] = last.sum;
    const Newest &durations = timed_[last.region].durations;
    if (!isSame() && durations.suffice())
      known.gapNs = std::max<std::int64_t>(durations.median() - known.ns, 0);
  };
  const auto closeDownTo = [&](int depth) {
    for (; !open.empty() && open.back().depth >= depth; open.pop_back())
      close(open.back());
  };
  std::size_t regions = 0;
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    closeDownTo(ended_[i].depth);
    if (ended_[i].kind == Kind::Region) {
      open.push_back({isSame() ? i : regions, ended_[i].depth});
      ++regions;
      continue;
    }
    const Batch::Busy node = ofNode(i);
    if (isSame())
      known_[i] = node;
    for (Open &around : open) {
      const bool isFirst = !std::exchange(around.hasNodes, true);
      Batch::Busy &sum = around.sum;
      sum.ns = sum.ns < 0 || node.ns < 0 ? -1 : sum.ns + node.ns;
      sum.gapNs = sum.gapNs < 0 || node.gapNs < 0 ? -1 : sum.gapNs + node.gapNs;
      sum.replays = std::min(sum.replays, node.replays);
      if (sum.cause != node.cause)
        sum.cause = isFirst ? node.cause : GapCause::Unknown;
    }
  }
  closeDownTo(INT32_MIN);
}

void BusyTimes::show(const RegionTable &table, std::span<Record> records) const {
  if (known_.empty() || layout_ != table.wholeLayout())
    return;
  for (Record &record : records)
    if (record.region < known_.size() && known_[record.region].isKnown())
      setBusy(record, known_[record.region]);
}

} // namespace graphprof

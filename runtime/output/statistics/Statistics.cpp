// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Statistics.h"

#include <algorithm>

#include "output/data/CopyNames.h"
#include "output/data/Reserved.h"
#include "output/statistics/Sums.h"

namespace graphprof {

double RegionStatistics::percentOfReplay() const {
  if (replaySpanNs <= 0)
    return -1;
  return 100.0 * static_cast<double>(durations.sumNs()) / static_cast<double>(replaySpanNs);
}

double RegionStatistics::gigabytesPerSecond() const {
  return movedBytes <= 0 || movedNs <= 0 ? -1 : movedBytes / static_cast<double>(movedNs);
}

double RegionStatistics::percentOverlapped() const {
  return !isCopy || durations.sumNs() <= 0
             ? -1
             : 100.0 * static_cast<double>(overlappedNs) / static_cast<double>(durations.sumNs());
}

// The nearest open region that ran in the same place; null where that one was left out.
Statistics::Node *Statistics::parentFor(Place place) {
  const auto around = std::find_if(open_.rbegin(), open_.rend(), [place](const Node *node) {
    return !node || node->region.place == place;
  });
  return around == open_.rend() ? &roots_[static_cast<int>(place)] : *around;
}

Statistics::Node *Statistics::child(Node *parent, std::string_view name, Place place) {
  if (!parent)
    return nullptr;
  if (const auto known = parent->byName.find(name); known != parent->byName.end())
    return known->second;
  if (nodes_.size() == maxRegions)
    return nullptr;
  Node &node = nodes_.emplace_back();
  node.region.name = name;
  node.region.place = place;
  const bool outermost = parent == &roots_[static_cast<int>(place)];
  node.region.depth = outermost ? 0 : parent->region.depth + 1;
  parent->children.push_back(&node);
  parent->byName.emplace(node.region.name, &node);
  return &node;
}

Place Statistics::placeOf(const Record &record, bool inGraph) {
  if (record.clock == Clock::Host)
    return Place::Host;
  return inGraph ? Place::Graph : Place::Eager;
}

void Statistics::findNodes(const Replay &replay, std::vector<Node *> &nodes) {
  nodes.reserve(replay.records.size());
  open_.clear();
  for (const Record &record : replay.records) {
    const Place place = placeOf(record, replay.exec != 0);
    const auto depth = static_cast<std::size_t>(std::max(record.depth, 0));
    open_.resize(std::min(open_.size(), depth));
    open_.push_back(child(parentFor(place), record.name, place));
    nodes.push_back(open_.back()); // also where there is none: what it encloses has no place either
  }
}

void Statistics::add(const Replay &replay) {
  const bool inGraph = replay.exec != 0;
  const std::int64_t spanNs = inGraph && replay.spanKnown() ? replay.endNs - replay.beginNs : 0;
  std::uint64_t serial = 0;
  if (inGraph) {
    serial = ++replays_;
    if (graphs_.size() < maxRegions)
      graphs_.insert(replay.graph);
    if (execs_.size() < maxRegions)
      execs_.insert(replay.exec);
    if (replay.cold)
      ++coldReplays_;
    else if (spanNs > 0)
      spans_.add(spanNs);
    if (spanNs > 0)
      overlap_.add({replay.device, replay.stream, replay.beginNs, replay.endNs});
  } else {
    outsideGraphs_ += replay.records.size();
  }

  const std::vector<Node *> &nodes =
      nodesOf_.of(replay, [&](std::vector<Node *> &found) { findNodes(replay, found); });
  auto next = nodes.begin();
  for (const Record &record : replay.records) {
    Node *node = *next++;
    if (!node) {
      ++leftOut_;
      continue;
    }
    if (record.cold)
      continue;
    if (!record.measured()) {
      ++node->region.notMeasured;
      continue;
    }
    samples_.add(node->region.durations, record.durationNs);
    add(node->region, record);
    if (spanNs > 0 && node->region.place == Place::Graph && node->lastReplay != serial) {
      node->lastReplay = serial;
      addTo(node->region.replaySpanNs, spanNs);
    }
  }
}

// A measured execution.
void Statistics::add(RegionStatistics &region, const Record &record) {
  const double bytes = reserved(record.context, record.contextSize, "bytes");
  if (bytes > 0) {
    region.movedBytes += bytes;
    addTo(region.movedNs, record.durationNs);
  }
  if (region.place != Place::Eager)
    return;
  const StreamTime time = {record.device, record.stream, record.beginNs,
                           record.beginNs + record.durationNs};
  if (!isCopyOfStep(record))
    return overlap_.add(time);
  region.isCopy = true;
  copies_.push_back({&region, time});
  if (copies_.size() > mostWaiting)
    settleCopies(mostWaiting / 2);
}

void Statistics::settleCopies(std::size_t count) {
  for (; count > 0; --count) {
    const auto &[region, time] = copies_.front();
    addTo(region->overlappedNs, overlap_.overlappedNs(time));
    copies_.pop_front();
  }
}

void Statistics::finish() { settleCopies(copies_.size()); }

std::vector<const RegionStatistics *> Statistics::regions() const {
  std::vector<const RegionStatistics *> result;
  result.reserve(nodes_.size());
  std::vector<const Node *> pending; // a stack: the next one on top
  for (const Node &root : roots_) {
    pending.assign(root.children.rbegin(), root.children.rend());
    while (!pending.empty()) {
      const Node *node = pending.back();
      pending.pop_back();
      result.push_back(&node->region);
      pending.insert(pending.end(), node->children.rbegin(), node->children.rend());
    }
  }
  return result;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/Statistics.h"

#include <algorithm>

namespace graphprof {

double RegionStatistics::percentOfReplay() const {
  if (replaySpanNs <= 0)
    return -1;
  return 100.0 * static_cast<double>(durations.sumNs()) / static_cast<double>(replaySpanNs);
}

Statistics::Node *Statistics::child(Node &parent, std::string_view name, Place place) {
  if (const auto known = parent.byName.find(name); known != parent.byName.end())
    return known->second;
  if (nodes_.size() == maxRegions)
    return nullptr;
  Node &node = nodes_.emplace_back();
  node.region.name = name;
  node.region.place = place;
  node.region.depth = static_cast<int>(open_.size());
  parent.children.push_back(&node);
  parent.byName.emplace(node.region.name, &node);
  return &node;
}

void Statistics::count(Node &node, std::int64_t ns) {
  Distribution &durations = node.region.durations;
  const std::size_t before = durations.kept();
  if (keptSamples_ >= maxSamples_)
    durations.fold();
  durations.add(ns);
  keptSamples_ = keptSamples_ - before + durations.kept();
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
  } else {
    outsideGraphs_ += replay.records.size();
  }

  open_.clear();
  for (const Record &record : replay.records) {
    const Place place = record.clock == Clock::Host ? Place::Host
                        : inGraph                   ? Place::Graph
                                                    : Place::Eager;
    // Outside graphs a region may arrive without those around it: it then stands where they would.
    const auto depth = static_cast<std::size_t>(std::max(record.depth, 0));
    open_.resize(std::min(open_.size(), depth));
    Node *parent = open_.empty() ? &roots_[static_cast<int>(place)] : open_.back();
    Node *node = parent ? child(*parent, record.name, place) : nullptr;
    open_.push_back(node); // also where there is none: what it encloses has no place either
    if (!node) {
      ++leftOut_;
      continue;
    }
    if (replay.cold || record.cold)
      continue;
    if (!record.measured()) {
      ++node->region.notMeasured;
      continue;
    }
    count(*node, record.durationNs);
    if (spanNs > 0 && place == Place::Graph && node->lastReplay != serial) {
      node->lastReplay = serial;
      node->region.replaySpanNs += spanNs;
    }
  }
}

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

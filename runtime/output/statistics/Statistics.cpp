// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/Statistics.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "output/data/CopyNames.h"
#include "output/data/Reserved.h"
#include "output/data/Source.h"
#include "output/io/ShortName.h"
#include "output/io/Words.h"
#include "output/statistics/Sums.h"

namespace graphprof {

namespace {

// Regions with the same text, inside regions of one group, are of one group.
std::string groupOf(const Batch::Region &region) {
  if (region.kind != Kind::Region)
    return "node " + region.name;
  std::string text = sourceOf(region.site, region.kind) + ' ';
  text.append(functionOf(region.site, region.kind)).push_back(' ');
  return text += withoutNumbers(region.name);
}

} // namespace

double RegionStatistics::percentOfReplay() const { return shares ? shares->percentOf(row) : -1; }

double RegionStatistics::percentOfGroup() const {
  return groupShares ? groupShares->percentOf(group) : -1;
}

double RegionStatistics::gigabytesPerSecond() const {
  return movedBytes <= 0 || movedNs <= 0 ? -1 : movedBytes / static_cast<double>(movedNs);
}

double RegionStatistics::percentOverlapped() const {
  return !isCopy || durations.sumNs() <= 0
             ? -1
             : 100.0 * static_cast<double>(overlappedNs) / static_cast<double>(durations.sumNs());
}

// The nearest region around it that ran in the same place; null if that one was left out.
Statistics::Node *Statistics::parentFor(std::uint64_t id, Place place, bool inGraph) {
  for (id = names_.of(id).parent; id != 0; id = names_.of(id).parent)
    if (Node *const node = nodeOf(known_.of(id), id, inGraph); !node || node->place() == place)
      return node;
  return &roots_[static_cast<int>(place)];
}

std::size_t Statistics::groupIn(std::size_t parent, std::string name) {
  return groups_.try_emplace({parent, std::move(name)}, groups_.size() + 1).first->second;
}

Statistics::Node *Statistics::child(Node *parent, const Naming &naming, Place place) {
  if (!parent)
    return nullptr;
  if (const auto known = parent->byName.find(naming.name); known != parent->byName.end())
    return known->second;
  if (nodes_.size() == maxRegions)
    return nullptr;
  Node &node = nodes_.emplace_back();
  node.number = nodes_.size() - 1;
  const bool outermost = parent == &roots_[static_cast<int>(place)];
  node.parent = outermost ? nullptr : parent;
  node.outermost = outermost ? &node : parent->outermost;
  // Those of each place have groups of their own.
  node.group = groupIn(parent->group,
                       outermost ? static_cast<char>('0' + static_cast<int>(place)) + naming.group
                                 : naming.group);
  node.outermostGroup = outermost ? node.group : parent->outermostGroup;
  RegionStatistics &region = node.region.warm;
  region.name = naming.name;
  region.kind = naming.kind;
  region.site = naming.site;
  region.group = node.group;
  region.place = place;
  region.depth = outermost ? 0 : parent->region.warm.depth + 1;
  if (place == Place::Graph) {
    region.row = node.number;
    node.region.cold = region;
    node.region.cold.place = Place::Cold;
    region.shares = &shares_.warm;
    node.region.cold.shares = &shares_.cold;
    region.groupShares = &groupShares_.warm;
    node.region.cold.groupShares = &groupShares_.cold;
    region.groupOnPath = &groupPaths_[node.group];
  }
  parent->children.push_back(&node);
  parent->byName.emplace(region.name, &node);
  return &node;
}

Place Statistics::placeOf(const Region &region, bool inGraph) {
  if (region.clock == Clock::Host)
    return Place::Host;
  return inGraph ? Place::Graph : Place::Eager;
}

Statistics::Node *Statistics::nodeOf(Region &region, std::uint64_t id, bool inGraph) {
  Node *&node = inGraph ? region.inGraph : region.outside;
  if (!node)
    node = sought(id, placeOf(region, inGraph), inGraph);
  return node == &leftOutNode_ ? nullptr : node;
}

// What is inside a region that was left out is left out, too.
Statistics::Node *Statistics::sought(std::uint64_t id, Place place, bool inGraph) {
  Node *const node = child(parentFor(id, place, inGraph), names_.of(id), place);
  return node ? node : &leftOutNode_;
}

void Statistics::add(const Batch &batch) {
  names_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return Naming{region.shown(), groupOf(region), region.parent, region.kind, region.site};
  });
  known_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return Region{nullptr, nullptr, reserved(region.context.data(), region.context.size(), "bytes"),
                  region.clock, isCopyOfStep(region.kind, region.site, region.name)};
  });
  paths_.take(batch);
  for (const Batch::Launch &launch : batch.launches)
    add(batch, launch);
}

void Statistics::beginRun() {
  finish();
  ++runs_;
  known_ = {};
  names_ = {};
  overlap_ = Overlap();
  pathsAreOfSome_ = pathsAreOfSome();
  paths_ = {};
  replays_.beginRun();
  for (ByWarmth<ReplayShares> *const shares : {&shares_, &groupShares_, &covered_}) {
    shares->warm.beginRun();
    shares->cold.beginRun();
  }
}

void Statistics::add(const Batch &batch, const Batch::Launch &launch) {
  const Replay &replay = launch.replay;
  const bool inGraph = replay.exec != 0;
  replays_.add(replay);
  if (!inGraph)
    outsideGraphs_ += launch.count;
  else if (replay.lengthNs() > 0)
    overlap_.add({replay.device, replay.stream, replay.beginNs, replay.endNs});

  ReplayShares &shares = shares_.of(replay), &groupShares = groupShares_.of(replay);
  shares.begin(replay);
  groupShares.begin(replay);
  ReplayShares &covered = covered_.of(replay);
  covered.begin(replay);
  for (const Batch::Timing &timing : batch.timingsOf(launch)) {
    Region &region = known_.of(timing.region);
    if (Node *const node = nodeOf(region, timing.region, inGraph))
      add(*node, region, replay, timing);
    else
      ++leftOut_;
  }
  shares.end();
  groupShares.end();
  covered.end();
  if (inGraph)
    if (const auto found = paths_.of(batch, launch))
      addPath(*found);
}

// Every node counts in its own row and in those around it, and likewise in their groups'.
void Statistics::addPath(const FirstCriticalReplays::Found &found) {
  const std::vector<CriticalReplay::Node> &nodes = found.replay.nodes;
  nodesOnPath_.begin();
  groupsOnPath_.begin();
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const std::uint64_t id = found.structure.regions[i];
    if (id == 0 || !found.structure.path.isWork(i))
      continue;
    for (const Node *node = nodeOf(known_.of(id), id, true); node; node = node->parent) {
      nodesOnPath_.add(node->number, nodes[i]);
      groupsOnPath_.add(node->group, nodes[i]);
    }
  }
  const auto addTo = [&](PathFigures &figures, const RowOnPath &row) {
    figures.add(slacks_, row, found.replay.lengthNs);
    figures.hasBranches = figures.hasBranches || found.structure.path.hasBranches();
  };
  for (const std::size_t number : nodesOnPath_.met())
    addTo(nodes_[number].region.warm.onPath, nodesOnPath_.of(number));
  for (const std::size_t group : groupsOnPath_.met())
    addTo(groupPaths_[group], groupsOnPath_.of(group));
}

void Statistics::add(Node &node, const Region &region, const Replay &replay,
                     const Batch::Timing &timing) {
  RegionStatistics &sums = node.place() == Place::Graph ? node.region.of(replay) : node.region.warm;
  if (node.place() == Place::Graph) {
    shares_.of(replay).add(node.number, node.outermost->number, executionOf(timing));
    groupShares_.of(replay).add(node.group, node.outermostGroup, executionOf(timing));
    if (node.parent == nullptr)
      covered_.of(replay).add(0, 0, executionOf(timing));
  }
  if (timing.durationNs < 0) {
    ++sums.notMeasured;
    return;
  }
  samples_.add(sums.durations, timing.durationNs);
  sums.busy.add(runs_, replay, timing);
  if (region.bytes > 0) {
    sums.movedBytes += region.bytes;
    addTo(sums.movedNs, timing.durationNs);
  }
  if (node.place() == Place::Eager)
    addOutside(sums, region.isCopy, timing);
}

// A measured execution outside graphs.
void Statistics::addOutside(RegionStatistics &sums, bool isCopy, const Batch::Timing &timing) {
  const StreamTime time = {timing.device, timing.stream, timing.beginNs,
                           timing.beginNs + timing.durationNs};
  if (!isCopy)
    return overlap_.add(time);
  sums.isCopy = true;
  copies_.push_back({&sums, time});
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

double Statistics::percentOutside() const {
  const double inside = (replays_.lengths().isCold() ? covered_.cold : covered_.warm).percentOf(0);
  return inside < 0 || leftOut_ > 0 ? -1 : 100 - inside;
}

void Statistics::finish() { settleCopies(copies_.size()); }

std::vector<const RegionStatistics *> Statistics::regions() const {
  std::vector<const RegionStatistics *> result;
  result.reserve(nodes_.size());
  std::vector<const Node *> pending; // a stack: the next one on top
  const auto addBelow = [&](Place place, auto statisticsOf) {
    const Node &root = roots_[static_cast<int>(place)];
    pending.assign(root.children.rbegin(), root.children.rend());
    while (!pending.empty()) {
      const Node *node = pending.back();
      pending.pop_back();
      if (const RegionStatistics *const region = statisticsOf(*node))
        result.push_back(region);
      pending.insert(pending.end(), node->children.rbegin(), node->children.rend());
    }
  };
  // Those that only ran cold, and those around them. A parent is before its children.
  std::vector<bool> cold(nodes_.size());
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    cold[node->number] = cold[node->number] || node->region.isCold();
    if (cold[node->number] && node->parent)
      cold[node->parent->number] = true;
  }
  const auto warm = [](const Node &node) {
    return node.region.isCold() ? nullptr : &node.region.warm;
  };
  addBelow(Place::Graph, warm);
  addBelow(Place::Graph,
           [&](const Node &node) { return cold[node.number] ? &node.region.cold : nullptr; });
  addBelow(Place::Eager, warm);
  addBelow(Place::Host, warm);
  return result;
}

} // namespace graphprof

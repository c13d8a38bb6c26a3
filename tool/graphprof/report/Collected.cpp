// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Collected.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "output/data/Reserved.h"
#include "output/data/Source.h"
#include "output/io/ShortName.h"
#include "output/io/Words.h"
#include "output/statistics/Sums.h"

namespace graphprof {

std::string graphRow(const Replay &replay, std::string_view program) {
  return replay.serves ? replay.shownGraph()
                       : fmt::format("{} of {}", replay.shownGraph(), program);
}

void Collected::begin(const Run &run) {
  RunsListener::begin(run);
  if (statistics_)
    statistics_->beginRun();
  graphMemory_.beginRun();
  known_ = {};
  paths_ = {};
  shares_.warm.beginRun();
  shares_.cold.beginRun();
}

void Collected::add(const Batch &batch) {
  RunsListener::add(batch);
  if (statistics_) {
    statistics_->add(batch);
    inside_.add(batch.kernelRuns);
    graphMemory_.add(batch);
  }
  if (by_ == GroupBy::Region)
    return;
  known_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    return Region{nullptr,
                  nullptr,
                  region.name,
                  sourceOf(region.site, region.kind),
                  region.kind,
                  region.clock,
                  reserved(region.context.data(), region.context.size(), "bytes"),
                  region.parent};
  });
  paths_.take(batch);
  for (const Batch::Launch &launch : batch.launches)
    addLaunch(batch, launch);
}

void Collected::measured(Figures &figures, std::int64_t ns, double bytes) {
  if (ns < 0) {
    ++figures.notMeasured;
    return;
  }
  samples_.add(figures.durations, ns);
  if (bytes > 0) {
    figures.movedBytes += bytes;
    addTo(figures.movedNs, ns);
  }
}

void Collected::addLaunch(const Batch &batch, const Batch::Launch &launch) {
  if (by_ == GroupBy::Site || by_ == GroupBy::Kernel)
    addTimings(batch, launch);
  else
    addSpan(batch, launch);
}

void Collected::addTimings(const Batch &batch, const Batch::Launch &launch) {
  ReplayShares &shares = shares_.of(launch.replay);
  shares.begin(launch.replay);
  for (const Batch::Timing &timing : batch.timingsOf(launch))
    addTiming(known_.of(timing.region), launch.replay, timing);
  shares.end();
  if (launch.replay.exec != 0)
    if (const auto found = paths_.of(batch, launch))
      addPath(*found);
}

// Every node counts once in each row that it, or a region around it, belongs to.
void Collected::addPath(const FirstCriticalReplays::Found &found) {
  groupsOnPath_.begin();
  std::vector<const Group *> groups;
  for (std::uint32_t i = 0; i < found.replay.nodes.size(); ++i) {
    if (!found.structure.path.isWork(i))
      continue;
    groups.clear();
    for (std::uint64_t id = found.structure.regions[i]; id != 0; id = known_.of(id).parent) {
      Region &region = known_.of(id);
      const Group *const group = isGrouped(region) ? groupOf(region, true) : nullptr;
      if (group && std::ranges::find(groups, group) == groups.end())
        groups.push_back(group);
    }
    for (const Group *group : groups)
      groupsOnPath_.add(group->number, found.replay.nodes[i]);
  }
  for (const std::size_t number : groupsOnPath_.met()) {
    PathFigures &figures = groups_[number].onPath;
    figures.add(slacks_, groupsOnPath_.of(number), found.replay.lengthNs);
    figures.hasBranches = figures.hasBranches || found.structure.path.hasBranches();
  }
}

// Whether it has a row, if rows are places in the source or kernels.
bool Collected::isGrouped(const Region &region) const {
  return (region.kind == Kind::Region) == (by_ == GroupBy::Site);
}

Collected::Group *Collected::groupOf(Region &region, bool inGraph) {
  Group *&found = inGraph ? region.inGraph : region.outside;
  if (!found) {
    const Place place = region.clock == Clock::Host ? Place::Host
                        : inGraph                   ? Place::Graph
                                                    : Place::Eager;
    // A place in the source is one row, whatever the numbers in its name. Regions without a place,
    // such as NVTX ranges, are told apart by their names.
    const std::string name = by_ == GroupBy::Site ? withoutNumbers(region.name) : region.name;
    found = group(region.source + ' ' + name, name, place);
    if (found) {
      found->source = region.source;
      found->kind = region.kind;
    }
  }
  return found;
}

void Collected::addTiming(Region &region, const Replay &replay, const Batch::Timing &timing) {
  if (!isGrouped(region))
    return;
  Group *const found = groupOf(region, replay.exec != 0);
  if (!found) {
    ++leftOut_;
    return;
  }
  Figures &figures = found->figures.of(replay);
  measured(figures, timing.durationNs, region.bytes);
  figures.busy.add(runs().size(), replay, timing);
  shares_.of(replay).add(found->number, found->number, executionOf(timing));
}

std::string Collected::spanGroup(const Replay &replay, std::int64_t step) const {
  const RunFacts &run = runs().back();
  switch (by_) {
  case GroupBy::Step:
    return step < 0 ? "outside steps" : fmt::format("step {}", step);
  case GroupBy::Rank:
    return fmt::format("rank {}: {}", run.run.rank, run.name());
  case GroupBy::Graph:
    return replay.exec == 0 ? std::string() : graphRow(replay, run.run.program);
  default:
    return {};
  }
}

// The time of a replay; outside graphs, of each outermost region.
void Collected::addSpan(const Batch &batch, const Batch::Launch &launch) {
  const Replay &replay = launch.replay;
  const auto addTime = [&](std::int64_t step, Place place, std::int64_t ns) {
    const std::string name = spanGroup(replay, step);
    if (name.empty())
      return;
    Group *const found = group(name, name, place);
    if (found)
      measured(found->figures.of(replay), ns, 0);
    else
      ++leftOut_;
  };
  if (replay.exec != 0) {
    addTime(replay.step, Place::Graph, replay.lengthNs());
    return;
  }
  for (const Batch::Timing &timing : batch.timingsOf(launch))
    if (const Region &region = known_.of(timing.region); region.parent == 0)
      addTime(timing.step, region.clock == Clock::Host ? Place::Host : Place::Eager,
              timing.durationNs);
}

Collected::Group *Collected::group(const std::string &key, const std::string &name, Place place) {
  const std::string whole = key + static_cast<char>('0' + static_cast<int>(place));
  if (const auto known = byKey_.find(whole); known != byKey_.end())
    return known->second;
  if (groups_.size() == mostGroups)
    return nullptr;
  Group &made = groups_.emplace_back();
  made.name = name;
  made.place = place;
  made.number = groups_.size() - 1;
  byKey_.emplace(whole, &made);
  return &made;
}

std::vector<TableRow> Collected::rows() const {
  if (by_ == GroupBy::Region)
    return tableRows(statistics(), {.fold = false, .longestFirst = false, .paths = true});
  std::int64_t replaysNs = 0;
  if (by_ == GroupBy::Graph)
    for (const Group &group : groups_)
      addTo(replaysNs, group.figures.isCold() ? 0 : group.figures.shown().durations.sumNs());
  std::vector<TableRow> rows;
  for (const Place place : {Place::Graph, Place::Cold, Place::Eager, Place::Host})
    for (const Group &group : groups_) {
      const bool cold = group.figures.isCold();
      if ((cold ? Place::Cold : group.place) != place)
        continue;
      const Figures &figures = group.figures.shown();
      TableRow &row = rows.emplace_back();
      row.name = row.path = group.name;
      row.source = group.source;
      row.kind = group.kind;
      row.place = place;
      row.notMeasured = figures.notMeasured;
      row.durations = {std::shared_ptr<const void>(), &figures.durations};
      row.busy = figures.busy.shown();
      row.share = {cold ? &shares_.cold : &shares_.warm, group.number};
      row.percentOfReplay = row.share.shares->percentOf(group.number);
      if (replaysNs > 0 && place == Place::Graph)
        row.percentOfReplays =
            100.0 * static_cast<double>(figures.durations.sumNs()) / static_cast<double>(replaysNs);
      if (place == Place::Graph && group.onPath.replays > 0)
        row.onPath = &group.onPath;
      if (figures.movedNs > 0)
        row.gigabytesPerSecond = figures.movedBytes / static_cast<double>(figures.movedNs);
    }
  return rows;
}

} // namespace graphprof

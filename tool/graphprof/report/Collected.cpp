// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Collected.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "output/data/LossText.h"
#include "output/data/Reserved.h"
#include "output/io/ShortName.h"
#include "output/io/Words.h"
#include "output/statistics/Sums.h"

namespace graphprof {

void Collected::begin(const Run &run) {
  RunsListener::begin(run);
  if (statistics_)
    statistics_->beginRun();
  known_ = {};
}

void Collected::add(const Batch &batch) {
  RunsListener::add(batch);
  if (statistics_)
    statistics_->add(batch);
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
                  region.parent == 0};
  });
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
    for (const Batch::Timing &timing : batch.timingsOf(launch))
      addTiming(known_.of(timing.region), launch.replay, timing);
  else
    addSpan(batch, launch);
}

void Collected::addTiming(Region &region, const Replay &replay, const Batch::Timing &timing) {
  if ((region.kind == Kind::Region) != (by_ == GroupBy::Site))
    return;
  Group *&found = replay.exec != 0 ? region.inGraph : region.outside;
  if (!found) {
    const Place place = region.clock == Clock::Host ? Place::Host
                        : replay.exec != 0          ? Place::Graph
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
  if (found)
    measured(found->figures.of(replay), timing.durationNs, region.bytes);
  else
    ++leftOut_;
}

std::string Collected::spanGroup(const Replay &replay, std::int64_t step) const {
  const RunFacts &run = runs().back();
  switch (by_) {
  case GroupBy::Step:
    return step < 0 ? "outside steps" : fmt::format("step {}", step);
  case GroupBy::Rank:
    return fmt::format("rank {}: {}", run.run.rank, run.name());
  case GroupBy::Graph:
    return replay.exec == 0 ? std::string()
                            : fmt::format("graph {} of {}", replay.graph, run.run.program);
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
    const bool known = replay.spanKnown() && replay.endNs > replay.beginNs;
    addTime(replay.step, Place::Graph, known ? replay.endNs - replay.beginNs : -1);
    return;
  }
  for (const Batch::Timing &timing : batch.timingsOf(launch))
    if (const Region &region = known_.of(timing.region); region.isOutermost)
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
  byKey_.emplace(whole, &made);
  return &made;
}

std::vector<TableRow> Collected::rows() const {
  if (by_ == GroupBy::Region)
    return tableRows(statistics(), {.fold = false, .longestFirst = false, .paths = true});
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
      if (figures.movedNs > 0)
        row.gigabytesPerSecond = figures.movedBytes / static_cast<double>(figures.movedNs);
    }
  return rows;
}

Losses Collected::losses() const {
  Losses all{};
  for (const RunFacts &run : runs())
    for (const LossKind &kind : lossKinds())
      all.*kind.count += run.losses.*kind.count;
  return all;
}

} // namespace graphprof

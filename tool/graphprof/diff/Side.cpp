// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "Side.h"

#include <algorithm>

#include <fmt/format.h>

#include "output/data/Source.h"
#include "output/io/Words.h"
#include "output/statistics/ByWarmth.h"

namespace graphprof {

std::uint64_t Subject::measured() const {
  std::uint64_t count = 0;
  for (const ProcessTimes &run : runs)
    count += run.count;
  return count;
}

double Subject::executionsPerReplay() const {
  return replays == 0 ? 0 : static_cast<double>(executions) / static_cast<double>(replays);
}

double Subject::nsPerReplay() const {
  double sum = 0, count = 0;
  for (const ProcessTimes &run : runs) {
    sum += run.of(Measure::Mean).ns * static_cast<double>(run.count);
    count += static_cast<double>(run.count);
  }
  return count > 0 ? sum / count * executionsPerReplay() : -1;
}

void Side::begin(const Run &run) {
  RunsListener::begin(run);
  known_ = {};
  bound_ = std::make_unique<SharedBound>(mostSamples);
  times_.clear();
  processes_.push_back(
      byIdentity_.try_emplace({run.host, run.program, run.pid, run.beganNs}, byIdentity_.size())
          .first->second);
}

void Side::end(const RecordedEnd &end) {
  RunsListener::end(end);
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (times_[i].empty())
      continue;
    subjects_[i].runs.resize(runs().size());
    subjects_[i].runs.back() = times_[i].times();
  }
  times_.clear();
  for (const auto &[subject, figures] : busy_) {
    std::vector<Batch::Busy> &busy = subjects_[subject].busy;
    busy.resize(runs().size());
    busy.back() = figures.shown();
  }
  busy_.clear();
}

void Side::addBusy(std::size_t subject, const Replay &replay, const Batch::Timing &timing) {
  if (timing.busy.isKnown())
    busy_[subject].add(runs().size(), replay, timing);
}

const std::set<std::size_t> &Side::inGraph(std::uint64_t graph) const {
  static const std::set<std::size_t> nothing;
  const auto found = inGraph_.find(graph);
  return found == inGraph_.end() ? nothing : found->second;
}

std::size_t Side::subject(const std::string &path, Place place) {
  if (const auto known = byPath_.find({place, path}); known != byPath_.end())
    return known->second;
  if (subjects_.size() == mostSubjects)
    return none;
  Subject &made = subjects_.emplace_back();
  made.path = path;
  made.place = place;
  lastReplay_.push_back(0);
  byPath_.emplace(std::pair(place, path), subjects_.size() - 1);
  return subjects_.size() - 1;
}

const std::set<std::pair<std::uint32_t, std::uint32_t>> &Side::countsOf(std::uint64_t graph) const {
  static const std::set<std::pair<std::uint32_t, std::uint32_t>> unknown;
  const auto found = counts_.find(graph);
  return found == counts_.end() ? unknown : found->second;
}

std::size_t Side::subjectOf(Region &region, bool inGraph) {
  std::size_t &found = inGraph ? region.inGraph : region.outside;
  if (found != none)
    return found;
  const Place place = region.clock == Clock::Host ? Place::Host
                      : inGraph                   ? Place::Graph
                                                  : Place::Eager;
  std::size_t around = none;
  if (region.parent != 0)
    around = subjectOf(known_.of(region.parent), inGraph);
  found = subject(region.path, place);
  if (found == none)
    return none;
  Subject &subject = subjects_[found];
  if (subject.name.empty()) {
    subject.name = nameAt(region.name, region.place);
    subject.kernel = region.kind == Kind::Region ? std::string() : region.name;
    subject.source = region.source;
    subject.kind = region.kind;
    subject.number = region.place;
    subject.parent = around;
  }
  subject.clocks.insert(region.clock);
  return found;
}

void Side::addTime(std::size_t subject, std::int64_t ns) {
  if (times_.size() <= subject)
    times_.resize(subjects_.size());
  times_[subject].add(ns, *bound_);
}

std::uint64_t Side::keyOf(const GraphName *serves, std::uint64_t number) {
  if (!serves)
    return number <= mostGraphs ? number : 0;
  const auto known = keyOfName_.find(serves->text);
  if (known != keyOfName_.end())
    return known->second;
  if (keyOfName_.size() == mostGraphs)
    return 0;
  const std::uint64_t key = mostGraphs + 1 + keyOfName_.size();
  return keyOfName_[serves->text] = key;
}

void Side::addGraph(const Replay &replay, std::uint64_t key) {
  const std::int64_t lengthNs = replay.lengthNs();
  if (lengthNs < 0 || key == 0)
    return;
  const std::size_t found =
      subject(fmt::format("(replays of {})", replay.shownGraph()), Place::Graph);
  if (found == none)
    return;
  Subject &graph = subjects_[found];
  graph.name = graph.path;
  graph.graph = key;
  graph.isNamedGraph = replay.serves != nullptr;
  if (replay.cold) {
    ++graph.coldExecutions;
    return;
  }
  ++graph.executions;
  ++graph.replays;
  addTime(found, lengthNs);
}

void Side::add(const Batch &batch) {
  RunsListener::add(batch);
  known_.take(batch.regionsFrom, batch.regions, [](const Batch::Region &region) {
    Region made;
    made.id = region.id;
    made.parent = region.parent;
    made.path = region.path;
    made.name = region.name;
    made.source = sourceOf(region.site, region.kind);
    made.kind = region.kind;
    made.clock = region.clock;
    made.place = region.place;
    return made;
  });
  for (const Batch::Graph &graph : batch.graphs)
    if (const std::uint64_t key = keyOf(graph.serves.get(), graph.number);
        key != 0 && graph.counts.nodes > 0)
      counts_[key].emplace(graph.counts.nodes, graph.counts.edges);
  for (const Batch::Launch &launch : batch.launches) {
    const Replay &replay = launch.replay;
    const bool inGraph = replay.exec != 0, cold = ranCold(replay);
    const std::uint64_t graph = inGraph ? keyOf(replay.serves.get(), replay.graph) : 0;
    ++replay_;
    if (inGraph)
      addGraph(replay, graph);
    for (const Batch::Timing &timing : batch.timingsOf(launch)) {
      const std::size_t found = subjectOf(known_.of(timing.region), inGraph);
      if (found == none) {
        ++leftOut_;
        continue;
      }
      Subject &subject = subjects_[found];
      if (cold) {
        subject.coldExecutions += timing.durationNs >= 0 ? 1 : 0;
        continue;
      }
      addBusy(found, replay, timing);
      ++subject.executions;
      if (lastReplay_[found] != replay_) {
        lastReplay_[found] = replay_;
        ++subject.replays;
        if (graph != 0)
          inGraph_[graph].insert(found);
      }
      if (timing.durationNs < 0) {
        ++subject.notMeasured;
        continue;
      }
      subject.endsAtNextBegin += timing.ends == Ends::NextBegin ? 1 : 0;
      addTime(found, timing.durationNs);
    }
  }
}

} // namespace graphprof

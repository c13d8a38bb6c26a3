// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/CriticalReplays.h"

#include <algorithm>
#include <utility>

#include "output/statistics/ByWarmth.h"

namespace graphprof {

void CriticalReplays::take(const Batch &batch) {
  for (const Batch::Graph &graph : newOf(batch.graphs, next_)) {
    next_ = graph.id + 1;
    described_.insert(graph.number);
    if (graph.nodes->nodes.empty())
      continue; // its nodes are not recorded
    if (std::ranges::all_of(graph.nodes->nodes, [](const GraphNodes::Node &node) {
          return node.timed == GraphNodes::none;
        })) {
      ofGraph_.erase(graph.number);
      untimed_.insert(graph.number);
      continue;
    }
    untimed_.erase(graph.number);
    std::shared_ptr<const Structure> structure;
    if (const auto same = byId_.find(graph.like); same != byId_.end()) {
      structure = same->second;
    } else {
      Structure made{CriticalPath(graph.nodes), {}, {}};
      for (const GraphNodes::Node &node : graph.nodes->nodes) {
        const bool isTimed = node.timed < graph.regions.size() && graph.regions[node.timed] != 0;
        made.regions.push_back(isTimed ? graph.regions[node.timed] : 0);
        made.records.push_back(isTimed ? node.timed : GraphNodes::none);
      }
      structure = std::make_shared<const Structure>(std::move(made));
      byId_.emplace(graph.id, structure);
    }
    ofGraph_[graph.number].push_back(std::move(structure));
  }
}

// The newest of the graph's structures whose nodes the replay has records for.
CriticalReplays::Found CriticalReplays::of(const Batch &batch, const Batch::Launch &launch) {
  replay_ = launch.replay;
  inGraph_.clear();
  for (const Batch::Timing &timing : batch.timingsOf(launch))
    if (timing.iteration < 0)
      inGraph_.push_back(&timing);
  const auto fits = [&](const Structure &structure) {
    for (std::uint32_t i = 0; i < structure.records.size(); ++i)
      if (const std::uint32_t record = structure.records[i];
          record != GraphNodes::none && structure.path.isWork(i) &&
          (record >= inGraph_.size() || inGraph_[record]->region != structure.regions[i]))
        return false;
    return true;
  };
  const auto &known = ofGraph_.at(launch.replay.graph);
  found_ = {known.back().get(), false};
  for (auto each = known.rbegin(); each != known.rend() && !found_.isWhole; ++each)
    if (fits(**each))
      found_ = {each->get(), true};
  records_.assign(found_.structure->records.size(), nullptr);
  if (found_.isWhole)
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (const std::uint32_t record = found_.structure->records[i]; record < inGraph_.size())
        records_[i] = inGraph_[record];
  return found_;
}

std::optional<CriticalReplay> CriticalReplays::replay() {
  if (!found_.isWhole || !replay_.spanKnown() || !found_.structure->path.isOrdered())
    return std::nullopt;
  times_.assign(records_.size(), {});
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (records_[i] && records_[i]->durationNs >= 0)
      times_[i] = {records_[i]->beginNs, records_[i]->beginNs + records_[i]->durationNs,
                   records_[i]->ends == Ends::NextBegin, records_[i]->busy.gapNs};
  return found_.structure->path.of(times_, replay_.beginNs, replay_.endNs);
}

std::optional<FirstCriticalReplays::Found> FirstCriticalReplays::of(const Batch &batch,
                                                                    const Batch::Launch &launch) {
  if (ranCold(launch.replay) || !replays_.knows(launch))
    return std::nullopt;
  const CriticalReplays::Structure &structure = *replays_.of(batch, launch).structure;
  std::uint64_t &count = found_[&structure];
  if (count == CriticalReplays::mostOfGraph) {
    hadMore_ = true;
    return std::nullopt;
  }
  std::optional<CriticalReplay> replay = replays_.replay();
  if (!replay)
    return std::nullopt;
  ++count;
  return Found{structure, std::move(*replay)};
}

} // namespace graphprof

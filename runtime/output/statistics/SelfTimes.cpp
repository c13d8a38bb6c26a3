// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/SelfTimes.h"

#include <algorithm>

#include "output/statistics/Sums.h"

namespace graphprof {

SelfTimes::Region &SelfTimes::note(Graph &graph, const Record &record, std::size_t row) {
  const auto [known, isNew] = graph.regions.try_emplace(keyOf(record, row));
  kept_ += isNew ? 1 : 0;
  Region &region = known->second;
  region.row = row;
  region.depth = record.depth;
  region.isInBody = region.isInBody || record.iteration >= 0;
  if (region.replay != replay_) {
    region.replay = replay_;
    region.isMissed = false;
    ++region.measured;
  }
  if (!record.measured() && !region.isMissed) {
    region.isMissed = true;
    --region.measured;
    ++region.missed;
  }
  return region;
}

void SelfTimes::add(const Replay &replay, const RecordTree &tree,
                    const std::vector<std::size_t> &rows) {
  ++replay_;
  if (kept_ > mostKept)
    settle();
  Graph *const graph = replay.exec != 0 ? &graphs_[{replay.exec, replay.graph}] : nullptr;
  if (graph)
    ++graph->replays;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const RecordTree::Node &node = tree.nodes[i];
    const Record &record = *node.record;
    if (rows[i] == none)
      continue;
    selfs_.resize(std::max(selfs_.size(), rows[i] + 1));
    if (!graph) {
      const double ns = record.measured() ? static_cast<double>(node.selfNs()) : 0;
      selfs_[rows[i]].ns += ns;
      selfs_[rows[i]].allNs += ns;
      continue;
    }
    Region &region = note(*graph, record, rows[i]);
    if (!record.measured())
      continue;
    addTo(region.ns, record.duration_ns);
    addTo(region.onceNs, record.duration_ns - node.selfNs());
    if (node.parent < 0)
      continue;
    const Record &around = *tree.nodes[static_cast<std::size_t>(node.parent)].record;
    if (around.depth + 1 != record.depth || !around.measured() ||
        rows[static_cast<std::size_t>(node.parent)] == none)
      continue;
    region.parent = keyOf(around, rows[static_cast<std::size_t>(node.parent)]);
    addTo(graph->regions[region.parent].insideNs, record.duration_ns);
  }
}

// The mean of a region a replay, less those of the regions directly inside it.
void SelfTimes::settle(const Graph &graph) {
  const auto replaysOf = [&](const Region &region) {
    return static_cast<double>(region.isInBody ? graph.replays - region.missed : region.measured);
  };
  std::map<std::uint64_t, double> inside; // mean time a replay, by the region around
  std::vector<std::pair<std::uint64_t, int>> open;
  for (const auto &[key, region] : graph.regions) {
    while (!open.empty() && open.back().second >= region.depth)
      open.pop_back();
    // Bodies' regions come behind all others, wherever the bodies are.
    const std::uint64_t parent = region.parent != unknown          ? region.parent
                                 : region.isInBody || open.empty() ? unknown
                                                                   : open.back().first;
    open.emplace_back(key, region.depth);
    if (const double replays = replaysOf(region); parent != unknown && replays > 0)
      inside[parent] += static_cast<double>(region.ns) / replays;
  }
  for (const auto &[key, region] : graph.regions) {
    if (region.row == none)
      continue;
    const double once = region.insideNs > 0 ? static_cast<double>(region.onceNs) /
                                                  static_cast<double>(region.insideNs)
                                            : 1;
    const auto found = inside.find(key);
    const double replays = replaysOf(region);
    const double insideNs =
        found == inside.end() ? 0 : found->second * replays * std::min(once, 1.0);
    const double ns = std::max(0.0, static_cast<double>(region.ns) - insideNs);
    selfs_[region.row].ns += ns;
    if (replays > 0)
      selfs_[region.row].allNs += ns / replays * static_cast<double>(graph.replays);
  }
}

void SelfTimes::settle() {
  for (const auto &[exec, graph] : graphs_)
    settle(graph);
  graphs_.clear();
  kept_ = 0;
}

SelfTimes::Self SelfTimes::ofRow(std::size_t row) {
  settle();
  return row < selfs_.size() ? selfs_[row] : Self{};
}

} // namespace graphprof

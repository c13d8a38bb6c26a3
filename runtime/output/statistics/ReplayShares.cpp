// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/ReplayShares.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>
#include <utility>

#include "output/statistics/Sums.h"

namespace graphprof {

void ReplayShares::begin(const Replay &replay) {
  counts_ = replay.lengthNs() > 0;
  beginNs_ = replay.beginNs;
  endNs_ = replay.endNs;
  ++replay_;
  ran_.clear();
  intervals_.clear();
  if (!counts_)
    return;
  if (kept_ > mostKept)
    settle();
  const auto [known, isNew] =
      byExec_.try_emplace({replay.exec, replay.graph}, static_cast<std::uint32_t>(graphs_.size()));
  if (isNew) {
    graphs_.emplace_back();
    ++kept_;
  }
  graph_ = known->second;
  addTo(graphs_[graph_].ns, endNs_ - beginNs_);
  ++graphs_[graph_].replays;
}

// The newest graph is last.
void ReplayShares::noteGraph(Row &row) {
  if (!row.graphs.empty() && row.graphs.back() == graph_)
    return;
  const auto place = std::ranges::lower_bound(row.graphs, graph_);
  if (place != row.graphs.end() && *place == graph_)
    return;
  row.graphs.insert(place, graph_);
  ++kept_;
}

ReplayShares::Member &ReplayShares::memberOf(std::size_t row, const Execution &execution) {
  const std::uint64_t key = (static_cast<std::uint64_t>(row) << 32) | execution.region;
  const auto [known, isNew] =
      graphs_[graph_].members.try_emplace(key, static_cast<std::uint32_t>(members_.size()));
  if (isNew) {
    members_.push_back({graph_});
    rows_[row].members.push_back(known->second);
    ++kept_;
  }
  return members_[known->second];
}

void ReplayShares::add(std::size_t number, std::size_t outermost, const Execution &execution) {
  if (!counts_)
    return;
  if (const std::size_t most = std::max(number, outermost); most >= rows_.size())
    rows_.resize(most + 1);
  noteGraph(rows_[outermost]);
  Row &row = rows_[number];
  noteGraph(row);
  if (row.outermost == none)
    row.outermost = outermost;
  if (row.replay != replay_) {
    row.replay = replay_;
    row.nowNs = 0;
    row.lastBeginNs = row.coveredNs = beginNs_;
    row.last = none;
    row.ordered = true;
    ran_.push_back(number);
  }
  Member &member = memberOf(number, execution);
  member.isInBody = member.isInBody || execution.isInBody;
  if (member.replay != replay_) {
    member.replay = replay_;
    member.isMissed = false;
    member.nowNs = 0;
    ++member.measured;
  }
  if (execution.durationNs < 0) {
    if (!member.isMissed) {
      member.isMissed = true;
      --member.measured;
      ++member.missed;
      addTo(member.ns, -member.nowNs);
    }
    return;
  }
  const std::int64_t fromNs = std::max(execution.beginNs, beginNs_),
                     toNs = std::min(execution.beginNs + execution.durationNs, endNs_);
  row.isMeasured = true;
  if (member.isMissed || toNs <= fromNs)
    return;
  addTo(member.ns, toNs - fromNs);
  addTo(member.nowNs, toNs - fromNs);
  addTo(row.sumNs, toNs - fromNs);
  add(row, fromNs, toNs);
}

// Almost always an execution begins after those before it.
void ReplayShares::add(Row &row, std::int64_t beginNs, std::int64_t endNs) {
  intervals_.push_back({beginNs, endNs, row.last});
  row.last = intervals_.size() - 1;
  row.ordered = row.ordered && beginNs >= row.lastBeginNs;
  row.lastBeginNs = beginNs;
  if (row.ordered) // then it is less than the replay's span
    row.nowNs += std::max<std::int64_t>(endNs - std::max(beginNs, row.coveredNs), 0);
  row.coveredNs = std::max(row.coveredNs, endNs);
}

std::int64_t ReplayShares::covered(const Row &row) {
  inOrder_.clear();
  for (std::size_t i = row.last; i != none; i = intervals_[i].before)
    inOrder_.push_back(intervals_[i]);
  std::sort(inOrder_.begin(), inOrder_.end(),
            [](const Interval &a, const Interval &b) { return a.beginNs < b.beginNs; });
  std::int64_t ns = 0, coveredNs = beginNs_;
  for (const Interval &one : inOrder_) {
    ns += std::max<std::int64_t>(one.endNs - std::max(one.beginNs, coveredNs), 0);
    coveredNs = std::max(coveredNs, one.endNs);
  }
  return ns;
}

void ReplayShares::end() {
  for (const std::size_t number : ran_) {
    Row &row = rows_[number];
    addTo(row.busyNs, row.ordered ? row.nowNs : covered(row));
  }
  ran_.clear();
}

// Of its time, how much is left when executions at the same time count once.
double ReplayShares::once(const Row &row) {
  return row.sumNs > 0 ? static_cast<double>(row.busyNs) / static_cast<double>(row.sumNs) : 1;
}

ReplayShares::Share ReplayShares::shareOf(const Row &row) const {
  std::unordered_set<std::uint32_t> unknown; // in which some of it was never measured
  for (const std::uint32_t number : row.members)
    if (members_[number].measured == 0)
      unknown.insert(members_[number].graph);
  double ns = 0;
  for (const std::uint32_t number : row.members) {
    const Member &member = members_[number];
    if (unknown.contains(member.graph))
      continue;
    const auto replays = static_cast<double>(graphs_[member.graph].replays);
    const double of = member.isInBody ? replays - static_cast<double>(member.missed)
                                      : static_cast<double>(member.measured);
    ns += static_cast<double>(member.ns) * replays / of;
  }
  std::vector<std::uint32_t> graphs;
  if (row.outermost != none)
    std::ranges::set_union(row.graphs, rows_[row.outermost].graphs, std::back_inserter(graphs));
  std::erase_if(graphs, [&](std::uint32_t graph) { return unknown.contains(graph); });
  return {once(row) * ns, std::move(graphs)};
}

template <class Graphs> double ReplayShares::lengthOf(const Graphs &graphs) const {
  double ns = 0;
  for (const std::uint32_t graph : graphs)
    ns += static_cast<double>(graphs_[graph].ns);
  return ns;
}

void ReplayShares::settle() {
  for (Row &row : rows_) {
    const Share share = shareOf(row);
    row.settledNs += share.ns;
    row.settledOfNs += lengthOf(share.graphs);
  }
  for (Row &row : rows_) {
    row.members.clear();
    row.graphs.clear();
  }
  members_.clear();
  graphs_.clear();
  byExec_.clear();
  kept_ = 0;
}

double ReplayShares::percentOf(std::size_t number) const {
  if (number >= rows_.size() || !rows_[number].isMeasured)
    return -1;
  const Row &row = rows_[number];
  const Share share = shareOf(row);
  const double ofNs = lengthOf(share.graphs) + row.settledOfNs;
  return ofNs <= 0 ? -1 : std::min(100.0, 100.0 * (share.ns + row.settledNs) / ofNs);
}

double ReplayShares::percentOf(const std::vector<Of> &rows) {
  double ns = 0, ofNs = 0;
  std::set<std::uint32_t> graphs;
  for (const auto &[shares, number] : rows) {
    if (!shares || number >= shares->rows_.size() || !shares->rows_[number].isMeasured)
      continue;
    const Row &row = shares->rows_[number];
    if (row.settledOfNs > 0)
      return -1; // which graphs these were is forgotten
    const Share share = shares->shareOf(row);
    ns += share.ns;
    graphs.insert(share.graphs.begin(), share.graphs.end());
    ofNs = shares->lengthOf(graphs);
  }
  return ofNs <= 0 ? -1 : std::min(100.0, 100.0 * ns / ofNs);
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/PathFigures.h"

#include <algorithm>

#include "output/io/Units.h"

namespace graphprof {

void SlackFigures::add(SharedBound &samples, NoSlack why, std::int64_t slackNs) {
  if (why == NoSlack::HasOne)
    samples.add(ns, slackNs);
  else
    ++(why == NoSlack::Competes ? competes : notMeasured);
}

// Where a few replays differ from all others, because something outside the graph was in their way,
// the others still say what they say.
bool SlackFigures::isClaimed() const {
  return !ns.empty() && 10 * (competes + notMeasured) <= competes + notMeasured + ns.count();
}

std::string_view SlackFigures::whyNot() const {
  if (isClaimed() || competes + notMeasured == 0)
    return {};
  return competes >= notMeasured ? "competes" : "not measured";
}

std::string SlackFigures::text() const {
  return isClaimed() ? formatTime(ns.quantileNs(0.5), ns.exact()) : std::string(whyNot());
}

void RowOnPath::add(const CriticalReplay::Node &node) {
  if (node.isOnPath)
    pathNs = std::max<std::int64_t>(0, pathNs) + node.ownNs;
  // One that was not measured says more than one that competes.
  if (node.why == NoSlack::NotMeasured || why == NoSlack::HasOne)
    why = node.why;
  if (node.why == NoSlack::HasOne)
    slackNs = std::min(slackNs, node.slackNs);
}

void PathFigures::add(SharedBound &samples, const RowOnPath &row, std::int64_t replayNs) {
  ++replays;
  lengthNs += replayNs;
  if (row.pathNs >= 0) {
    ++onPath;
    pathNs += row.pathNs;
  }
  slack.add(samples, row.why, row.slackNs);
}

double PathFigures::percentOfPath() const {
  return lengthNs > 0 ? 100.0 * static_cast<double>(pathNs) / static_cast<double>(lengthNs) : 0;
}

void RowsOnPath::begin() {
  for (const std::size_t row : met_)
    isMet_[row] = false;
  met_.clear();
}

void RowsOnPath::add(std::size_t row, const CriticalReplay::Node &node) {
  if (row >= rows_.size()) {
    rows_.resize(row + 1);
    isMet_.resize(row + 1, false);
  }
  if (!isMet_[row]) {
    isMet_[row] = true;
    rows_[row] = {};
    met_.push_back(row);
  }
  rows_[row].add(node);
}

} // namespace graphprof

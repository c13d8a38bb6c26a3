// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/ReplayShares.h"

#include <algorithm>

#include "output/statistics/Sums.h"

namespace graphprof {

void ReplayShares::begin(const Replay &replay) {
  counts_ = replay.exec != 0 && replay.spanKnown() && replay.endNs > replay.beginNs;
  beginNs_ = replay.beginNs;
  endNs_ = replay.endNs;
  ++replay_;
  ran_.clear();
  intervals_.clear();
}

void ReplayShares::add(std::size_t number, std::size_t outermost, std::int64_t beginNs,
                       std::int64_t durationNs) {
  if (!counts_)
    return;
  if (const std::size_t most = std::max(number, outermost); most >= rows_.size())
    rows_.resize(most + 1);
  if (Row &around = rows_[outermost]; around.replayAround != replay_) {
    around.replayAround = replay_;
    addTo(around.aroundNs, endNs_ - beginNs_);
  }
  Row &row = rows_[number];
  if (row.outermost == none)
    row.outermost = outermost;
  if (row.replay != replay_) {
    row.replay = replay_;
    row.nowNs = 0;
    row.lastBeginNs = row.coveredNs = beginNs_;
    row.last = none;
    row.missed = false;
    row.ordered = true;
    ran_.push_back(number);
  }
  if (durationNs < 0)
    row.missed = true;
  else
    add(row, std::max(beginNs, beginNs_), std::min(beginNs + durationNs, endNs_));
}

// Almost always an execution begins after those before it.
void ReplayShares::add(Row &row, std::int64_t beginNs, std::int64_t endNs) {
  if (endNs <= beginNs)
    return;
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
    const std::int64_t spanNs = endNs_ - beginNs_;
    if (rows_[row.outermost].replayAround != replay_)
      addTo(row.elsewhereNs, spanNs);
    if (row.missed) {
      addTo(row.notMeasuredNs, spanNs);
      continue;
    }
    row.measured = true;
    addTo(row.busyNs, row.ordered ? row.nowNs : covered(row));
  }
  ran_.clear();
}

double ReplayShares::percentOf(std::size_t number) const {
  if (number >= rows_.size() || !rows_[number].measured)
    return -1;
  const Row &row = rows_[number];
  const double ns = static_cast<double>(rows_[row.outermost].aroundNs) +
                    static_cast<double>(row.elsewhereNs) - static_cast<double>(row.notMeasuredNs);
  return ns > 0 ? 100.0 * static_cast<double>(row.busyNs) / ns : -1;
}

} // namespace graphprof

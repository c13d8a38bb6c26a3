// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How long a replay would have been if some of its nodes took another time.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "output/statistics/CriticalPath.h"

namespace graphprof {

// `error`: 0, or 1 or -1 for the longest and the shortest that it may have been.
std::int64_t CriticalPath::scheduledNs(const CriticalReplay &replay,
                                       std::span<const double> factors, int error) const {
  std::vector<std::int64_t> endNs(nodes_.size(), 0);
  std::int64_t lastNs = 0;
  const auto rounded = [](double ns) { return static_cast<std::int64_t>(std::llround(ns)); };
  for (const std::uint32_t i : order_) {
    const Node &node = nodes_[i];
    if (node.kind == Kind::Ignored)
      continue;
    std::int64_t wholeReadyNs = 0;
    for (const std::uint32_t before : node.after) {
      endNs[i] = std::max(endNs[i], endNs[before]);
      if (std::ranges::find(node.early, before) == node.early.end())
        wholeReadyNs = std::max(wholeReadyNs, endNs[before]);
    }
    if (node.kind == Kind::Instant)
      continue;
    const CriticalReplay::Node &times = replay.nodes[i];
    // A gap that was longer than thought was not shortened with the rest, nor lengthened.
    const double kept = 1 - factors[i];
    const std::int64_t wrongNs =
        error == 0 ? 0
                   : rounded(std::abs(kept) * error *
                             static_cast<double>((kept > 0) == (error > 0) ? times.moreGapNs
                                                                           : times.lessGapNs));
    const auto changed = [&](std::int64_t ns) {
      return std::max<std::int64_t>(0, rounded(static_cast<double>(ns) * factors[i]) + wrongNs);
    };
    endNs[i] += times.gapNs + changed(times.ownNs);
    if (!node.early.empty() && node.early.size() < node.after.size())
      endNs[i] = std::max(endNs[i], wholeReadyNs + times.wholeGapNs + changed(times.wholeOwnNs));
    lastNs = std::max(lastNs, endNs[i]);
  }
  return lastNs + replay.untimedNs;
}

std::optional<CriticalPath::Prediction>
CriticalPath::predicted(const CriticalReplay &replay, std::span<const double> factors) const {
  std::vector<bool> isChanged(sections_, false);
  for (std::size_t i = 0; i < replay.nodes.size(); ++i) {
    if (!isWork(static_cast<std::uint32_t>(i)))
      continue;
    if (replay.nodes[i].why == NoSlack::NotMeasured)
      return std::nullopt;
    if (factors[i] != 1)
      isChanged[nodes_[i].section] = true;
  }
  // Where all branches join, everything behind is moved alike.
  for (std::size_t i = 0; i < replay.nodes.size(); ++i)
    if (replay.nodes[i].why == NoSlack::Competes && isChanged[nodes_[i].section])
      return std::nullopt;
  return Prediction{scheduledNs(replay, factors, 0), scheduledNs(replay, factors, -1),
                    scheduledNs(replay, factors, 1)};
}

} // namespace graphprof

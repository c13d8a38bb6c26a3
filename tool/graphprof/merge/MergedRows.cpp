// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "MergedRows.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace graphprof {

namespace {

// Places 0 to `size`, sorted.
template <class Before> std::vector<std::size_t> sortedPlaces(std::size_t size, Before before) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return before(a, b) || (!before(b, a) && a < b); });
  return order;
}

} // namespace

std::vector<std::size_t> ranksInOrder(const MergedJob &merged, std::size_t most) {
  const std::vector<RankSummary> &ranks = merged.split.ranks();
  const bool byNumber = ranks.size() <= most;
  return sortedPlaces(ranks.size(), [&](std::size_t a, std::size_t b) {
    const auto holds = [&](std::size_t i) { return ranks[i].slowest + ranks[i].all.last; };
    return !byNumber && holds(a) > holds(b);
  });
}

std::vector<std::size_t> stepsInOrder(const Split &split) {
  const std::vector<StepRow> &steps = split.steps();
  return sortedPlaces(steps.size(), [&](std::size_t a, std::size_t b) {
    return steps[a].spreadNs() > steps[b].spreadNs();
  });
}

std::vector<std::size_t> collectivesInOrder(const Split &split) {
  const auto &rows = split.collectives();
  return sortedPlaces(rows.size(), [&](std::size_t a, std::size_t b) {
    return rows[a].longest.sumNs() > rows[b].longest.sumNs();
  });
}

std::string nameOf(const StepRow &step, const MergedJob &merged) {
  if (step.step >= 0)
    return fmt::format("{}", step.step);
  if (step.serves != 0)
    return fmt::format("{} of {}", step.number, merged.job.graphName(step.serves));
  return merged.matching.execs() > 1 ? fmt::format("{} of exec {}", step.number, step.exec + 1)
                                     : fmt::format("{}", step.number);
}

} // namespace graphprof

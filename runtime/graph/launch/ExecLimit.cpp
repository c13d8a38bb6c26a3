// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/launch/ExecLimit.h"

#include <algorithm>

#include "graph/launch/Pair.h"

namespace graphprof {

namespace {

constexpr std::int64_t idleNs = 1'000'000'000;    // one launched more recently keeps its place
constexpr std::int64_t lookAgainNs = 100'000'000; // if all were in use

} // namespace

bool ExecLimit::added(const std::shared_ptr<Pair> &pair) {
  const MutexLock lock(mutex_);
  if (places_.size() >= most_)
    return false;
  places_.emplace_back(pair.get(), pair);
  return true;
}

void ExecLimit::left(const Pair &pair) noexcept {
  const MutexLock lock(mutex_);
  const auto place = std::ranges::find(places_, &pair, &decltype(places_)::value_type::first);
  if (place != places_.end())
    places_.erase(place);
}

std::vector<std::shared_ptr<Pair>> ExecLimit::launchedBefore(std::int64_t hostNs) {
  std::vector<std::pair<std::int64_t, std::shared_ptr<Pair>>> aged;
  {
    const MutexLock lock(mutex_);
    aged.reserve(places_.size());
    for (const auto &[place, weak] : places_)
      if (auto pair = weak.lock(); pair && pair->lastLaunchNs() < hostNs)
        aged.emplace_back(pair->lastLaunchNs(), std::move(pair));
  }
  std::sort(aged.begin(), aged.end(),
            [](const auto &one, const auto &other) { return one.first < other.first; });
  std::vector<std::shared_ptr<Pair>> pairs;
  pairs.reserve(aged.size());
  for (auto &[launchNs, pair] : aged)
    pairs.push_back(std::move(pair));
  return pairs;
}

std::optional<ExecLimit::Place> ExecLimit::spare(const std::shared_ptr<Pair> &pair) {
  if (isSet() && !added(pair))
    return std::nullopt;
  return isSet() ? Place(*this, *pair) : Place();
}

std::optional<ExecLimit::Place> ExecLimit::take(const std::shared_ptr<Pair> &pair,
                                                std::int64_t nowNs, bool isLastChance) {
  if (!isSet())
    return Place();
  if (added(pair))
    return Place(*this, *pair);
  if (!isLastChance && nowNs < fullUntilNs_.load(std::memory_order_relaxed))
    return std::nullopt;
  for (const auto &other : launchedBefore(nowNs - idleNs))
    if (other->makeRoom(nowNs - idleNs) && added(pair))
      return Place(*this, *pair);
  fullUntilNs_.store(nowNs + lookAgainNs, std::memory_order_relaxed);
  return std::nullopt;
}

} // namespace graphprof

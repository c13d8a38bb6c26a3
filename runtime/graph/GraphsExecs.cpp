// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs: the program's execs and their pairs.

#include <array>
#include <utility>

#include "ThreadOwned.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graph/launch/ExecLifetime.h"
#include "graph/timing/KernelTwins.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

std::shared_ptr<Pair> Graphs::pairOf(driver::Exec exec) noexcept {
  auto pair = pairUnder(exec);
  if (!pair || !pair->isGone())
    return pair;
  {
    const MutexLock lock(pairsMutex_);
    const auto found = pairs_.find(exec);
    if (found != pairs_.end() && found->second == pair) {
      pairs_.erase(found);
      switched_.erase(exec);
      pairsGeneration_.fetch_add(1, std::memory_order_release);
    }
  }
  pair->destroy();
  harvester_.leaving(pair);
  return nullptr;
}

std::vector<std::shared_ptr<Pair>> Graphs::takeGone() {
  std::vector<std::shared_ptr<Pair>> gone;
  const MutexLock lock(pairsMutex_);
  // Most of the user objects that go belong to execs whose destruction was seen.
  if (ExecLifetime::gone() - goneAtLastLook_ <= pairs_.size())
    return gone;
  goneAtLastLook_ = ExecLifetime::gone();
  for (auto entry = pairs_.begin(); entry != pairs_.end();) {
    if (!entry->second->isGone()) {
      ++entry;
      continue;
    }
    gone.push_back(std::move(entry->second));
    switched_.erase(entry->first);
    entry = pairs_.erase(entry);
  }
  if (!gone.empty())
    pairsGeneration_.fetch_add(1, std::memory_order_release);
  return gone;
}

namespace {

struct CachedPair {
  driver::Exec exec = nullptr;
  std::uint64_t generation = 0;
  std::shared_ptr<Pair> pair;
  bool isCounted = false; // its launch, while it has no pair
};
using PairCache = std::array<CachedPair, 16>;

CachedPair &cachedIn(PairCache &cache, driver::Exec exec) {
  return cache[(reinterpret_cast<std::uintptr_t>(exec) >> 6) % cache.size()];
}

} // namespace

std::shared_ptr<Pair> Graphs::pairUnder(driver::Exec exec) noexcept {
  PairCache *const cache = ofThisThread<PairCache>();
  if (!cache) {
    const MutexLock lock(pairsMutex_);
    return findPair(exec);
  }
  CachedPair &cached = cachedIn(*cache, exec);
  const std::uint64_t generation = pairsGeneration_.load(std::memory_order_acquire);
  if (cached.exec == exec && cached.generation == generation)
    return cached.pair;

  const MutexLock lock(pairsMutex_);
  cached.exec = exec;
  cached.generation = pairsGeneration_.load(std::memory_order_relaxed);
  cached.pair = findPair(exec);
  cached.isCounted = false;
  return cached.pair;
}

void Graphs::madeUntimed(driver::Exec exec, bool lost) noexcept try {
  const MutexLock lock(pairsMutex_);
  if (untimed_.size() < mostUntimed)
    untimed_.insert_or_assign(exec, lost ? Untimed::Launched : Untimed::Made);
  pairsGeneration_.fetch_add(1, std::memory_order_release); // the handle may have been another's
} catch (...) {                                             // no memory: it is not counted
  return;
}

// A thread asks for the pair first, so the cache holds it.
void Graphs::launchedUntimed(driver::Exec exec) noexcept try {
  PairCache *const cache = ofThisThread<PairCache>();
  CachedPair *const cached = cache ? &cachedIn(*cache, exec) : nullptr;
  if (cached && cached->exec == exec && std::exchange(cached->isCounted, true))
    return;
  Seen &seen = services_.seen;
  const MutexLock lock(pairsMutex_);
  const auto known = untimed_.find(exec);
  if (known != untimed_.end()) {
    if (std::exchange(known->second, Untimed::Launched) == Untimed::Made)
      ++seen.withoutRegion;
  } else if (untimed_.size() < mostUntimed) {
    untimed_.emplace(exec, Untimed::Launched);
    ++seen.ofOthers;
  }
} catch (...) { // no memory: it is not counted
  return;
}

std::shared_ptr<Pair> Graphs::findPair(driver::Exec exec) {
  const auto found = pairs_.find(exec);
  return found == pairs_.end() ? nullptr : found->second;
}

void Graphs::addPair(driver::Exec exec, std::shared_ptr<Pair> pair) {
  const MutexLock lock(pairsMutex_);
  pairs_.insert_or_assign(exec, std::move(pair));
  untimed_.erase(exec);
  pairsGeneration_.fetch_add(1, std::memory_order_release);
}

void Graphs::nodeSwitching(driver::Exec exec) noexcept {
  const MutexLock lock(pairsMutex_);
  try {
    switched_.insert(exec);
  } catch (...) { // no memory
    anySwitched_ = true;
  }
}

bool Graphs::switched(driver::Exec exec) {
  const MutexLock lock(pairsMutex_);
  return anySwitched_ || switched_.contains(exec);
}

std::shared_ptr<Pair> Graphs::execDestroyed(driver::Exec exec) {
  const MutexLock lock(pairsMutex_);
  switched_.erase(exec);
  untimed_.erase(exec);
  const auto found = pairs_.find(exec);
  if (found == pairs_.end())
    return nullptr;
  std::shared_ptr<Pair> pair = std::move(found->second);
  pairs_.erase(found);
  pairsGeneration_.fetch_add(1, std::memory_order_release);
  return pair;
}

// Inside its kernels.
bool Graphs::hasRegionsInside(driver::Graph graph) const {
  if (!timesInsideKernels(services_))
    return false;
  const driver::Context own = contextOfKernels(graph);
  const driver::CurrentContext current(own ? own : driver::currentContext());
  return holdsKernelTwin(Shape(graph));
}

} // namespace graphprof

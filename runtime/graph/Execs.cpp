// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Execs.h"

#include <algorithm>
#include <array>

#include "ThreadOwned.h"
#include "Thrown.h"
#include "graph/harvest/Harvester.h"
#include "graph/launch/ExecLifetime.h"
#include "services/Services.h"

namespace graphprof {

Execs::Execs(Services &services, Harvester &harvester, GraphMemory &memory) noexcept
    : services_(services), harvester_(harvester), memory_(memory),
      limit_(services.config().maxExecs) {}

std::shared_ptr<Pair> Execs::pairOf(driver::Exec exec) noexcept {
  auto pair = pairUnder(exec);
  if (!pair || !pair->isGone())
    return pair;
  {
    const MutexLock lock(mutex_);
    const auto found = pairs_.find(exec);
    if (found != pairs_.end() && found->second == pair) {
      pairs_.erase(found);
      switched_.erase(exec);
      changed();
    }
  }
  pair->destroy();
  harvester_.leaving(pair);
  return nullptr;
}

std::vector<std::shared_ptr<Pair>> Execs::takeGone() {
  std::vector<std::shared_ptr<Pair>> gone;
  const MutexLock lock(mutex_);
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
    changed();
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

std::shared_ptr<Pair> Execs::pairUnder(driver::Exec exec) noexcept {
  PairCache *const cache = ofThisThread<PairCache>();
  if (!cache) {
    const MutexLock lock(mutex_);
    return findPair(exec);
  }
  CachedPair &cached = cachedIn(*cache, exec);
  const std::uint64_t generation = generation_.load(std::memory_order_acquire);
  if (cached.exec == exec && cached.generation == generation)
    return cached.pair;

  const MutexLock lock(mutex_);
  cached.exec = exec;
  cached.generation = generation_.load(std::memory_order_relaxed);
  cached.pair = findPair(exec);
  cached.isCounted = false;
  return cached.pair;
}

void Execs::madeUntimed(driver::Exec exec, bool lost) noexcept {
  (void)survived([&] { // if not, it is not counted
    const MutexLock lock(mutex_);
    if (untimed_.size() < mostUntimed)
      untimed_.insert_or_assign(exec, lost ? Untimed::Launched : Untimed::Made);
    changed(); // the handle may have been another's
  });
}

// A thread asks for the pair first, so the cache holds it.
void Execs::launchedUntimed(driver::Exec exec) noexcept {
  (void)survived([&] { // if not, it is not counted
    PairCache *const cache = ofThisThread<PairCache>();
    CachedPair *const cached = cache ? &cachedIn(*cache, exec) : nullptr;
    if (cached && cached->exec == exec && std::exchange(cached->isCounted, true))
      return;
    Seen &seen = services_.seen;
    const MutexLock lock(mutex_);
    const auto known = untimed_.find(exec);
    if (known != untimed_.end()) {
      if (std::exchange(known->second, Untimed::Launched) == Untimed::Made)
        ++seen.withoutRegion;
    } else if (untimed_.size() < mostUntimed) {
      untimed_.emplace(exec, Untimed::Launched);
      ++seen.ofOthers;
    }
  });
}

std::shared_ptr<Pair> Execs::findPair(driver::Exec exec) {
  const auto found = pairs_.find(exec);
  return found == pairs_.end() ? nullptr : found->second;
}

void Execs::add(driver::Exec exec, std::shared_ptr<Pair> pair) {
  const MutexLock lock(mutex_);
  pairs_.insert_or_assign(exec, std::move(pair));
  untimed_.erase(exec);
  changed();
}

void Execs::nodeSwitching(driver::Exec exec) noexcept {
  const bool isNoted = survived([&] {
    const MutexLock lock(mutex_);
    switched_.insert(exec);
  });
  if (isNoted)
    return;
  const MutexLock lock(mutex_);
  anySwitched_ = true;
}

bool Execs::switched(driver::Exec exec) {
  const MutexLock lock(mutex_);
  return anySwitched_ || switched_.contains(exec);
}

std::shared_ptr<Pair> Execs::destroyed(driver::Exec exec) {
  const MutexLock lock(mutex_);
  switched_.erase(exec);
  untimed_.erase(exec);
  const auto found = pairs_.find(exec);
  if (found == pairs_.end())
    return nullptr;
  std::shared_ptr<Pair> pair = std::move(found->second);
  pairs_.erase(found);
  changed();
  return pair;
}

void Execs::dropRepeating() noexcept {
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[exec, pair] : pairs_)
    pair->dropIfRepeating();
}

std::size_t Execs::invalidate() noexcept {
  std::size_t timed = 0;
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[exec, pair] : pairs_)
    timed += pair->invalidate() ? 1 : 0;
  return timed;
}

std::vector<std::shared_ptr<Pair>> Execs::takeOn(std::span<Device *const> devices) {
  std::vector<std::shared_ptr<Pair>> pairs;
  const MutexLock lock(mutex_);
  pairs.reserve(pairs_.size());
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  std::erase_if(pairs_, [&](const auto &entry) REQUIRES(mutex_) {
    const bool gone = std::ranges::find(devices, entry.second->device()) != devices.end();
    if (gone) {
      pairs.push_back(entry.second);
      switched_.erase(entry.first);
    }
    return gone;
  });
  changed();
  return pairs;
}

} // namespace graphprof

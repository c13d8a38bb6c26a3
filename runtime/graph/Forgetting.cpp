// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Many graphs and execs at once that are not trusted any more, or end with their device.

#include <algorithm>

#include "graph/Graphs.h"
#include "services/Services.h"

namespace graphprof {

// Leaves what is timed in place: it is the program's own exec, unchanged.
void Graphs::invalidateAll() noexcept {
  {
    const MutexLock lock(pairsMutex_);
    // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
    for (const auto &[exec, pair] : pairs_)
      if (!pair->isTimedInPlace())
        pair->drop();
  }
  const MutexLock lock(registriesMutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are, too
  for (const auto &[graph, registry] : registries_)
    if (const auto timed = registry->timed(); !timed || !timed->inPlace())
      registry->edited();
  bodies_.clear();
  uses_.clear();
  while (!built_.empty())
    forgetBuilt(built_.begin()->first);
}

std::size_t Graphs::distrustAll() noexcept {
  std::size_t timed = 0;
  {
    const MutexLock lock(pairsMutex_);
    // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
    for (const auto &[exec, pair] : pairs_)
      timed += pair->invalidate() ? 1 : 0;
  }
  invalidateAll();
  const MutexLock lock(registriesMutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are, too
  for (const auto &[graph, registry] : registries_)
    registry->abandonBuffer();
  return timed;
}

void Graphs::clear() {
  std::unordered_map<driver::Exec, std::shared_ptr<Pair>> pairs;
  std::unordered_map<driver::Graph, std::shared_ptr<Registry>> registries;
  {
    const MutexLock lock(pairsMutex_);
    pairs.swap(pairs_);
    switched_.clear();
    pairsGeneration_.fetch_add(1, std::memory_order_release);
  }
  {
    const MutexLock lock(registriesMutex_);
    registries.swap(registries_);
    nodes_.clear();
    bodies_.clear();
    uses_.clear();
    while (!built_.empty())
      forgetBuilt(built_.begin()->first);
  }
  // In any order: they are independent of each other.
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order)
  for (const auto &[exec, pair] : pairs)
    pair->destroy();
}

} // namespace graphprof

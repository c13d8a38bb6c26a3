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

std::vector<std::shared_ptr<Pair>> Graphs::forgetOn(std::span<Device *const> devices) {
  const auto isGone = [devices](const Device *device) {
    return device && std::ranges::find(devices, device) != devices.end();
  };
  std::vector<std::shared_ptr<Pair>> pairs;
  {
    const MutexLock lock(pairsMutex_);
    pairs.reserve(pairs_.size());
    // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
    std::erase_if(pairs_, [&](const auto &entry) {
      const bool gone = isGone(entry.second->device());
      if (gone)
        pairs.push_back(entry.second);
      return gone;
    });
    pairsGeneration_.fetch_add(1, std::memory_order_release);
  }
  const MutexLock lock(registriesMutex_);
  std::vector<driver::Graph> graphs;
  // NOLINTBEGIN(bugprone-nondeterministic-pointer-iteration-order): they are, too
  for (const auto &[graph, registry] : registries_)
    if (isGone(registry->device()))
      graphs.push_back(graph);
  for (const auto &[graph, built] : built_)
    if (isGone(built->device()))
      graphs.push_back(graph);
  // NOLINTEND(bugprone-nondeterministic-pointer-iteration-order)
  for (const driver::Graph graph : graphs)
    forgetAll(graph);
  return pairs;
}

} // namespace graphprof

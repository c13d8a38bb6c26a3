// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/memory/Allocations.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace graphprof {

namespace {

std::string size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> units = {"KB", "MB", "GB", "TB"}; // torch.profiler's
  constexpr double step = 1024;
  if (bytes < static_cast<std::uint64_t>(step))
    return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / step;
  std::size_t unit = 0;
  for (; amount >= step && unit + 1 < units.size(); ++unit)
    amount /= step;
  return fmt::format("{:.2f} {}", amount, units[unit]);
}

std::string times(std::uint64_t count, std::uint64_t bytes) {
  return fmt::format("{} {}, {}", count, count == 1 ? "time" : "times", size(bytes));
}

} // namespace

Allocations::Change Allocations::allocated(const void *address, Block block, bool inStep, Now now) {
  const MutexLock lock(mutex_);
  allocated_.add(block.bytes);
  if (inStep)
    inSteps_.add(block.bytes);
  std::uint64_t &bytes = bytesOf(block); // before any change, because it may allocate
  if (!address || block.bytes == 0)
    return {now(), bytes};
  const auto [at, isNew] = blocks_.try_emplace(address, block);
  if (!isNew)
    bytesOf(at->second) -= at->second.bytes;
  at->second = block;
  bytes += block.bytes;
  return {now(), bytes};
}

std::pair<Allocations::Block, Allocations::Change> Allocations::freeing(const void *address,
                                                                        Now now) {
  const MutexLock lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end())
    return {};
  const Block block = found->second;
  blocks_.erase(found);
  return {block, {now(), bytesOf(block) -= block.bytes}};
}

void Allocations::freed(Block block) {
  const MutexLock lock(mutex_);
  freed_.add(block.bytes);
}

void Allocations::kept(const void *address, Block block) {
  const MutexLock lock(mutex_);
  if (blocks_.try_emplace(address, block).second)
    bytesOf(block) += block.bytes;
}

std::vector<MemoryHeld> Allocations::held() const {
  const MutexLock lock(mutex_);
  std::vector<MemoryHeld> held;
  held.reserve(now_.size());
  for (const auto &[place, bytes] : now_)
    if (bytes > 0)
      held.push_back({place.first, place.second, bytes});
  return held;
}

std::string Allocations::sentence() const {
  const MutexLock lock(mutex_);
  if (allocated_.times == 0)
    return {};
  std::string text = "allocated " + times(allocated_.times, allocated_.bytes);
  if (inSteps_.times > 0)
    text += " (in steps " + times(inSteps_.times, inSteps_.bytes) + ")";
  return text + "; freed " + times(freed_.times, freed_.bytes);
}

} // namespace graphprof

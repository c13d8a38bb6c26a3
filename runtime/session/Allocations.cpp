// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "session/Allocations.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace graphprof {

namespace {

std::string size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> units = {"KB", "MB", "GB", "TB"}; // as torch.profiler's
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

void Allocations::allocated(const void *address, std::uint64_t bytes, bool inStep) {
  const std::lock_guard lock(mutex_);
  allocated_.add(bytes);
  if (inStep)
    inSteps_.add(bytes);
  if (address && bytes > 0)
    sizes_.insert_or_assign(address, bytes);
}

std::uint64_t Allocations::freeing(const void *address) {
  const std::lock_guard lock(mutex_);
  const auto found = sizes_.find(address);
  if (found == sizes_.end())
    return 0;
  const std::uint64_t bytes = found->second;
  sizes_.erase(found);
  return bytes;
}

void Allocations::freed(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  freed_.add(bytes);
}

void Allocations::kept(const void *address, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  sizes_.try_emplace(address, bytes);
}

std::string Allocations::sentence() const {
  const std::lock_guard lock(mutex_);
  if (allocated_.times == 0)
    return {};
  std::string text = "allocated " + times(allocated_.times, allocated_.bytes);
  if (inSteps_.times > 0)
    text += " (in steps " + times(inSteps_.times, inSteps_.bytes) + ")";
  return text + "; freed " + times(freed_.times, freed_.bytes);
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements device_ranges and device_moves of graphprof/detail/bench_work.h.

#include <algorithm>

#include "graphprof/detail/bench_work.h"

namespace graphprof {

void device_ranges::add(const void *data, std::size_t bytes) {
  if (!data || bytes == 0)
    return;
  Range added{reinterpret_cast<std::uintptr_t>(data), 0};
  added.end = added.begin + bytes;
  // The ranges that it overlaps are adjacent and merge with it.
  const auto first = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range &range) { return range.end > added.begin; });
  auto last = first;
  for (; last != ranges_.end() && last->begin < added.end; ++last) {
    added.begin = std::min(added.begin, last->begin);
    added.end = std::max(added.end, last->end);
  }
  ranges_.insert(ranges_.erase(first, last), added);
}

bool device_ranges::contains(const void *pointer) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range &range) {
    return address >= range.begin && address < range.end;
  });
}

std::size_t device_ranges::bytes() const noexcept {
  std::size_t sum = 0;
  for (const Range &range : ranges_)
    sum += range.end - range.begin;
  return sum;
}

std::uintptr_t device_moves::moved(std::uintptr_t address) const noexcept {
  const auto &all = ranges_->all();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (address >= all[i].begin && address < all[i].end)
      return bases_[i] + (address - all[i].begin);
  return address;
}

} // namespace graphprof

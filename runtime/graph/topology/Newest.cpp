// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/Newest.h"

#include <algorithm>

namespace graphprof {

namespace {

// How many numbers a search looks at for each of those that it is asked about.
constexpr std::size_t stepsForEach = 64;

} // namespace

void Newest::add(std::span<const std::uint32_t> before) {
  before_.add(before);
  seen_.push_back(0);
}

// Only a newer number waits for an older one. So it goes from the newest to the oldest, and looks
// at what the kept ones wait for in the same order.
void Newest::keepNewest(std::vector<std::uint32_t> &numbers, std::size_t most) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  if (numbers.size() < 2)
    return;
  ++search_;
  pending_.clear();
  std::size_t steps = stepsForEach * numbers.size();
  const auto end = numbers.end();
  auto kept = end;
  for (auto next = end; next != numbers.begin() && static_cast<std::size_t>(end - kept) < most;) {
    const std::uint32_t number = *--next;
    for (; !pending_.empty() && pending_.front() > number && steps > 0; --steps) {
      const std::uint32_t at = pending_.front();
      std::ranges::pop_heap(pending_);
      pending_.pop_back();
      for (const std::uint32_t before : before_[at])
        if (seen_[before] != search_) {
          seen_[before] = search_;
          pending_.push_back(before);
          std::ranges::push_heap(pending_);
        }
    }
    if (seen_[number] == search_)
      continue;
    seen_[number] = search_;
    pending_.push_back(number);
    std::ranges::push_heap(pending_);
    *--kept = number;
  }
  numbers.erase(numbers.begin(), kept);
}

} // namespace graphprof

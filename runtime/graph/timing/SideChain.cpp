// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/SideChain.h"

#include <algorithm>
#include <iterator>

namespace graphprof {

namespace {

// How far waits() searches. If it finds nothing within this bound, a timing node may wait for
// another one twice over, which is harmless.
constexpr int MaxSteps = 64;

} // namespace

SideChain::SideChain() : alone_(1, begin()), previous_(1, begin()) {
  const std::uint32_t root[] = {0};
  fronts_.add(root);
}

void SideChain::add(Front previous) {
  const std::uint32_t boundary[] = {static_cast<std::uint32_t>(alone_.size())};
  previous_.push_back(previous);
  alone_.push_back(fronts_.size());
  fronts_.add(boundary);
}

SideChain::Front SideChain::join(Front one, Front other) {
  if (one == other || other == begin()) // everything waits for boundary 0
    return one;
  if (one == begin())
    return other;
  both_.clear();
  std::ranges::set_union(fronts_[one], fronts_[other], std::back_inserter(both_));
  keepNewest();
  for (const Front known : {one, other})
    if (std::ranges::equal(both_, fronts_[known]))
      return known;
  fronts_.add(both_);
  return fronts_.size() - 1;
}

void SideChain::keepNewest() {
  const auto end = both_.end();
  auto kept = end; // newest first, because only a newer one waits for an older one
  for (auto next = end; next != both_.begin() && static_cast<std::size_t>(end - kept) < MaxFront;) {
    --next;
    if (std::none_of(kept, end, [&](std::uint32_t newer) { return waits(newer, *next); }))
      *--kept = *next;
  }
  both_.erase(both_.begin(), kept);
}

bool SideChain::waits(std::uint32_t boundary, std::uint32_t forAnother) {
  if (forAnother == 0)
    return true;
  pending_.assign(1, boundary);
  for (int step = 0; step < MaxSteps && !pending_.empty(); ++step) {
    const std::uint32_t at = pending_.back();
    pending_.pop_back();
    for (const std::uint32_t before : fronts_[previous_[at]]) {
      if (before == forAnother)
        return true;
      if (before > forAnother)
        pending_.push_back(before);
    }
  }
  return false;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/SideChain.h"

#include <algorithm>
#include <iterator>

namespace graphprof {

namespace {

// How far waits() looks: where it finds nothing by then, a timing node may wait once more for what
// it waits for anyway.
constexpr int MaxSteps = 64;

} // namespace

void SideChain::add(Front previous) {
  const auto boundary = static_cast<std::uint32_t>(alone_.size());
  previous_.push_back(previous);
  alone_.push_back(fronts_.size());
  fronts_.push_back({boundary});
}

SideChain::Front SideChain::join(Front one, Front other) {
  if (one == other)
    return one;
  std::vector<std::uint32_t> both;
  std::set_union(fronts_[one].begin(), fronts_[one].end(), fronts_[other].begin(),
                 fronts_[other].end(), std::back_inserter(both));
  both = newest(both);
  for (const Front known : {one, other})
    if (both == fronts_[known])
      return known;
  fronts_.push_back(std::move(both));
  return fronts_.size() - 1;
}

std::vector<std::uint32_t> SideChain::newest(const std::vector<std::uint32_t> &of) const {
  std::vector<std::uint32_t> found; // from the newest on: who waits for another is the newer one
  for (auto next = of.rbegin(); next != of.rend() && found.size() < MaxFront; ++next)
    if (std::none_of(found.begin(), found.end(),
                     [&](std::uint32_t newer) { return waits(newer, *next); }))
      found.push_back(*next);
  std::reverse(found.begin(), found.end());
  return found;
}

bool SideChain::waits(std::uint32_t boundary, std::uint32_t forAnother) const {
  if (forAnother == 0)
    return true;
  std::vector<std::uint32_t> ways = {boundary};
  for (int step = 0; step < MaxSteps && !ways.empty(); ++step) {
    const std::uint32_t at = ways.back();
    ways.pop_back();
    for (const std::uint32_t before : fronts_[previous_[at]]) {
      if (before == forAnother)
        return true;
      if (before > forAnother)
        ways.push_back(before);
    }
  }
  return false;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/SideChain.h"

#include <algorithm>

namespace graphprof {

SideChain::SideChain() : alone_(1, begin()) {
  const std::uint32_t root[] = {0};
  fronts_.add(root);
  newest_.add({});
}

void SideChain::add(Front previous) {
  const std::uint32_t boundary[] = {static_cast<std::uint32_t>(alone_.size())};
  newest_.add(fronts_[previous]);
  alone_.push_back(fronts_.size());
  fronts_.add(boundary);
}

SideChain::Front SideChain::join(std::span<const Front> fronts) {
  ++join_;
  joinedIn_.resize(fronts_.size(), 0);
  joined_.clear();
  for (const Front front : fronts)
    if (front != begin() && joinedIn_[front] != join_) { // everything waits for boundary 0
      joinedIn_[front] = join_;
      joined_.push_back(front);
    }
  if (joined_.empty())
    return begin();
  if (joined_.size() == 1)
    return joined_.front();
  both_.clear();
  for (const Front front : joined_)
    both_.insert(both_.end(), fronts_[front].begin(), fronts_[front].end());
  newest_.keepNewest(both_, MaxFront);
  if (both_.size() == 1)
    return behind(both_.front());
  for (const Front known : joined_)
    if (std::ranges::equal(both_, fronts_[known]))
      return known;
  fronts_.add(both_);
  return fronts_.size() - 1;
}

} // namespace graphprof

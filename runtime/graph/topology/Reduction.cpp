// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/Reduction.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace graphprof {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::size_t several = none - 1;

// How far waits() searches. An edge stays if the search does not find that others imply it.
constexpr int MaxSteps = 256;
// A node that waits for more than these is a join, whatever else they imply. This bounds the
// search.
constexpr std::size_t MaxSources = 16;

} // namespace

Reduction::Reduction(const Shape &shape, std::vector<bool> isTransparent)
    : shape_(shape), isTransparent_(std::move(isTransparent)),
      isKnown_(shape.created().size(), true), isWhole_(shape.created().size(), true),
      follower_(shape.created().size(), none) {
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    addBefore(place);
  for (std::size_t place = 0; place < shape.created().size(); ++place) {
    if (isTransparent_[place])
      continue;
    for (const std::size_t before : before_[place])
      noteFollower(before, place);
    for (const std::size_t before : shape.placesBefore(place))
      if (isTransparent_[before])
        noteFollower(before, place);
  }
  // The first of several consecutive transparent places has the follower of the last.
  for (std::size_t place = shape.created().size(); place-- > 0;)
    if (isTransparent_[place] && follower_[place] != none)
      for (const std::size_t before : shape.placesBefore(place))
        if (isTransparent_[before])
          noteFollower(before, follower_[place]);
}

void Reduction::noteFollower(std::size_t place, std::size_t follower) {
  if (follower_[place] == none)
    follower_[place] = follower;
  else if (follower_[place] != follower)
    follower_[place] = several;
}

void Reduction::addBefore(std::size_t place) {
  std::vector<std::size_t> &before = sources_;
  before.clear();
  isWhole_[place] = std::ranges::all_of(shape_.edgesTo(place), driver::isWhole);
  for (const std::size_t from : shape_.placesBefore(place)) {
    if (from >= place || (isTransparent_[from] && !isKnown_[from])) {
      isKnown_[place] = false;
      continue;
    }
    if (isTransparent_[from])
      before.insert(before.end(), before_[from].begin(), before_[from].end());
    else
      before.push_back(from);
  }
  std::ranges::sort(before);
  before.erase(std::ranges::unique(before).begin(), before.end());
  if (before.size() > 1 && before.size() <= MaxSources) {
    kept_.clear();
    for (const std::size_t earlier : before)
      if (std::ranges::none_of(
              before, [&](std::size_t later) { return later > earlier && waits(later, earlier); }))
        kept_.push_back(earlier);
    before.swap(kept_);
  }
  before_.add(before);
}

bool Reduction::waits(std::size_t later, std::size_t earlier) {
  pending_.assign(1, later);
  for (int step = 0; step < MaxSteps && !pending_.empty(); ++step) {
    const std::size_t at = pending_.back();
    pending_.pop_back();
    if (!isWhole_[at])
      continue;
    for (const std::size_t before : before_[at]) {
      if (before == earlier)
        return true;
      if (before > earlier)
        pending_.push_back(before);
    }
  }
  return false;
}

std::optional<std::size_t> Reduction::onlyBefore(std::size_t place) const {
  const auto before = before_[place];
  return isKnown_[place] && before.size() == 1 ? std::optional(before.front()) : std::nullopt;
}

std::optional<std::size_t> Reduction::workAt(std::size_t place) const {
  return isTransparent_[place] ? onlyBefore(place) : std::optional(place);
}

std::optional<std::size_t> Reduction::onlyFollower(std::size_t place) const {
  const std::size_t follower = follower_[place];
  if (follower >= several || follower < place || !isKnown_[follower])
    return std::nullopt;
  const auto before = before_[follower];
  const bool isOnly = isTransparent_[place] ? std::ranges::equal(before, before_[place])
                                            : before.size() == 1 && before.front() == place;
  return isOnly ? std::optional(follower) : std::nullopt;
}

bool Reduction::isFollowedByJoin(std::size_t place) const {
  const std::size_t follower = follower_[place];
  return follower < several && isKnown_[follower] && before_[follower].size() > 1;
}

} // namespace graphprof

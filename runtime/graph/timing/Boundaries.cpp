// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Boundaries.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

namespace graphprof {

void Boundaries::want(const Nodes &behind) {
  if (behind.size() == 1)
    alone_[shape_.createdAt(behind.front())] = Region::unfinished;
  else if (!behind.empty())
    joint_.emplace(placesOf(behind), Region::unfinished);
}

bool Boundaries::has(const Nodes &behind) const {
  return behind.empty() || (behind.size() == 1 ? alone_[shape_.createdAt(behind.front())] != none
                                               : joint_.contains(placesOf(behind)));
}

const JaggedArray<std::size_t> &Boundaries::number() {
  ordered_.add({}); // the root
  auto joint = joint_.begin();
  for (std::size_t place = 0; place < alone_.size(); ++place) {
    if (alone_[place] != none) {
      alone_[place] = static_cast<std::uint32_t>(ordered_.size());
      ordered_.add({&place, 1});
    }
    for (; joint != joint_.end() && joint->first.front() == place; ++joint) {
      joint->second = static_cast<std::uint32_t>(ordered_.size());
      ordered_.add(Places(joint->first.rbegin(), joint->first.rend()));
    }
  }
  return ordered_;
}

std::uint32_t Boundaries::of(const Nodes &behind) const {
  if (behind.empty())
    return 0;
  if (behind.size() == 1) {
    const std::uint32_t number = alone_[shape_.createdAt(behind.front())];
    return number != none ? number : Region::unfinished;
  }
  const auto found = joint_.find(placesOf(behind));
  return found != joint_.end() ? found->second : Region::unfinished;
}

Boundaries::Places Boundaries::placesOf(const Nodes &nodes) const {
  Places places;
  places.reserve(nodes.size());
  for (const driver::Node node : nodes)
    places.push_back(shape_.createdAt(node));
  std::sort(places.rbegin(), places.rend());
  return places;
}

std::uint64_t Boundaries::structure() const {
  std::vector<std::size_t> numbers = {shape_.created().size(), ordered_.size()};
  const auto add = [&](std::span<const std::size_t> places) {
    numbers.push_back(places.size());
    numbers.insert(numbers.end(), places.begin(), places.end());
  };
  for (std::size_t place = 0; place < shape_.created().size(); ++place)
    add(shape_.placesBefore(place));
  for (std::size_t boundary = 0; boundary < ordered_.size(); ++boundary)
    add(ordered_[boundary]);
  return std::hash<std::string_view>()(std::string_view(
      reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(std::size_t)));
}

} // namespace graphprof

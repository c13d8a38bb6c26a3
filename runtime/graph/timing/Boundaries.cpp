// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Boundaries.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace graphprof {

void Boundaries::want(const Nodes &behind) {
  Places places = placesOf(behind);
  if (places.size() == 1)
    alone_[places.front()] = Region::unfinished;
  else if (!places.empty())
    joint_.insert(std::move(places));
}

void Boundaries::completeJoints() {
  struct Joint {
    const Places *places;
    std::size_t missing; // how many of them have no boundary of their own
  };
  std::vector<Joint> joints;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> jointsWith; // by such a place
  std::vector<std::size_t> pending;
  for (const Places &places : joint_) {
    joints.push_back({&places, 0});
    for (const std::uint32_t place : places)
      if (alone_[place] == none) {
        ++joints.back().missing;
        jointsWith[place].push_back(joints.size() - 1);
      }
    if (joints.back().missing == 1)
      pending.push_back(joints.size() - 1);
  }
  while (!pending.empty()) {
    const Joint joint = joints[pending.back()];
    pending.pop_back();
    if (joint.missing != 1)
      continue;
    const std::uint32_t last = restOf(*joint.places).front();
    alone_[last] = Region::unfinished;
    for (const std::size_t with : jointsWith[last])
      if (--joints[with].missing == 1)
        pending.push_back(with);
  }
}

Boundaries::Places Boundaries::restOf(const Places &joint) const {
  Places rest;
  std::ranges::copy_if(joint, std::back_inserter(rest),
                       [this](std::uint32_t place) { return alone_[place] == none; });
  return rest;
}

const JaggedArray<std::size_t> &Boundaries::number() {
  completeJoints();
  for (const Places &places : joint_)
    if (Places rest = restOf(places); !rest.empty())
      rests_.emplace(std::move(rest), none);
  ordered_.add({}); // the root
  auto rest = rests_.begin();
  for (std::size_t place = 0; place < alone_.size(); ++place) {
    if (alone_[place] != none) {
      alone_[place] = static_cast<std::uint32_t>(ordered_.size());
      ordered_.add({&place, 1});
    }
    for (; rest != rests_.end() && rest->first.front() == place; ++rest) {
      rest->second = static_cast<std::uint32_t>(ordered_.size());
      ordered_.add(std::vector<std::size_t>(rest->first.rbegin(), rest->first.rend()));
    }
  }
  return ordered_;
}

Moment Boundaries::of(const Nodes &behind) const {
  const Places places = placesOf(behind), rest = restOf(places);
  if (places.empty())
    return {0};
  Moment moment;
  if (!rest.empty()) {
    const auto found = rests_.find(rest);
    if (found == rests_.end())
      return {};
    moment.push_back(found->second);
  }
  for (const std::uint32_t place : places)
    if (alone_[place] != none)
      moment.push_back(alone_[place]);
  return moment;
}

// Empty nodes, and those that record events, take no time, so what comes before them stands for
// them. What waits for others stands for them.
Boundaries::Places Boundaries::placesOf(const Nodes &nodes) const {
  Places places;
  places.reserve(nodes.size());
  for (const driver::Node node : nodes)
    places.push_back(static_cast<std::uint32_t>(shape_.createdAt(node)));
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t next = 0; next < places.size();) {
    const std::uint32_t place = places[next];
    const auto type = shape_.typeOf(place);
    if (type != driver::NodeType::Empty && type != driver::NodeType::EventRecord) {
      ++next;
      continue;
    }
    places[next] = places.back();
    places.pop_back();
    if (seen.insert(place).second)
      places.insert(places.end(), shape_.placesBefore(place).begin(),
                    shape_.placesBefore(place).end());
  }
  shape_.keepNewest(places);
  std::ranges::reverse(places);
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

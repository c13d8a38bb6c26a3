// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Boundaries.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace graphprof {

const std::vector<Nodes> &Boundaries::number() {
  using Places = std::vector<std::size_t>; // latest first
  std::vector<std::pair<Places, const Nodes *>> found;
  found.reserve(numbers_.size());
  for (const auto &[behind, number] : numbers_) {
    Places places;
    places.reserve(behind.size());
    for (const driver::Node node : behind)
      places.push_back(shape_.createdAt(node));
    std::sort(places.rbegin(), places.rend());
    found.emplace_back(std::move(places), &behind);
  }
  std::sort(found.begin(), found.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  ordered_.assign(1, Nodes()); // the root
  ordered_.reserve(found.size() + 1);
  for (const auto &[places, behind] : found) {
    numbers_.at(*behind) = static_cast<std::uint32_t>(ordered_.size());
    Nodes &nodes = ordered_.emplace_back();
    for (auto place = places.rbegin(); place != places.rend(); ++place)
      nodes.push_back(shape_.created()[*place]);
  }
  return ordered_;
}

std::uint32_t Boundaries::of(const Nodes &behind) const {
  const auto found = numbers_.find(behind);
  return found != numbers_.end() ? found->second : behind.empty() ? 0 : Region::unfinished;
}

std::uint64_t Boundaries::structure() const {
  std::vector<std::size_t> numbers = {shape_.created().size(), ordered_.size()};
  const auto add = [&](const auto &nodes) {
    numbers.push_back(nodes.size());
    for (const driver::Node node : nodes)
      numbers.push_back(shape_.createdAt(node));
  };
  for (const driver::Node node : shape_.created())
    add(shape_.before(node));
  for (const Nodes &behind : ordered_)
    add(behind);
  return std::hash<std::string_view>()(std::string_view(
      reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(std::size_t)));
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Span.h"

#include <algorithm>
#include <set>
#include <utility>

namespace graphprof {

namespace {

// Of more frontiers than these, none is left out. This bounds the work.
constexpr std::size_t mostCompared = 16;

std::vector<Nodes> earliest(const Shape &shape, const std::set<Nodes> &frontiers) {
  std::vector<Nodes> all(frontiers.begin(), frontiers.end());
  if (all.front().empty()) // the replay's begin
    return {Nodes()};
  if (all.size() > mostCompared)
    return all;
  std::vector<Nodes> kept;
  for (const Nodes &one : all)
    if (std::ranges::none_of(all, [&](const Nodes &other) {
          return &other != &one && isBehind(shape, one, other) &&
                 (&other < &one || !isBehind(shape, other, one)); // of equal ones, the first
        }))
      kept.push_back(one);
  return kept;
}

} // namespace

bool isBehind(const Shape &shape, const Nodes &later, const Nodes &earlier) {
  std::vector<std::uint32_t> own, both;
  for (const driver::Node node : later)
    own.push_back(static_cast<std::uint32_t>(shape.createdAt(node)));
  both = own;
  for (const driver::Node node : earlier)
    both.push_back(static_cast<std::uint32_t>(shape.createdAt(node)));
  shape.keepNewest(own);
  shape.keepNewest(both);
  return own == both;
}

Span spanOf(const Shape &shape, const std::vector<std::size_t> &places) {
  std::vector<bool> own(shape.created().size(), false);
  for (const std::size_t place : places)
    own[place] = true;
  const auto isOwn = [&own](std::size_t place) { return own[place]; };
  std::set<Nodes> begins;
  Nodes last;
  for (const std::size_t place : places) {
    const driver::Node node = shape.created()[place];
    if (std::ranges::none_of(shape.placesBefore(place), isOwn))
      begins.insert(frontier(shape.before(node)));
    if (std::ranges::none_of(shape.placesAfter(place), isOwn))
      last.push_back(node);
  }
  return {earliest(shape, begins), frontier(std::move(last))};
}

} // namespace graphprof

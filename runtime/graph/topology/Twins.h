// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Maps the program's nodes to the nodes of a profiled graph that do their work. Every graph has
// this map, but few programs ask it. So it is one sorted array, which is cheaper to make and to
// free than a hash table.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_TWINS_H
#define GRAPHPROF_GRAPH_TOPOLOGY_TWINS_H

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

class Twins {
public:
  using Pair = std::pair<driver::Node, driver::Node>; // the program's node first

  Twins() = default;
  /// `twins` are the counterparts of `nodes`, in their order.
  Twins(std::span<const driver::Node> nodes, std::span<const driver::Node> twins) {
    pairs_.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      pairs_.emplace_back(nodes[i], twins[i]);
    std::sort(pairs_.begin(), pairs_.end());
  }

  /// Null if there is none.
  [[nodiscard]] driver::Node of(driver::Node node) const {
    const auto at = placeOf(node);
    return at == pairs_.end() ? nullptr : at->second;
  }
  /// Returns false if there is none.
  bool forget(driver::Node node) {
    const auto at = placeOf(node);
    if (at == pairs_.end())
      return false;
    pairs_.erase(at);
    return true;
  }
  [[nodiscard]] const std::vector<Pair> &pairs() const { return pairs_; }

private:
  [[nodiscard]] std::vector<Pair>::const_iterator placeOf(driver::Node node) const {
    const auto at = std::ranges::lower_bound(pairs_, node, {}, &Pair::first);
    return at != pairs_.end() && at->first == node ? at : pairs_.end();
  }

  std::vector<Pair> pairs_; // sorted
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_TWINS_H

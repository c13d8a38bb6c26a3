// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which boundaries a finished graph is to get, and their numbers: one for everything that begins or
// ends behind the same nodes. Why they are wanted it does not know, nor how they are made.

#ifndef GRAPHPROF_GRAPH_BOUNDARIES_H
#define GRAPHPROF_GRAPH_BOUNDARIES_H

#include <cstdint>
#include <map>
#include <vector>

#include "graph/RegionTable.h"
#include "graph/Shape.h"

namespace graphprof {

class Boundaries {
public:
  /// Of the graph of `shape`.
  explicit Boundaries(const Shape &shape) : shape_(shape) {}

  /// A boundary behind `behind`, a frontier(), is wanted; where that is empty, the root is.
  void want(const Nodes &behind) {
    if (!behind.empty())
      numbers_.emplace(behind, Region::unfinished);
  }
  [[nodiscard]] bool has(const Nodes &behind) const {
    return behind.empty() || numbers_.contains(behind);
  }
  /// Numbers what is wanted, from 1, and returns it by number (the root's is the empty frontier):
  /// in the order in which the last node of each was created; so are the nodes of each. The same in
  /// every graph of this shape: one may be updated from the other.
  const std::vector<Nodes> &number();
  /// The number of a boundary; that of an open end where there is none.
  [[nodiscard]] std::uint32_t of(const Nodes &behind) const;

  /// Of what was numbered: the same for graphs of the same nodes and edges, created in the same
  /// order, with the same boundaries.
  [[nodiscard]] std::uint64_t structure() const;

private:
  const Shape &shape_;
  std::map<Nodes, std::uint32_t> numbers_; // unfinished: none yet
  std::vector<Nodes> ordered_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_BOUNDARIES_H

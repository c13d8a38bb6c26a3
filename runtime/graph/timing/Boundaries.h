// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which boundaries a finished graph is to get, and their numbers: one for everything that begins or
// ends behind the same nodes. Why they are wanted it does not know, nor how they are made.

#ifndef GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H
#define GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H

#include <cstdint>
#include <map>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Boundaries {
public:
  /// Of the graph of `shape`.
  explicit Boundaries(const Shape &shape) : shape_(shape), alone_(shape.created().size(), none) {}

  /// A boundary behind `behind`, a frontier(), is wanted; where that is empty, the root is.
  void want(const Nodes &behind);
  [[nodiscard]] bool has(const Nodes &behind) const;
  /// Numbers what is wanted, from 1, and returns it by number, as the places of its nodes (the
  /// root has none): in the order in which the last node of each was created; so are the nodes of
  /// each. The same in every graph of this shape: one may be updated from the other.
  const JaggedArray<std::size_t> &number();
  /// The number of a boundary; that of an open end where there is none.
  [[nodiscard]] std::uint32_t of(const Nodes &behind) const;

  /// Of what was numbered: the same for graphs of the same nodes and edges, created in the same
  /// order, with the same boundaries.
  [[nodiscard]] std::uint64_t structure() const;

private:
  static constexpr std::uint32_t none = 0; // the root is not among the numbers below
  using Places = std::vector<std::size_t>; // latest first
  [[nodiscard]] Places placesOf(const Nodes &nodes) const;

  const Shape &shape_;
  // Those that are wanted; Region::unfinished: they have no number yet.
  std::vector<std::uint32_t> alone_;      // behind a single node, as most are, by its place
  std::map<Places, std::uint32_t> joint_; // behind several
  JaggedArray<std::size_t> ordered_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H

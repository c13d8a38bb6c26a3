// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The boundaries of a finished graph, and their numbers. All that begins or ends behind the same
// nodes shares one boundary. Does not know why boundaries are wanted, nor how they are made.

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
  /// For the graph of `shape`.
  explicit Boundaries(const Shape &shape) : shape_(shape), alone_(shape.created().size(), none) {}

  /// Requests a boundary behind `behind`, a frontier(). If it is empty, that is the root.
  void want(const Nodes &behind);
  [[nodiscard]] bool has(const Nodes &behind) const;
  /// Numbers the requested boundaries from 1, and returns the places of each boundary's nodes, by
  /// number (the root has none). The order is that in which the last node of each was created; the
  /// nodes of each are ordered likewise. It is the same in every graph of this shape, so one may be
  /// updated from another.
  const JaggedArray<std::size_t> &number();
  /// The number of a boundary, or that of an open end if there is none.
  [[nodiscard]] std::uint32_t of(const Nodes &behind) const;

  /// A hash of what was numbered. Equal for graphs with the same nodes and edges, created in the
  /// same order, with the same boundaries.
  [[nodiscard]] std::uint64_t structure() const;

private:
  static constexpr std::uint32_t none = 0; // the number of the root, which does not occur below
  using Places = std::vector<std::size_t>; // latest first
  [[nodiscard]] Places placesOf(const Nodes &nodes) const;

  const Shape &shape_;
  // The requested boundaries. Region::unfinished: not numbered yet.
  std::vector<std::uint32_t> alone_;      // behind a single node, like most; by its place
  std::map<Places, std::uint32_t> joint_; // behind several nodes
  JaggedArray<std::size_t> ordered_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H

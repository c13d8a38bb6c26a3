// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The boundaries of a finished graph, and their numbers. All that begins or ends behind the same
// nodes shares one boundary. Does not know why boundaries are wanted, nor how they are made.
//
// A moment is what is behind several nodes, as after a join: the latest of their ends. It has no
// boundary of its own where its nodes have boundaries: it is the latest of those. A timing node of
// its own would come at the same time as that of the last of them, and queue behind it. What is
// behind an empty node, or one that records an event, is the moment behind the nodes before it.

#ifndef GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H
#define GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Boundaries {
public:
  /// For the graph of `shape`.
  explicit Boundaries(const Shape &shape) : shape_(shape), alone_(shape.created().size(), none) {}

  /// Requests the moment behind `behind`, a frontier(). If it is empty, that is the root.
  void want(const Nodes &behind);
  /// Numbers the boundaries of the requested moments from 1, and returns the places of each
  /// boundary's nodes, by number (the root has none). The order is that in which the last node of
  /// each was created; the nodes of each are ordered likewise. It is the same in every graph of
  /// this shape, so one may be updated from another. Call it once, before of().
  const JaggedArray<std::size_t> &number();
  /// The boundaries of a moment, which is the latest of them. Empty if there is none.
  [[nodiscard]] Moment of(const Nodes &behind) const;

  /// A hash of what was numbered. Equal for graphs with the same nodes and edges, created in the
  /// same order, with the same boundaries.
  [[nodiscard]] std::uint64_t structure() const;

private:
  static constexpr std::uint32_t none = 0;   // the number of the root, which does not occur below
  using Places = std::vector<std::uint32_t>; // latest first
  [[nodiscard]] Places placesOf(const Nodes &nodes) const;
  /// Gives the last node without a boundary one of its own, in each of `joint_`: that takes no more
  /// timing nodes.
  void completeJoints();
  /// Those of `joint` that have no boundary of their own.
  [[nodiscard]] Places restOf(const Places &joint) const;

  const Shape &shape_;
  // The requested boundaries. Region::unfinished: not numbered yet.
  std::vector<std::uint32_t> alone_;      // behind a single node, like most; by its place
  std::set<Places> joint_;                // requested behind several nodes
  std::map<Places, std::uint32_t> rests_; // what is left of those: several nodes
  JaggedArray<std::size_t> ordered_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_BOUNDARIES_H

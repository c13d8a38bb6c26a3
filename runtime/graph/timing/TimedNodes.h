// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Node mode: which nodes of a graph are timed, where each begins and ends, and which region each is
// in. A node begins where the last of those that it waits for ends: that boundary is theirs too, so
// a graph of n nodes has n boundaries and its root.

#ifndef GRAPHPROF_GRAPH_TIMING_TIMEDNODES_H
#define GRAPHPROF_GRAPH_TIMING_TIMEDNODES_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graph/timing/Boundaries.h"
#include "graph/timing/Lanes.h"
#include "graph/timing/RegionTable.h"
#include "graph/topology/NodeNames.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// The innermost region that a node is in, by its index; nodes that are in none have no entry.
using Owners = std::unordered_map<driver::Node, std::size_t>;

/// A region as far as nodes are concerned: what it begins and ends behind, by its number among the
/// frontiers.
struct Extent {
  std::uint32_t begin, end;
  int depth;
  /// It was not still open when the capture ended.
  [[nodiscard]] bool ends() const { return end != Region::unfinished; }
};
struct Extents {
  std::vector<Nodes> frontiers;
  std::vector<Extent> regions;
  OpenAtCapture open; ///< of a graph that was built: of no node anything is known
};
/// Whose nodes are found by what comes before what: in a region are those that come behind what it
/// begins behind (behind any of it), and before what it ends behind or among that, where it was
/// open when they were captured.
Owners ownersIn(const Shape &shape, const Extents &extents);

/// How many nodes of `graph` there are that would be timed, without those in `timing`.
std::size_t workNodesIn(driver::Graph graph, const std::vector<driver::Node> &timing);

/// Whether the graph of `shape` has nodes that would be timed.
bool holdsWork(const Shape &shape);

class TimedNodes {
public:
  /// As many nodes as the configuration leaves room for beside `regions`; the others are counted.
  static TimedNodes beside(std::size_t regions, const Shape &shape);

  /// Of a graph, at most `room` nodes of which are timed.
  TimedNodes(const Shape &shape, std::size_t room);

  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  /// How many nodes there was no room for.
  [[nodiscard]] std::size_t beyond() const { return beyond_; }
  /// The boundaries that they need.
  void want(Boundaries &boundaries) const;
  /// `regions` with the nodes among them, each behind the region that it is in, in the order in
  /// which they run.
  [[nodiscard]] std::vector<Region> among(std::vector<Region> regions, const Owners &owners,
                                          const Boundaries &boundaries) const;

private:
  struct TimedNode {
    driver::Node node;
    NodeWork work;
    Nodes behind; // what it waits for and takes time
  };
  [[nodiscard]] Region regionOf(const TimedNode &timed, int depth,
                                const Boundaries &boundaries) const;

  const Shape &shape_;
  std::size_t beyond_ = 0, refused_ = 0; // of the latter the driver does not say what they are
  std::vector<TimedNode> nodes_;         // each behind those that it waits for
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_TIMEDNODES_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// From a graph and its regions to what pictures of it need. Made where regions settle, and only
// while somebody wants pictures: it asks the driver what each node does.

#ifndef GRAPHPROF_GRAPH_TIMING_DRAWING_H
#define GRAPHPROF_GRAPH_TIMING_DRAWING_H

#include <cstdint>
#include <memory>
#include <span>

#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Shape.h"
#include "output/data/GraphNodes.h"

namespace graphprof {

/// A graph inside another: a child's, or a conditional node's body.
struct InnerGraph {
  driver::Node holder;
  std::shared_ptr<const RegionTable> table;
  std::uint32_t firstRegion; ///< what its first region is in the graph around it
  bool isBody = false;
};

/// Does anybody want them?
[[nodiscard]] bool wantsDrawings();

/// Null for want of memory: the graph is timed all the same. The graph of `shape`, without its
/// nodes `ours`. `regions` are the graph's, those of children among them and those of bodies not;
/// `owners` speak of the regions that are neither nodes nor a child's, in their order.
[[nodiscard]] std::shared_ptr<const GraphNodes>
draw(const Shape &shape, std::span<const driver::Node> ours, const Owners &owners,
     std::span<const Region> regions, std::span<const InnerGraph> inner) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_DRAWING_H

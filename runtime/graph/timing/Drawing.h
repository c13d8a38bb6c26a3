// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Describes a graph and its regions for pictures and recordings. Made when the regions are final,
// and only if an output wants it, because it asks the driver what each node does.

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

class Services;

/// A graph inside another one: of a child node, or a conditional node's body.
struct InnerGraph {
  driver::Node holder;
  std::shared_ptr<const RegionTable> table;
  std::uint32_t firstRegion; ///< the index of its first region in the graph around it
  bool isBody = false;
};

/// Describes the graph of `shape` without its nodes `ours`. `regions` are the graph's, including
/// those of children but not those of bodies. `owners` counts only the regions that are neither
/// nodes nor a child's. `device`: where it runs, if that is known; `gapNs`: GraphNodes::gapNs.
/// Null without memory: the graph is timed all the same.
[[nodiscard]] std::shared_ptr<const GraphNodes>
draw(const Shape &shape, std::span<const driver::Node> ours, const Owners &owners,
     std::span<const Region> regions, std::span<const InnerGraph> inner, const Device *device,
     std::int64_t gapNs, Services &services) noexcept;

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_DRAWING_H

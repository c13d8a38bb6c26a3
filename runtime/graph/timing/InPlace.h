// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Adds timing nodes to complete graphs: to the program's own, if it cannot be cloned (memory and
// conditional nodes, and the latter's bodies), and to clones with nodes that cannot be rebuilt. A
// captured graph that is recognized early enough gets its timing nodes during the capture instead
// (CaptureBoundaries.h).

#ifndef GRAPHPROF_GRAPH_TIMING_INPLACE_H
#define GRAPHPROF_GRAPH_TIMING_INPLACE_H

#include <functional>
#include <span>
#include <vector>

#include "clock/Clock.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Whether the graph contains a node that no graph can be cloned with, or the node is one.
bool isUnique(const Shape &shape);
bool isUnique(driver::Node node);
/// Whether it contains memory or conditional nodes: the driver then removes no node from it.
bool keepsNodes(const Shape &shape);

/// Adds the timing nodes of `boundaries` (by number, see Boundaries) to `graph`: the graph of
/// `shape`, or a copy in which `twinOf` finds a node. The device must be current. Each timing node
/// is a leaf. It waits only for what it follows, because chains of timing nodes lag in a finished
/// graph; the program's nodes wait for it only if the clock needs that. Returns nothing if the
/// driver refuses one; the graph is unchanged then.
Nodes addLeaves(GraphClock &clock, Device &device, const Shape &shape,
                const JaggedArray<std::size_t> &boundaries, driver::Graph graph,
                const std::function<driver::Node(driver::Node)> &twinOf);

/// Adds the edges of `timing`, which have none yet, by boundary. Everything begins behind the
/// first; the others wait for their `frontiers`, nodes of `graph`. If `blocksFollowers`, what comes
/// behind a frontier waits for the timing node, too, if it was captured later. Returns false if the
/// driver refuses.
bool linkTiming(driver::Graph graph, std::span<const driver::Node> timing,
                std::span<const Nodes> frontiers, bool blocksFollowers);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_INPLACE_H

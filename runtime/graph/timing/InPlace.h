// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Timing nodes in graphs as they stand: the program's own, where they cannot be cloned (memory and
// conditional nodes, and the bodies of those), and clones with nodes that cannot be rebuilt. What
// of a capture is known early enough to be such a graph is marked while it is captured (Registry);
// the rest is for here.

#ifndef GRAPHPROF_GRAPH_TIMING_INPLACE_H
#define GRAPHPROF_GRAPH_TIMING_INPLACE_H

#include <functional>
#include <span>
#include <vector>

#include "clock/Clock.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Whether the graph holds what no graph can be cloned with, or the node is that.
bool isUnique(const Shape &shape);
bool isUnique(driver::Node node);

/// Adds the timing nodes of `boundaries` (by number, as Boundaries says it) to `graph`, the one of
/// `shape` or a copy of it, on the current device, in which `twinOf` finds a node. Each is a leaf:
/// it hangs on nothing but what it follows, and holds up nothing but where the clock needs that,
/// for in a finished graph chains of them lag. Empty where the driver refuses one: then the graph
/// is as it was.
Nodes addLeaves(GraphClock &clock, Device &device, const Shape &shape,
                const JaggedArray<std::size_t> &boundaries, driver::Graph graph,
                const std::function<driver::Node(driver::Node)> &twinOf);

/// Links `timing`, which stand by themselves in `graph`, by boundary: everything begins behind the
/// first; the others wait for their `frontiers`, nodes of that graph. With `holdsUp` what comes
/// behind a frontier waits for the timing node as well, if it was captured later. False where the
/// driver refuses.
bool linkTiming(driver::Graph graph, std::span<const driver::Node> timing,
                std::span<const Nodes> frontiers, bool holdsUp);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_INPLACE_H

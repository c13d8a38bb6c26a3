// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The edges between the program's nodes and the timing nodes of a capture. In the program's graph
// there are none: taking a node out that another has an edge to reorders the others' edges, and by
// that order the driver pairs the nodes of two graphs in cudaGraphExecUpdate. They are added to the
// clone, in which nobody looks; each timing node has its place there by when it was captured, which
// is what makes graphs fast.

#ifndef GRAPHPROF_GRAPH_LINKS_H
#define GRAPHPROF_GRAPH_LINKS_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

/// Links `timing`, nodes of `graph`, by boundary: everything begins behind the first; the others
/// wait for their `frontiers`, nodes of that graph too. With `holdsUp` what comes behind a frontier
/// waits for the timing node as well, if it was captured later. False where the driver refuses.
bool linkTiming(driver::Graph graph, std::span<const driver::Node> timing,
                std::span<const std::vector<driver::Node>> frontiers, bool holdsUp);

/// The same number for graphs of the same nodes and edges, created in the same order, with the same
/// ones among them for `timing`. None where the driver does not tell.
std::optional<std::uint64_t> structureOf(driver::Graph graph, std::span<const driver::Node> timing);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_LINKS_H

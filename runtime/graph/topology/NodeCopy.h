// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies one node of the program into another graph. The driver tells the parameters of every node
// with which a graph can be cloned, even of libraries' kernels. (The runtime API does not.)

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H

#include <span>

#include "cuda/DriverApi.h"

namespace graphprof {

/// Adds a node to `graph`, behind `dependencies`, that does what `node` does. `type` is the type of
/// `node`. Uses the current context if nothing tells the node's own. Returns null if the driver
/// refuses, or the type cannot be copied (allocations, frees, conditional nodes, external
/// semaphores).
driver::Node copyOf(driver::Node node, driver::NodeType type, driver::Graph graph,
                    std::span<const driver::Node> dependencies);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H

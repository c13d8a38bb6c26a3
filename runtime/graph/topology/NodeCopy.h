// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Copies one node of the program into another graph. The driver tells the parameters of every node
// with which a graph can be cloned, even of libraries' kernels. (The runtime API does not.)

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H

#include <span>

#include "cuda/DriverApi.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Adds a node to `graph`, behind `dependencies`, with every parameter and attribute that `node`
/// has. `type` is the type of `node`. A copy or memset gets the current context if nothing tells
/// its own. Returns null if the driver refuses, or gives a kernel another context, or if the type
/// cannot be copied (allocations, frees, external semaphores, conditional nodes: the handle that
/// kernels set belongs to the program's graph, and is among their arguments).
driver::Node copyOf(driver::Node node, driver::NodeType type, driver::Graph graph,
                    std::span<const driver::Node> dependencies);

/// The same for a kernel node, but the copy runs the kernel's timed twin: `twin`, which has one
/// parameter more, before the kernel's `parameters`: a device::Recording that writes nothing.
driver::Node copyAsTwin(driver::Node node, driver::Function twin, unsigned parameters,
                        driver::Graph graph, std::span<const driver::Node> dependencies);

/// Whether copyOf() puts every node of this graph in its own context. Before CUDA 13.2 the driver
/// tells that of kernels only, and where memory is. That does not tell where a copy or memset runs
/// in a graph with kernels in green contexts.
[[nodiscard]] bool tellsContexts(const Shape &shape);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H

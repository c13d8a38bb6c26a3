// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// One node of the program's, made once more. The driver tells the parameters of every node that a
// graph may be cloned with, those of libraries' kernels included; only the runtime does not.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H

#include <span>

#include "cuda/DriverApi.h"

namespace graphprof {

/// Adds to `graph`, behind `dependencies`, a node that does what `node` of another graph does,
/// which is of that type; in the current context where nothing tells which is its own. Null where
/// the driver refuses, or it is of a kind that is not known here (external semaphores, batches of
/// memory operations).
driver::Node copyOf(driver::Node node, driver::NodeType type, driver::Graph graph,
                    std::span<const driver::Node> dependencies);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NODECOPY_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Compares a graph with a copy of it that holds further nodes, node by node: type, every parameter
// and attribute that the driver tells, contexts, edges with their data. For the simulation and for
// GPUs. Knows nothing of graphprof.

#ifndef GRAPHPROF_TEST_SUPPORT_SAMEGRAPH_H
#define GRAPHPROF_TEST_SUPPORT_SAMEGRAPH_H

#include <cuda.h>

#include <functional>
#include <string>
#include <vector>

namespace graphprof::test {

/// The node of the copy that does what a node of the graph does, at any depth of child graphs.
/// Null: there is none.
using TwinOf = std::function<CUgraphNode(CUgraphNode)>;

/// A line for each difference: "node 2 (kernel): attribute 8 differs". Nodes of `copy` that are
/// nobody's twin may stand between others, but order nothing that the graph does not order. In a
/// child graph of which no node has a twin, each is compared with the next one that is like it.
std::vector<std::string> differences(CUgraph graph, CUgraph copy, const TwinOf &twinOf);

/// The same for two nodes of the same type; what is wrong without its node.
std::vector<std::string> differences(CUgraphNode node, CUgraphNode twin);

} // namespace graphprof::test

#endif // GRAPHPROF_TEST_SUPPORT_SAMEGRAPH_H

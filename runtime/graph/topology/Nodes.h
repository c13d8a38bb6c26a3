// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A graph's nodes and edges, as the driver lists them. nullopt if it does not.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_NODES_H
#define GRAPHPROF_GRAPH_TOPOLOGY_NODES_H

#include <optional>
#include <span>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

std::optional<std::vector<driver::Node>> nodesOf(driver::Graph graph);

/// from[i] comes before to[i].
struct Edges {
  std::vector<driver::Node> from, to;
  std::vector<driver::EdgeData> data;
};
std::optional<Edges> edgesOf(driver::Graph graph);

/// The nodes without successors.
std::optional<std::vector<driver::Node>> sinksOf(driver::Graph graph);

/// The context of the graph's first kernel. Null if there is no kernel, or the driver does not
/// tell.
driver::Context contextOfKernels(driver::Graph graph);

/// A node's neighbours on one side, and the edges to them.
enum class Side : std::uint8_t { Before, After };
struct Neighbours {
  std::vector<driver::Node> nodes;
  std::vector<driver::EdgeData> edges;
};
std::optional<Neighbours> neighboursOf(driver::Node node, Side side);

/// The counterparts of `nodes` in `clone`, in their order; nullopt if one is not found.
std::optional<std::vector<driver::Node>> findTwins(std::span<const driver::Node> nodes,
                                                   driver::Graph clone);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_NODES_H

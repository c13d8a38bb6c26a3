// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The timing nodes of a profiled graph and of the graphs in its child nodes, as a tree: CUDA finds
// a node only in a clone of the node's own graph.

#ifndef GRAPHPROF_GRAPH_TIMING_TIMINGNODES_H
#define GRAPHPROF_GRAPH_TIMING_TIMINGNODES_H

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

struct TimingNodes {
  driver::Node holder = nullptr;     ///< the child node that holds the graph; null: none
  int depth = 0;                     ///< how many regions are open around that node
  std::uint64_t structure = 0;       ///< RegionTable::structure of the graph
  std::vector<driver::Node> own;     ///< by boundary
  std::vector<TimingNodes> children; ///< their boundaries follow, in this order

  void setHolder(driver::Node node, int regionsAround, std::uint64_t structureOfGraph);
  /// The number of boundaries, including those of the children.
  [[nodiscard]] std::uint32_t size() const;
  /// The same nodes in a clone of the graph; nullopt if the driver does not find one.
  [[nodiscard]] std::optional<TimingNodes> in(driver::Graph clone) const;
  /// Appends all nodes to `nodes`, by boundary.
  void appendTo(std::vector<driver::Node> &nodes) const;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_TIMINGNODES_H

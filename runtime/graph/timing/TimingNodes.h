// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The timing nodes of a profiled graph, and of the graphs that its child nodes hold, level by
// level: CUDA finds a node in a clone of its own graph only.

#ifndef GRAPHPROF_GRAPH_TIMING_TIMINGNODES_H
#define GRAPHPROF_GRAPH_TIMING_TIMINGNODES_H

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

struct TimingNodes {
  driver::Node holder = nullptr;     ///< the child node that holds the graph; null: none does
  int depth = 0;                     ///< how many regions stand around that one
  std::uint64_t structure = 0;       ///< RegionTable::structure of the graph
  std::vector<driver::Node> own;     ///< by boundary
  std::vector<TimingNodes> children; ///< their boundaries follow, in this order

  void setHolder(driver::Node node, int regionsAround, std::uint64_t structureOfGraph);
  /// How many there are, with those of the children.
  [[nodiscard]] std::uint32_t size() const;
  /// The same in a clone of the graph; nullopt where the driver does not find one.
  [[nodiscard]] std::optional<TimingNodes> in(driver::Graph clone) const;
  /// Adds all of them to `nodes`, by boundary.
  void appendTo(std::vector<driver::Node> &nodes) const;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_TIMINGNODES_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which graphs know a node: a registry knows its twin, a graph under construction the region that
// contains it. Every graph has nodes and few programs ask, so nothing is indexed until somebody
// does; until then a graph is only new here. Handles may be reused, and a node of a child graph is
// in several graphs, so the caller checks each graph that is found.

#ifndef GRAPHPROF_GRAPH_REGISTRY_NODEINDEX_H
#define GRAPHPROF_GRAPH_REGISTRY_NODEINDEX_H

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

/// Has no lock; its owner has one.
class NodeIndex {
public:
  /// The nodes of `graph` are not indexed yet, or have changed.
  void isNew(driver::Graph graph);
  /// The graphs whose nodes are not indexed, with the number of the last isNew().
  using News = std::unordered_map<driver::Graph, std::uint64_t>;
  [[nodiscard]] const News &news() const { return news_; }
  /// Indexes `nodes`, which were read when news() `said` this number for the graph. Does nothing if
  /// the number has changed.
  void put(driver::Graph graph, std::uint64_t said, std::span<const driver::Node> nodes);
  /// Indexes one more node.
  void add(driver::Graph graph, driver::Node node);
  void forget(driver::Graph graph) noexcept;
  void clear() noexcept;

  /// Searches only graphs whose nodes are indexed.
  [[nodiscard]] std::vector<driver::Graph> graphsOf(driver::Node node) const;

private:
  void drop(driver::Graph graph) noexcept;

  News news_;
  std::uint64_t said_ = 0; // the last number
  std::unordered_multimap<driver::Node, driver::Graph> graphs_;
  std::unordered_map<driver::Graph, std::vector<driver::Node>> nodes_; // the same by graph
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_NODEINDEX_H

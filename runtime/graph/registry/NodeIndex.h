// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which graphs have something to say of a node: a registry its twin, a graph that is being built
// the region that it is in. Every graph has nodes and few programs ask, so that nothing is noted
// until somebody does: until then a graph is only new here. Handles may be given out again, and a
// node of a child graph stands in more graphs than one: who asks looks in each that is found.

#ifndef GRAPHPROF_GRAPH_REGISTRY_NODEINDEX_H
#define GRAPHPROF_GRAPH_REGISTRY_NODEINDEX_H

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

/// No locks: its owner's.
class NodeIndex {
public:
  /// The nodes of `graph` are not known yet, or others by now.
  void isNew(driver::Graph graph);
  /// Of which graphs they are not known, and which isNew() said so last.
  using News = std::unordered_map<driver::Graph, std::uint64_t>;
  [[nodiscard]] const News &news() const { return news_; }
  /// They were these when news() had `said` of it; nothing where that is another one by now.
  void put(driver::Graph graph, std::uint64_t said, std::span<const driver::Node> nodes);
  /// Knows of one more.
  void add(driver::Graph graph, driver::Node node);
  void forget(driver::Graph graph) noexcept;
  void clear() noexcept;

  /// Of the graphs whose nodes are known.
  [[nodiscard]] std::vector<driver::Graph> graphsOf(driver::Node node) const;

private:
  void drop(driver::Graph graph) noexcept;

  News news_;
  std::uint64_t said_ = 0; // counts up
  std::unordered_multimap<driver::Node, driver::Graph> graphs_;
  std::unordered_map<driver::Graph, std::vector<driver::Node>> nodes_; // the same by graph
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_NODEINDEX_H

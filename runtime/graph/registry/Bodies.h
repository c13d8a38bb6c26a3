// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which graphs are bodies of which conditional nodes, as the program added them. Knows only
// handles. Registries time the bodies; Graphs::timeDeferred() decides when.
//
// The life of a body: CUDA makes it, empty, together with its node. The program captures into it or
// adds nodes at any time, before or after the capture of the graph around it ends. So a graph with
// conditional nodes, and everything that depends on it, waits until an exec is about to be made.
// The body is destroyed with its node, or with the graph around it.

#ifndef GRAPHPROF_GRAPH_REGISTRY_BODIES_H
#define GRAPHPROF_GRAPH_REGISTRY_BODIES_H

#include <cstddef>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

/// A conditional node, and its place among the regions of its graph.
struct Conditional {
  driver::Graph graph;
  driver::Node node;
  std::vector<driver::Graph> bodies;
  int depth;            ///< how many regions are open around it
  std::size_t position; ///< how many regions began before it
};

/// Has no lock; its owner has one.
class Bodies {
public:
  void add(Conditional conditional) { all_.push_back(std::move(conditional)); }
  [[nodiscard]] bool isBody(driver::Graph graph) const;
  [[nodiscard]] bool hold(driver::Graph graph) const;
  /// The conditional nodes of `graph` itself, in the order in which they were added.
  [[nodiscard]] std::vector<Conditional> of(driver::Graph graph) const;

  /// `graph` or `node` is destroyed. Returns the bodies that are destroyed with it, including
  /// nested ones.
  std::vector<driver::Graph> forget(driver::Graph graph);
  std::vector<driver::Graph> forget(driver::Node node);
  void clear() { all_.clear(); }

private:
  template <class Goes> std::vector<driver::Graph> forgetIf(Goes goes);

  std::vector<Conditional> all_; // few: a graph has a handful
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_BODIES_H

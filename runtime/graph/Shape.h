// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a graph of the program's looks like: its nodes and what they wait for. Read once; knows
// nothing of regions and changes nothing.

#ifndef GRAPHPROF_GRAPH_SHAPE_H
#define GRAPHPROF_GRAPH_SHAPE_H

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "cuda/DriverApi.h"

namespace graphprof {

using Nodes = std::vector<driver::Node>;

/// Where something begins or ends: behind these nodes, sorted, each once. None: where the replay
/// begins.
Nodes frontier(Nodes nodes);

class Shape {
public:
  explicit Shape(driver::Graph graph);

  /// The driver told.
  [[nodiscard]] bool known() const { return known_; }
  /// The nodes, each behind those that it waits for.
  [[nodiscard]] const Nodes &order() const { return order_; }
  /// Of a node: its place in order(), the nodes that it waits for, those that wait for it.
  [[nodiscard]] std::size_t position(driver::Node node) const { return at(node).position; }
  [[nodiscard]] const Nodes &before(driver::Node node) const { return at(node).before; }
  [[nodiscard]] const Nodes &after(driver::Node node) const { return at(node).after; }

private:
  struct Place {
    std::size_t position = 0;
    Nodes before, after;
  };
  [[nodiscard]] const Place &at(driver::Node node) const { return places_.at(node); }

  bool known_ = false;
  Nodes order_;
  std::unordered_map<driver::Node, Place> places_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_SHAPE_H

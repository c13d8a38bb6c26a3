// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Shape.h"

#include <algorithm>

#include "graph/Nodes.h"

namespace graphprof {

Nodes frontier(Nodes nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Shape::Shape(driver::Graph graph) {
  const auto edges = edgesOf(graph);
  const auto nodes = nodesOf(graph);
  if (!edges || !nodes)
    return;
  known_ = true;
  for (const driver::Node node : *nodes)
    places_.try_emplace(node);
  for (std::size_t i = 0; i < edges->from.size(); ++i) {
    places_[edges->to[i]].before.push_back(edges->from[i]);
    places_[edges->from[i]].after.push_back(edges->to[i]);
  }
  std::unordered_map<driver::Node, std::size_t> waiting;
  for (const driver::Node node : *nodes) {
    waiting[node] = at(node).before.size();
    if (at(node).before.empty())
      order_.push_back(node);
  }
  for (std::size_t next = 0; next < order_.size(); ++next) {
    Place &place = places_[order_[next]];
    place.position = next;
    for (const driver::Node node : place.after)
      if (--waiting[node] == 0)
        order_.push_back(node);
  }
}

} // namespace graphprof

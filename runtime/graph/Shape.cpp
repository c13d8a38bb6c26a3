// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Shape.h"

#include <algorithm>

#include "graph/Nodes.h"

namespace graphprof {

namespace {

// Where each number's entries begin, when there are as many as it occurs in `numbers`.
std::vector<std::size_t> beginsOf(const std::vector<std::size_t> &numbers, std::size_t count) {
  std::vector<std::size_t> begins(count + 1, 0);
  for (const std::size_t number : numbers)
    ++begins[number + 1];
  for (std::size_t i = 0; i < count; ++i)
    begins[i + 1] += begins[i];
  return begins;
}

} // namespace

Nodes frontier(Nodes nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Shape::Shape(driver::Graph graph) {
  auto nodes = nodesOf(graph);
  const auto edges = edgesOf(graph);
  if (!edges || !nodes)
    return;
  known_ = true;
  created_ = std::move(*nodes);
  numbers_.reserve(created_.size());
  for (const driver::Node node : created_)
    numbers_.emplace(node, numbers_.size());

  const std::size_t count = edges->from.size();
  std::vector<std::size_t> from(count), to(count);
  for (std::size_t i = 0; i < count; ++i) {
    from[i] = createdAt(edges->from[i]);
    to[i] = createdAt(edges->to[i]);
  }
  before_ = {beginsOf(to, created_.size()), Nodes(count)};
  after_ = {beginsOf(from, created_.size()), Nodes(count)};
  edges_.resize(count);
  std::vector<std::size_t> nextBefore = before_.begins, nextAfter = after_.begins;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = nextBefore[to[i]]++;
    before_.nodes[at] = edges->from[i];
    edges_[at] = edges->data[i];
    after_.nodes[nextAfter[from[i]]++] = edges->to[i];
  }
  sort();
}

void Shape::sort() {
  std::vector<std::size_t> waiting(created_.size());
  positions_.resize(created_.size());
  order_.reserve(created_.size());
  for (std::size_t i = 0; i < created_.size(); ++i) {
    waiting[i] = before_.of(i).size();
    if (waiting[i] == 0)
      order_.push_back(created_[i]);
  }
  for (std::size_t next = 0; next < order_.size(); ++next) {
    const std::size_t number = createdAt(order_[next]);
    positions_[number] = next;
    for (const driver::Node node : after_.of(number))
      if (--waiting[createdAt(node)] == 0)
        order_.push_back(node);
  }
}

} // namespace graphprof

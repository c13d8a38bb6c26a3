// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/NodeIndex.h"

#include <algorithm>

namespace graphprof {

void NodeIndex::isNew(driver::Graph graph) { news_.insert_or_assign(graph, ++said_); }

void NodeIndex::put(driver::Graph graph, std::uint64_t said, std::span<const driver::Node> nodes) {
  const auto news = news_.find(graph);
  if (news == news_.end() || news->second != said)
    return;
  drop(graph);
  for (const driver::Node node : nodes)
    add(graph, node);
  news_.erase(news);
}

// What is in graphs_ must be in nodes_, too, so that it is found when the graph is forgotten.
void NodeIndex::add(driver::Graph graph, driver::Node node) {
  nodes_[graph].push_back(node);
  graphs_.emplace(node, graph);
}

void NodeIndex::forget(driver::Graph graph) noexcept {
  news_.erase(graph);
  drop(graph);
}

void NodeIndex::drop(driver::Graph graph) noexcept {
  const auto known = nodes_.find(graph);
  if (known == nodes_.end())
    return;
  for (const driver::Node node : known->second) {
    const auto [first, last] = graphs_.equal_range(node);
    const auto here =
        std::find_if(first, last, [graph](const auto &each) { return each.second == graph; });
    if (here != last)
      graphs_.erase(here);
  }
  nodes_.erase(known);
}

void NodeIndex::clear() noexcept {
  news_.clear();
  graphs_.clear();
  nodes_.clear();
}

std::vector<driver::Graph> NodeIndex::graphsOf(driver::Node node) const {
  std::vector<driver::Graph> found;
  const auto [first, last] = graphs_.equal_range(node);
  for (auto each = first; each != last; ++each)
    found.push_back(each->second);
  return found;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Links.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "cuda/Driver.h"
#include "graph/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

using Nodes = std::vector<driver::Node>;
using Positions = std::unordered_map<driver::Node, std::size_t>;

// Nodes are listed in the order of their creation.
Positions positionsOf(const Nodes &nodes) {
  Positions positions;
  positions.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    positions.emplace(nodes[i], i);
  return positions;
}

// The nodes behind all of `frontier`.
Nodes behind(const Nodes &frontier,
             const std::unordered_map<driver::Node, std::unordered_set<driver::Node>> &after) {
  Nodes found;
  const auto all = after.find(frontier.front());
  if (all == after.end())
    return found;
  for (const driver::Node node : all->second)
    if (std::all_of(frontier.begin() + 1, frontier.end(), [&](driver::Node other) {
          const auto others = after.find(other);
          return others != after.end() && others->second.contains(node);
        }))
      found.push_back(node);
  return found;
}

} // namespace

bool linkTiming(driver::Graph graph, std::span<const driver::Node> timing,
                std::span<const std::vector<driver::Node>> frontiers, bool holdsUp) {
  const auto nodes = nodesOf(graph);
  const auto edges = edgesOf(graph);
  if (!nodes || !edges)
    return false;
  const std::unordered_set<driver::Node> ours(timing.begin(), timing.end());
  const std::unordered_set<driver::Node> waiting(edges->to.begin(), edges->to.end());
  Edges added;
  const auto link = [&](driver::Node from, driver::Node to) {
    added.from.push_back(from);
    added.to.push_back(to);
  };
  for (const driver::Node node : *nodes)
    if (!waiting.contains(node) && !ours.contains(node))
      link(timing.front(), node);
  for (std::size_t k = 1; k < timing.size(); ++k)
    for (const driver::Node node : frontiers[k])
      link(node, timing[k]);

  if (holdsUp) {
    const Positions positions = positionsOf(*nodes);
    std::unordered_map<driver::Node, std::unordered_set<driver::Node>> after;
    for (std::size_t i = 0; i < edges->from.size(); ++i)
      after[edges->from[i]].insert(edges->to[i]);
    for (std::size_t k = 1; k < timing.size(); ++k) {
      Nodes later = behind(frontiers[k], after);
      std::erase_if(later, [&](driver::Node node) {
        return ours.contains(node) || positions.at(node) < positions.at(timing[k]);
      });
      std::sort(later.begin(), later.end(),
                [&](driver::Node a, driver::Node b) { return positions.at(a) < positions.at(b); });
      for (const driver::Node node : later)
        link(timing[k], node);
    }
  }
  const std::vector<driver::EdgeData> whole(added.from.size(), driver::EdgeData{});
  return added.from.empty() ||
         ok(cu().graphAddDependencies(graph, added.from.data(), added.to.data(), whole.data(),
                                      added.from.size()));
}

std::optional<std::uint64_t> structureOf(driver::Graph graph,
                                         std::span<const driver::Node> timing) {
  const auto nodes = nodesOf(graph);
  const auto edges = edgesOf(graph);
  if (!nodes || !edges)
    return std::nullopt;
  const Positions positions = positionsOf(*nodes);
  std::vector<std::size_t> numbers = {nodes->size()};
  for (const driver::Node node : timing) {
    const auto found = positions.find(node); // not, where it is one of a child graph's
    numbers.push_back(found == positions.end() ? nodes->size() : found->second);
  }
  for (std::size_t i = 0; i < edges->from.size(); ++i) {
    numbers.push_back(positions.at(edges->from[i]));
    numbers.push_back(positions.at(edges->to[i]));
  }
  return std::hash<std::string_view>()(std::string_view(
      reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(std::size_t)));
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/topology/Nodes.h"

#include <algorithm>
#include <unordered_set>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

std::optional<std::vector<driver::Node>> nodesOf(driver::Graph graph) {
  std::size_t count = 0;
  if (!ok(cu().graphGetNodes(graph, nullptr, &count)))
    return std::nullopt;
  std::vector<driver::Node> nodes(count);
  if (count > 0 && !ok(cu().graphGetNodes(graph, nodes.data(), &count)))
    return std::nullopt;
  return nodes;
}

std::optional<Edges> edgesOf(driver::Graph graph) {
  std::size_t count = 0;
  if (!ok(cu().graphGetEdges(graph, nullptr, nullptr, nullptr, &count)))
    return std::nullopt;
  Edges edges{std::vector<driver::Node>(count), std::vector<driver::Node>(count),
              std::vector<driver::EdgeData>(count)};
  if (count > 0 &&
      !ok(cu().graphGetEdges(graph, edges.from.data(), edges.to.data(), edges.data.data(), &count)))
    return std::nullopt;
  return edges;
}

std::optional<std::vector<driver::Node>> sinksOf(driver::Graph graph) {
  const auto edges = edgesOf(graph);
  auto nodes = nodesOf(graph);
  if (!edges || !nodes)
    return std::nullopt;
  const std::unordered_set<driver::Node> sources(edges->from.begin(), edges->from.end());
  std::erase_if(*nodes, [&](driver::Node node) { return sources.contains(node); });
  return nodes;
}

driver::Context contextOfKernels(driver::Graph graph) {
  for (const driver::Node node : nodesOf(graph).value_or(std::vector<driver::Node>())) {
    driver::NodeType type{};
    driver::KernelNodeParams params{};
    if (ok(cu().graphNodeGetType(node, &type)) && type == driver::NodeType::Kernel)
      return ok(cu().graphKernelNodeGetParams(node, &params)) ? params.context : nullptr;
  }
  return nullptr;
}

std::optional<Neighbours> neighboursOf(driver::Node node, Side side) {
  const auto list =
      side == Side::Before ? cu().graphNodeGetDependencies : cu().graphNodeGetDependentNodes;
  std::size_t count = 0;
  if (!ok(list(node, nullptr, nullptr, &count)))
    return std::nullopt;
  Neighbours found{std::vector<driver::Node>(count), std::vector<driver::EdgeData>(count)};
  if (count > 0 && !ok(list(node, found.nodes.data(), found.edges.data(), &count)))
    return std::nullopt;
  return found;
}

std::optional<std::vector<driver::Node>> findTwins(std::span<const driver::Node> nodes,
                                                   driver::Graph clone) {
  std::vector<driver::Node> twins(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!ok(cu().graphNodeFindInClone(&twins[i], nodes[i], clone)))
      return std::nullopt;
  return twins;
}

} // namespace graphprof

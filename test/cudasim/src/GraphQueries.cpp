// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Queries of graphs: nodes, roots, edges, neighbours.

#include "Device.h"
#include "Graph.h"

#include <algorithm>

namespace cudasim {
namespace {

// Returns a list as CUDA does: the count alone, or as many entries as the caller has room for.
template <typename T, typename Fill>
void giveList(std::size_t available, T *first, std::size_t *count, Fill &&fill) {
  if (!first) {
    *count = available;
    return;
  }
  for (std::size_t i = 0; i < *count; ++i)
    fill(i, i < available);
  *count = std::min(*count, available);
}

} // namespace

cudaError_t getNodes(Device &device, cudaGraph_t handle, cudaGraphNode_t *nodes,
                     std::size_t *count) {
  CUgraph_st *graph = findGraph(device, handle);
  if (!graph || !count)
    return cudaErrorInvalidValue;
  giveList(graph->nodes.size(), nodes, count,
           [&](std::size_t i, bool there) { nodes[i] = there ? graph->nodes[i].get() : nullptr; });
  return cudaSuccess;
}

cudaError_t getRoots(Device &device, cudaGraph_t handle, cudaGraphNode_t *nodes,
                     std::size_t *count) {
  CUgraph_st *graph = findGraph(device, handle);
  if (!graph || !count)
    return cudaErrorInvalidValue;
  std::vector<CUgraphNode_st *> roots;
  for (const auto &node : graph->nodes)
    if (node->in.empty())
      roots.push_back(node.get());
  giveList(roots.size(), nodes, count,
           [&](std::size_t i, bool there) { nodes[i] = there ? roots[i] : nullptr; });
  return cudaSuccess;
}

cudaError_t getEdges(Device &device, cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
                     cudaGraphEdgeData *edgeData, std::size_t *count) {
  CUgraph_st *graph = findGraph(device, handle);
  if (!graph || !count || !from != !to || (edgeData && !from))
    return cudaErrorInvalidValue;
  std::vector<std::pair<CUgraphNode_st *, Edge>> edges;
  for (const auto &node : graph->nodes)
    for (const Edge &edge : node->out)
      edges.emplace_back(node.get(), edge);
  if (from && !edgeData)
    for (const auto &[source, edge] : edges)
      if (carriesData(edge.data))
        return cudaErrorLossyQuery;
  giveList(edges.size(), from, count, [&](std::size_t i, bool there) {
    from[i] = there ? edges[i].first : nullptr;
    to[i] = there ? edges[i].second.node : nullptr;
    if (edgeData)
      edgeData[i] = there ? edges[i].second.data : cudaGraphEdgeData{};
  });
  return cudaSuccess;
}

cudaError_t getNeighbours(Device &device, Direction direction, cudaGraphNode_t handle,
                          cudaGraphNode_t *nodes, cudaGraphEdgeData *edgeData, std::size_t *count) {
  CUgraphNode_st *node = findNode(device, handle);
  if (!node || !count || (edgeData && !nodes))
    return cudaErrorInvalidValue;
  const std::vector<Edge> &edges = direction == Direction::In ? node->in : node->out;
  if (nodes && !edgeData && std::any_of(edges.begin(), edges.end(), [](const Edge &edge) {
        return carriesData(edge.data);
      }))
    return cudaErrorLossyQuery;
  giveList(edges.size(), nodes, count, [&](std::size_t i, bool there) {
    nodes[i] = there ? edges[i].node : nullptr;
    if (edgeData)
      edgeData[i] = there ? edges[i].data : cudaGraphEdgeData{};
  });
  return cudaSuccess;
}

} // namespace cudasim

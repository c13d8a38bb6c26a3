// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/formats/sqlite/SqliteGraphs.h"

#include <algorithm>
#include <cstddef>

#include "output/io/Json.h"

namespace graphprof::sqlite {

GraphRows::GraphRows(Database &database, std::int64_t run)
    : run_(run), database_(database),
      name_(database, "INSERT INTO graph_names VALUES (NULL,?,?,?,?)"),
      graph_(database, "INSERT OR REPLACE INTO graphs VALUES (?,?,?,?,?)"),
      noNodes_(database, "DELETE FROM graph_nodes WHERE run = ? AND graph = ?"),
      noEdges_(database, "DELETE FROM graph_edges WHERE run = ? AND graph = ?"),
      node_(database, "INSERT INTO graph_nodes VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"),
      edge_(database, "INSERT OR IGNORE INTO graph_edges VALUES (?,?,?,?,?)") {}

std::int64_t GraphRows::nameOf(const GraphName &serves) {
  constexpr std::size_t most = 10'000;
  if (const auto known = names_.find(serves.text); known != names_.end())
    return known->second;
  if (names_.size() >= most)
    names_.clear();
  name_.number(run_).text(serves.text).text(serves.name).text(jsonContext(serves.values)).run();
  return names_[serves.text] = database_.lastId();
}

// A later structure of a graph takes the place of the earlier one.
void GraphRows::add(const Batch &batch, const ById<std::int64_t> &regions) {
  for (const Batch::Graph &graph : newOf(batch.graphs, next_)) {
    next_ = graph.id + 1;
    const auto number = static_cast<std::int64_t>(graph.number);
    const bool isCounted = graph.counts.nodes > 0;
    graph_.number(run_)
        .number(number)
        .numberIf(isCounted, graph.counts.nodes)
        .numberIf(isCounted, graph.counts.edges)
        .numberIf(graph.nodes->multiprocessors > 0, graph.nodes->multiprocessors)
        .run();
    noNodes_.number(run_).number(number).run();
    noEdges_.number(run_).number(number).run();
    const auto &nodes = graph.nodes->nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const GraphNodes::Node &node = nodes[i];
      const auto place = static_cast<std::int64_t>(i);
      const std::uint64_t region = node.timed == GraphNodes::none ? 0 : graph.regions[node.timed];
      node_.number(run_)
          .number(number)
          .number(place)
          .text(node.type)
          .text(node.name)
          .numberIf(region != 0, region ? regions.of(region) : 0)
          .numberIf(node.timed != GraphNodes::none, node.timed)
          .numberIf(node.inside != GraphNodes::none, node.inside)
          .numberIf(node.blocks > 0, static_cast<std::int64_t>(node.blocks))
          .numberIf(node.threads > 0, node.threads)
          .numberIf(node.resident > 0, static_cast<std::int64_t>(node.resident))
          .numberIf(node.cudaNode != GraphNodes::none, node.cudaNode)
          .run();
      for (const std::uint32_t before : node.after)
        edge_.number(run_)
            .number(number)
            .number(place)
            .number(before)
            .number(std::ranges::binary_search(node.early, before) ? 1 : 0)
            .run();
    }
  }
}

} // namespace graphprof::sqlite

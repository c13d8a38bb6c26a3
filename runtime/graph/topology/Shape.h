// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The nodes of a program's graph and their order. Read once; changes nothing. Does not know
// regions.

#ifndef GRAPHPROF_GRAPH_TOPOLOGY_SHAPE_H
#define GRAPHPROF_GRAPH_TOPOLOGY_SHAPE_H

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "cuda/DriverApi.h"
#include "graph/topology/Newest.h"

namespace graphprof {

using Nodes = std::vector<driver::Node>;

/// Where something begins or ends: behind these nodes, sorted, without duplicates. Empty: the
/// replay's begin.
Nodes frontier(Nodes nodes);
inline Nodes frontier(std::span<const driver::Node> nodes) {
  return frontier(Nodes(nodes.begin(), nodes.end()));
}

class Shape {
public:
  explicit Shape(driver::Graph graph);

  /// Whether the driver listed the graph.
  [[nodiscard]] bool known() const { return known_; }
  /// The nodes in the order in which they were created.
  [[nodiscard]] const Nodes &created() const { return created_; }
  /// The nodes, each after those that it waits for.
  [[nodiscard]] const Nodes &order() const { return order_; }

  [[nodiscard]] bool has(driver::Node node) const { return places_.contains(node); }
  /// A node's place in created(), and in order().
  [[nodiscard]] std::size_t createdAt(driver::Node node) const { return places_.at(node); }
  [[nodiscard]] std::size_t position(driver::Node node) const {
    return positions_[createdAt(node)];
  }
  /// The nodes that it waits for; those that wait for it.
  [[nodiscard]] std::span<const driver::Node> before(driver::Node node) const {
    return before_.of(createdAt(node));
  }
  [[nodiscard]] std::span<const driver::Node> after(driver::Node node) const {
    return after_.of(createdAt(node));
  }
  /// The nodes without successors, as a frontier().
  [[nodiscard]] Nodes sinks() const;

  /// The type of the node at this place; nullopt if the driver does not tell. Asked once.
  [[nodiscard]] std::optional<driver::NodeType> typeOf(std::size_t place) const;
  /// The places of the nodes that wait for the node at this place.
  [[nodiscard]] std::span<const std::size_t> placesAfter(std::size_t place) const {
    return after_.placesOf(place);
  }
  /// The places of the nodes that the node at this place waits for, and the edges from them.
  [[nodiscard]] std::span<const std::size_t> placesBefore(std::size_t place) const {
    return before_.placesOf(place);
  }
  [[nodiscard]] std::span<const driver::EdgeData> edgesTo(std::size_t place) const {
    return {edges_.data() + before_.begins[place],
            before_.begins[place + 1] - before_.begins[place]};
  }
  [[nodiscard]] std::size_t edgeCount() const { return edges_.size(); }
  /// Sorts `places`, and keeps only those of nodes for which none of the others waits. May keep
  /// more if that takes long to find out (see Newest).
  void keepNewest(std::vector<std::uint32_t> &places) const;

private:
  // The neighbours of all nodes on one side, one node after the other.
  struct Neighbours {
    std::vector<std::size_t> begins; // by createdAt(), and the end of the last
    Nodes nodes;
    std::vector<std::size_t> places; // of each
    [[nodiscard]] std::span<const driver::Node> of(std::size_t place) const {
      return {nodes.data() + begins[place], begins[place + 1] - begins[place]};
    }
    [[nodiscard]] std::span<const std::size_t> placesOf(std::size_t place) const {
      return {places.data() + begins[place], begins[place + 1] - begins[place]};
    }
  };
  void sort();

  bool known_ = false;
  Nodes created_, order_;
  std::pmr::monotonic_buffer_resource memory_; // one block, not one for each node
  std::pmr::unordered_map<driver::Node, std::size_t> places_{&memory_};
  std::vector<std::size_t> positions_;
  mutable std::vector<std::optional<driver::NodeType>> types_; // of the nodes that were asked for
  Neighbours before_, after_;
  std::vector<driver::EdgeData> edges_;  // parallel to before_.nodes
  mutable std::optional<Newest> newest_; // of places; made when it is first asked
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TOPOLOGY_SHAPE_H

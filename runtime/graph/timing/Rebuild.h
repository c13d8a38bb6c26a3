// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Rebuilds a graph with timing nodes in it. The driver lays a graph out in the order in which its
// nodes were created, and a timing node is true and cheap only where it was created right behind
// the work that it follows: appended to a finished graph they lag (test/benchmark, "side chain,
// appended at the end", "stamps as leaves"). So the program's nodes are made once more, in their
// order, with the timing nodes between them. The program's own graph is only read.
//
//     program's      a ---- b ---- c           boundaries: behind {a}, behind {c}
//     rebuilt        root - a ----------- b - c
//                      \      \               \         each timing node also waits for those
//                     stamp 0 - stamp 1 ------- stamp 2     before it on its ways: a side chain
//
// A boundary that hangs on the launch completion of the kernel behind it (Edges.h) is created right
// behind that kernel.

#ifndef GRAPHPROF_GRAPH_TIMING_REBUILD_H
#define GRAPHPROF_GRAPH_TIMING_REBUILD_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "clock/Clock.h"
#include "graph/timing/Edges.h"
#include "graph/timing/SideChain.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Rebuild {
public:
  /// What child nodes are to hold instead of their graphs, by node.
  using Children = std::unordered_map<driver::Node, driver::Graph>;

  /// Into `graph`, an empty one on the current device, the graph of `shape` with the timing nodes
  /// of `boundaries`: by number, as Boundaries says it, each on its edge. All of them outlive this.
  Rebuild(GraphClock &clock, Device &device, const Shape &shape,
          const JaggedArray<std::size_t> &boundaries, const TimingEdges &edges,
          const Children &children, driver::Graph graph);

  /// False where the driver refuses, or a node is of a kind that cannot be made once more: then the
  /// graph is of no use.
  bool run();

  /// What everything else is behind.
  [[nodiscard]] driver::Node root() const { return root_; }
  /// By boundary.
  [[nodiscard]] const Nodes &timing() const { return timing_; }
  /// Of the program's nodes, by Shape::createdAt().
  [[nodiscard]] const Nodes &twins() const { return twins_; }
  /// The new nodes that none waits for.
  [[nodiscard]] Nodes sinks() const;

private:
  static constexpr std::uint32_t none = UINT32_MAX;
  // Nodes of the program's are spoken of by their places.
  bool addNode(std::size_t place);
  bool addBoundary(std::uint32_t boundary);
  [[nodiscard]] driver::Node makeBoundary(std::uint32_t boundary);
  /// The timing node at the begin of a kernel, which is to tell its end too.
  [[nodiscard]] driver::Node atBeginOf(std::size_t place);
  /// The place of the node that it is created behind.
  [[nodiscard]] std::size_t anchorOf(std::uint32_t boundary) const;
  [[nodiscard]] bool isAt(std::uint32_t boundary, StampEdge edge) const {
    return edges_.boundaries[boundary].edge == edge;
  }
  /// `node`, which is being added, waits for the timing node of `boundary`.
  void waitFor(std::uint32_t boundary);
  bool addLateEdges();
  [[nodiscard]] driver::Node made(std::size_t place, const Nodes &behind) const;
  /// Calls `use` with each boundary, of those that there are, all of which the node waits for.
  template <class Use> void forAllBefore(std::size_t place, Use use) const;

  GraphClock &clock_;
  Device &device_;
  const Shape &shape_;
  const JaggedArray<std::size_t> &boundaries_;
  const TimingEdges &edges_;
  const bool holdsUp_; // what comes behind a boundary has to wait for it
  const Children &children_;
  const driver::Graph graph_;

  driver::Node root_ = nullptr;
  Nodes timing_, twins_;
  std::vector<std::uint32_t>
      first_;                       // by node: the first boundary that begins with it; 0: none does
  std::vector<std::uint32_t> next_; // by boundary: the next one that begins with the same node
  SideChain chain_; // where boundaries hold up nothing: by the order in which they were created
  std::vector<std::uint32_t> created_,
      creation_; // boundaries in that order; by boundary, its place
  std::vector<std::uint32_t>
      heldBy_; // by node: the boundary that what follows it waits for; or none
  std::vector<SideChain::Front> at_;        // of a node: on the ways to it, or right behind it
  std::vector<bool> source_, timingSource_; // something waits for it
  struct LateEdge {
    std::size_t from, to;
    driver::EdgeData data;
  };
  std::vector<LateEdge> late_; // from nodes that were created behind their successors
  Nodes dependencies_;         // of what is being added: kept for its memory
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_REBUILD_H

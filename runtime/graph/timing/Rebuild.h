// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Rebuilds a graph with timing nodes in it. The driver lays out a graph in the order in which its
// nodes were created. A timing node reads the right time and costs little only if it was created
// right after the work that it follows. Timing nodes that are added to a finished graph lag
// (test/benchmark, "side chain, appended at the end", "stamps as leaves"). So the program's nodes
// are created again, in their order, with the timing nodes between them. The program's graph is
// only read.
//
//     program's      a ---- b ---- c           boundaries: behind {a}, behind {c}
//     rebuilt        root - a ----------- b - c
//                      \      \               \         each timing node also waits for those
//                     stamp 0 - stamp 1 ------- stamp 2     before it on its ways: a side chain
//
// A boundary on the launch completion of the kernel behind it (Edges.h) is created right after that
// kernel.

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
  /// The graphs that child nodes get instead of their own, by node.
  using Children = std::unordered_map<driver::Node, driver::Graph>;
  /// What a kernel's node runs instead of the kernel.
  struct Twin {
    driver::Function function;
    unsigned parameters; ///< of the kernel
  };
  using KernelTwins = std::unordered_map<std::size_t, Twin>; ///< by place

  /// Rebuilds the graph of `shape` in `graph`, an empty graph on the current device, with the
  /// timing nodes of `boundaries`: by number (see Boundaries), each on its edge. All arguments must
  /// outlive this.
  Rebuild(GraphClock &clock, Device &device, const Shape &shape,
          const JaggedArray<std::size_t> &boundaries, const TimingEdges &edges,
          const Children &children, const KernelTwins &kernelTwins, driver::Graph graph);

  /// Returns false if the driver refuses, or if a node cannot be created again. Then the graph is
  /// useless.
  bool run();

  /// Everything else is behind this node.
  [[nodiscard]] driver::Node root() const { return root_; }
  /// The timing nodes, by boundary.
  [[nodiscard]] const Nodes &timing() const { return timing_; }
  /// The copies of the program's nodes, by Shape::createdAt().
  [[nodiscard]] const Nodes &twins() const { return twins_; }
  /// The new nodes without successors.
  [[nodiscard]] Nodes sinks() const;

private:
  // From a node that was created after its successor.
  struct LateEdge {
    std::size_t from, to;
    driver::EdgeData data;
  };

  // `place` identifies a node of the program.
  bool addNode(std::size_t place);
  bool addBoundary(std::uint32_t boundary);
  [[nodiscard]] driver::Node makeBoundary(std::uint32_t boundary);
  /// The timing node at the begin of this kernel, which will also stamp its end.
  [[nodiscard]] driver::Node atBeginOf(std::size_t place);
  /// The place of the node after which it is created.
  [[nodiscard]] std::size_t anchorOf(std::uint32_t boundary) const;
  [[nodiscard]] bool isAt(std::uint32_t boundary, StampEdge edge) const {
    return edges_.boundaries[boundary].edge == edge;
  }
  /// The node that is being added waits for the timing node of `boundary`.
  void waitFor(std::uint32_t boundary);
  /// The program's node that is being added, at `place`, waits for those timing nodes that it
  /// joins. It need not wait for the nodes before them itself.
  void join(std::size_t place);
  bool addLateEdges();
  template <class Use> void forStampsBehind(const LateEdge &edge, Use use) const;
  [[nodiscard]] driver::Node made(std::size_t place, const Nodes &behind) const;
  /// Calls `use` for each existing boundary whose nodes the node at `place` all waits for.
  template <class Use> void forAllBefore(std::size_t place, Use use);
  /// Whether the node of the last forAllBefore() waits for all nodes of a boundary.
  [[nodiscard]] bool waitsForAll(std::size_t place, std::uint32_t boundary) const;

  GraphClock &clock_;
  Device &device_;
  const Shape &shape_;
  const JaggedArray<std::size_t> &boundaries_;
  const TimingEdges &edges_;
  const bool holdsUp_; // what comes behind a boundary must wait for it
  const bool chains_;  // timing nodes wait for those before them by the side chain
  const Children &children_;
  const KernelTwins &kernelTwins_;
  const driver::Graph graph_;

  driver::Node root_ = nullptr;
  Nodes timing_, twins_;
  std::vector<std::uint32_t> first_; // by node: the first boundary that begins with it; 0: none
  std::vector<std::uint32_t> next_;  // by boundary: the next one that begins with the same node
  SideChain chain_;                  // used if chains_; boundaries are in the order of creation
  std::vector<std::uint32_t> created_,
      creation_; // created_: boundaries in that order; creation_: the place of each boundary in it
  // The boundaries for which a node waits that is still to be added (Join), or none will.
  std::vector<std::uint32_t> unjoined_;
  std::vector<bool> taken_;    // by boundary: an event node waits for it
  std::vector<bool> isClosed_; // by boundary: in one branch, what is behind it waits for it
  // By node: behind the boundary at the begin of this kernel, for which event nodes behind it wait;
  // 0: none.
  std::vector<std::uint32_t> beginOf_;
  std::vector<SideChain::Front> at_;        // by node: the boundaries before it or right behind it
  std::vector<bool> source_, timingSource_; // something waits for it
  std::vector<LateEdge> late_;
  // Of the node that is being added; members to keep their memory.
  Nodes dependencies_;
  std::vector<SideChain::Front> joined_;      // the boundaries before it
  std::vector<std::size_t> before_, covered_; // by node: the place of the last node that waits for
                                              // it; that does so through a boundary
  std::vector<std::size_t> waitedFor_;        // by boundary: the last addition that waited for it
  std::size_t addition_ = 0;                  // of a node or a boundary, from 1
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_REBUILD_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Node mode: which nodes of a graph are timed, where each begins and ends, and which region
// contains it. A node begins where the last of the nodes that it waits for ends. That boundary
// exists already, so a graph of n nodes has n boundaries and its root.

#ifndef GRAPHPROF_GRAPH_TIMING_TIMEDNODES_H
#define GRAPHPROF_GRAPH_TIMING_TIMEDNODES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/timing/Boundaries.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/Span.h"
#include "graph/topology/NodeNames.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Services;

/// The index of the innermost region that contains a node. Nodes outside regions have no entry.
using Owners = std::unordered_map<driver::Node, std::size_t>;

/// A region as a range of nodes. Its begins and its end are numbers among the frontiers.
struct Extent {
  // NOLINTNEXTLINE(readability-redundant-member-init): a designated initializer may omit it
  std::vector<std::uint32_t> begins = {}; ///< it begins with the first thing behind one of these
  std::uint32_t end = Region::unfinished;
  int depth = 0;
  bool isEmpty = false; ///< it has no nodes
  /// The nodes that were added while it was open: places in Extents::captured, from `first` up to
  /// `last`. They are its own if it `knowsNodes`; else those of them that its boundaries are
  /// around.
  std::size_t first = 0, last = 0;
  bool knowsNodes = false;

  /// False if the region was still open when the capture ended, or its end is not known.
  [[nodiscard]] bool ends() const { return end != Region::unfinished; }
};
struct Extents {
  std::vector<Nodes> frontiers;
  std::vector<Extent> regions;
  Nodes captured; ///< as they were created in the capture; null: destroyed, or graphprof's. Empty:
                  ///< when the nodes of regions were added is not known
  /// Gives `region` the begins and the end of `span`.
  void place(Extent &region, Span span);
  /// The nodes of such a region that are in the graph of `shape`.
  [[nodiscard]] Nodes nodesOf(const Extent &region, const Shape &shape) const;
  /// `node` is about to be destroyed. Its handle may be reused.
  void forget(driver::Node node);
};
/// Finds the region of each node. If the nodes of a region are not known, they follow from the
/// order: it contains the nodes behind one of those that it begins behind, and up to those that it
/// ends behind, if they were added while it was open.
Owners ownersIn(const Shape &shape, const Extents &extents);
/// Whether anything asks for owners: nodes that are timed or drawn, or regions inside kernels.
[[nodiscard]] bool wantsOwners(const Services &services);

/// The number of nodes in `graph` that would be timed, without those in `timing`.
std::size_t workNodesIn(driver::Graph graph, const std::vector<driver::Node> &timing);

/// Whether the graph of `shape` has nodes that would be timed.
bool holdsWork(const Shape &shape);

class TimedNodes {
public:
  /// As many nodes as the configuration allows beside `regions`. Counts the others as lost.
  static TimedNodes beside(std::size_t regions, const Shape &shape, Services &services);

  /// Times at most `room` nodes of the graph.
  TimedNodes(const Shape &shape, std::size_t room, Services &services);

  /// Times only the nodes at `places`, in order, besides what the others say of them.
  TimedNodes(const Shape &shape, const std::vector<std::size_t> &places, Services &services);

  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  /// The number of nodes that did not fit.
  [[nodiscard]] std::size_t beyond() const { return beyond_; }
  /// Requests the boundaries of these nodes.
  void want(Boundaries &boundaries) const;
  /// Adds the nodes to `regions`, each behind the region that contains it, in the order in which
  /// they run.
  [[nodiscard]] std::vector<Region> among(std::vector<Region> regions, const Owners &owners,
                                          const Boundaries &boundaries) const;

  /// The one at that place; nullopt if it is not timed.
  [[nodiscard]] std::optional<Region> at(std::size_t place, const Boundaries &boundaries) const;

private:
  TimedNodes(const Shape &shape, std::size_t room, const std::vector<std::size_t> *only,
             Services &services);
  struct TimedNode {
    driver::Node node;
    NodeWork work;
    Nodes behind; // the nodes that it waits for and that take time
  };
  [[nodiscard]] Region regionOf(const TimedNode &timed, int depth,
                                const Boundaries &boundaries) const;
  /// Leaves out nodes for which others of `behind` wait.
  [[nodiscard]] Nodes newest(Nodes behind) const;

  const Shape &shape_;
  std::size_t beyond_ = 0, refused_ = 0; // refused_: nodes whose type the driver does not tell
  std::vector<TimedNode> nodes_;         // each after those that it waits for
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_TIMEDNODES_H

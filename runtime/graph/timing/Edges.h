// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What each boundary's timing node hangs on: chosen from what the graph is, in one place. The first
// row that holds:
//
//   the graph around the boundary                  | hangs on                    | and reads
//   -----------------------------------------------+-----------------------------+-----------------
//   it is behind a kernel that lets its followers  | that kernel's programmatic  | that one's end
//   begin early                                    | port, and waits on device   |
//   it ends the graph, behind a kernel at whose    | that one's node, which      | the kernel's end
//   launch completion one other boundary hangs     | waits on the device         |
//   one node follows, a kernel, which waits for    | launch completion of that   | the begin of
//   nothing else (edges that others imply aside),  | kernel                      | what follows
//   has no programmatic edge, and                  |                             |
//   leaves room on the device; and no copy, memset |                             |
//   or host function lies between the boundary     |                             |
//   before and this one                            |                             |
//   anything else: a join, a fork, an end          | completion                  | the end
//
// At completion the graph forks between two kernels of its critical path, which costs; at launch
// completion it forks while a kernel runs. Where a kernel's grid fills the device, or takes several
// waves, launch completion comes near the kernel's end: it would be no begin.
//
// In a graph with event nodes every fork that is not joined at once costs more than what is
// measured: there what follows a kernel waits for the stamp at its begin too (`isJoined`), which is
// over long before the kernel is. Event nodes take no time of their own, so they count as the edges
// through them.

#ifndef GRAPHPROF_GRAPH_TIMING_EDGES_H
#define GRAPHPROF_GRAPH_TIMING_EDGES_H

#include <cstddef>
#include <vector>

#include "clock/Clock.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Of one boundary.
struct BoundaryEdge {
  StampEdge edge = StampEdge::Completion;
  std::size_t at = 0; ///< the place of the kernel whose port that is; of Completion nothing
  bool operator==(const BoundaryEdge &) const = default;
};

struct TimingEdges {
  std::vector<BoundaryEdge> boundaries; ///< by number
  /// In the rebuilt graph what follows a kernel that a boundary hangs on, and what comes behind a
  /// boundary at completion, waits for the timing node too.
  bool isJoined = false;

  /// Every boundary waits for completion.
  static TimingEdges completion(std::size_t boundaries) {
    return {std::vector<BoundaryEdge>(boundaries), false};
  }
  [[nodiscard]] bool allComplete() const;
  /// As a RegionTable has them: empty where all wait for completion.
  [[nodiscard]] std::vector<StampEdge> kinds() const;
  /// As a RegionTable has them.
  [[nodiscard]] Nodes kernels(const Shape &shape) const;
  /// Another number for graphs whose boundaries hang on others: an exec of one cannot be updated
  /// from the other.
  [[nodiscard]] std::uint64_t structure() const;
};

/// Those of `boundaries`, by number as Boundaries says it, in the graph of `shape`, with what the
/// clock supports on the current device.
TimingEdges chooseEdges(const Shape &shape, const JaggedArray<std::size_t> &boundaries,
                        const EdgeSupport &support, const Device &device);

/// Whether an edge of the graph is programmatic, and whether it, or a child graph in it, has nodes
/// that record events or wait for them.
bool hasProgrammaticEdges(const Shape &shape);
bool hasEventNodes(const Shape &shape);
/// Whether `node` is one, or a child node that holds one.
bool holdsEventNodes(driver::Node node);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_EDGES_H

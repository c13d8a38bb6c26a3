// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides, in one place, what each boundary's timing node waits for. The first row that applies:
//
//   the graph around the boundary                  | waits for                   | and reads
//   -----------------------------------------------+-----------------------------+-----------------
//   it is behind a kernel that lets its followers  | that kernel's programmatic  | that one's end
//   begin early                                    | port, and waits on device   |
//   one node follows, a kernel, which waits for    | launch completion of that   | the begin of
//   nothing else (edges that others imply aside),  | kernel                      | what follows
//   has no programmatic edge, and                  |                             |
//   leaves room and time on the device; and no     |                             |
//   copy, memset or host function lies between the |                             |
//   boundary before and this one                   |                             |
//   the same in a graph with event nodes, without  | completion; the kernel      | the end
//   room, if the kernel may wait                   | waits for the stamp's begin |
//   the same without event nodes, if the kernel    | launch completion of the    | the end of the
//   before the boundary leaves room                | kernel before, and waits on | kernel before
//                                                  | the device                  |
//   anything else: a join, a fork, an end          | completion                  | the end
//
// Where either of the last two is behind a kernel at whose launch completion one other boundary
// waits, it has no node of its own: that one's stays on the device, and reads the end, too.
//
// A stamp at completion makes the graph fork between two kernels of its critical path, which costs
// time. At launch completion the graph forks while a kernel runs. If a kernel's grid fills the
// device, or runs in several waves, launch completion comes near the kernel's end, and does not
// tell its begin; nor does a stamp that has room, but no time to issue (Occupancy::leavesTime()).
// Beside such kernels a stamp at completion may come too late, when all of their blocks have begun.
//
// A fork that stays open costs each kernel behind it. In a graph of one branch without event nodes,
// a stamp that is far from the next one is joined into a kernel a little behind it
// (TimingEdges::joins), where it is over long before.
//
// In a graph with event nodes, every fork that is not joined costs more than what is measured.
// There, a kernel behind each stamp also waits for it (`isJoined`, Joins.h); a stamp at a kernel's
// begin is over long before that kernel ends. Without room for that, the stamp is in the chain: it
// waits for the work before the boundary, and lets the kernel behind it begin at once. Event nodes
// and empty nodes take no time, so they count as the edges through them. If such a graph has more
// than one branch, no kernel may wait, and no stamp is true (`isTrueIn()`).

#ifndef GRAPHPROF_GRAPH_TIMING_EDGES_H
#define GRAPHPROF_GRAPH_TIMING_EDGES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock/Clock.h"
#include "cuda/Occupancy.h"
#include "graph/timing/Joins.h"
#include "graph/timing/OwnEnds.h"
#include "graph/timing/RegionTable.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// The edge of one boundary.
struct BoundaryEdge {
  StampEdge edge = StampEdge::Completion;
  /// The place of the kernel with that port; for BeforeSuccessor, of the work before the boundary;
  /// unused for Completion.
  std::size_t at = 0;
  std::size_t next = 0; ///< for BeforeSuccessor: the place of the kernel behind it
  bool operator==(const BoundaryEdge &) const = default;
};

struct TimingEdges {
  std::vector<BoundaryEdge> boundaries; ///< by number
  std::vector<Join> joins;              ///< by number; of BeforeSuccessor, the kernel behind it
  /// The places, in order, of the program's nodes that wait for the root, if that hangs on no
  /// kernel.
  std::vector<std::size_t> behindRoot;
  bool isJoined = false;           ///< beside event nodes, the next kernel waits for each boundary
  std::vector<GapCause> gapCauses; ///< for RegionTable
  bool isOneBranch = false;        ///< likewise

  /// Every boundary waits for completion, and nothing for them but for the root.
  static TimingEdges completion(std::size_t boundaries, const RootJoins &ofRoot);
  [[nodiscard]] bool allComplete() const;
  /// For RegionTable: empty if all wait for completion.
  [[nodiscard]] std::vector<StampEdge> kinds() const;
  /// For RegionTable.
  [[nodiscard]] Nodes kernels(const Shape &shape) const;
  [[nodiscard]] std::vector<WaitingKernel> waiting(const Shape &shape) const;
  [[nodiscard]] std::vector<unsigned> threads() const;
  /// A number that differs for graphs with different edges, because an exec of one cannot be
  /// updated from the other.
  [[nodiscard]] std::uint64_t structure() const;
};

/// The edges of `boundaries` (by number, see Boundaries) in the graph of `shape`, with what the
/// clock supports on the current device. `ends`: whose stamps wait for completion because the ends
/// of kernels are to be read.
TimingEdges chooseEdges(const Shape &shape, const JaggedArray<std::size_t> &boundaries,
                        const EdgeSupport &support, const Device &device,
                        OwnEnds ends = OwnEnds::None);

/// Whether a stamp of so many threads on the launch completion of `kernel`, with `grid`, reads its
/// begin. `isJoined`: TimingEdges::isJoined.
bool beginIsRead(driver::Occupancy &occupancy, driver::Node kernel, const driver::Grid &grid,
                 unsigned threads, bool isJoined);

/// Whether each node comes behind all that were created before it, apart from event nodes and empty
/// ones.
bool hasOneBranch(const Shape &shape);

/// Whether stamps with this support can be true in the graph. Not in one with event nodes and more
/// than one branch.
bool isTrueIn(const Shape &shape, const EdgeSupport &support);
/// Whether the graph holds kernels, or nodes that may hold some. If not, all of its work may run
/// while the device is full, but a stamp not.
bool holdsKernels(const Shape &shape);
/// Whether the graph has programmatic edges; and whether it, or a child graph in it, has nodes that
/// record events or wait for them.
bool hasProgrammaticEdges(const Shape &shape);
bool hasEventNodes(const Shape &shape);
bool isEventNode(std::optional<driver::NodeType> type);
/// Whether `node` is one, or a child node that contains one.
bool holdsEventNodes(driver::Node node);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_EDGES_H

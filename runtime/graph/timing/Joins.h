// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides which nodes of the program may wait for a stamp, so that no program hangs because it is
// profiled.
//
// A stamp is a kernel. While the program's own work fills the device, in this graph or in another
// stream, a stamp does not start. If that work waits for a node of the program, and that node for
// the stamp, none of the three ever ends. So a node waits for a stamp only if
//
//   1. it is a kernel, each block of which needs at least what the stamp needs: wherever it could
//      start, the stamp can. Copies, memsets and host functions never wait. (A child node with
//      stamps, with which a replay begins, waits for the root: putBehindRoot() in Profile.cpp);
//   2. its graph has one branch: nothing else of the graph runs while the stamp does. For the root,
//      which comes before all branches, the first rule is enough.
//
// In a graph of one branch the event nodes and the kernel behind another kernel wait for a stamp at
// that one's begin, whatever they need; otherwise the times beside event nodes are not true. Such a
// stamp starts with the kernel, in room that the kernel leaves. It can be kept from starting only
// by another stream that fills the device within the microsecond in which both start.
//
// An event node that the event clock adds needs no place on the device. What is behind it waits for
// it in any graph.

#ifndef GRAPHPROF_GRAPH_TIMING_JOINS_H
#define GRAPHPROF_GRAPH_TIMING_JOINS_H

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "clock/Device.h"
#include "graph/topology/Reduction.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Which node of the program waits for a boundary's stamp.
struct Join {
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
  std::size_t by = nobody; ///< its place
  unsigned threads = 1;    ///< of the stamp: no more than a block of that node has
};

/// For the root of any graph: the kernels with which the graph begins and that may wait for it.
struct RootJoins {
  std::vector<std::size_t> by; ///< their places
  unsigned threads = 1;        ///< of the root
};
RootJoins joinsOfRoot(const Shape &shape, const Device &device);

/// The most threads of a root for which a child node that holds `graph` may wait: all nodes with
/// which that graph begins may. 0: it may not wait.
unsigned threadsOfRootBefore(driver::Graph graph, const Device &device);

/// Whether each node comes behind all that were created before it, apart from those that are
/// transparent in `reduction`.
bool hasOneBranch(const Shape &shape, const Reduction &reduction);

/// For the stamps of a graph with one branch.
class Joins {
public:
  /// Both must outlive this.
  Joins(const Shape &shape, const Reduction &reduction, const Device &device);

  /// The first kernel that was created after the stamp, which is added behind the node at `anchor`
  /// (nullopt: before all), that comes behind the nodes at `places`, and that may wait for the
  /// stamp.
  [[nodiscard]] Join behind(std::span<const std::size_t> places,
                            std::optional<std::size_t> anchor) const;
  /// The first kernel that was created after the kernel at `place`; nobody: there is none. It waits
  /// for a stamp at the begin of that one.
  [[nodiscard]] std::size_t kernelBehind(std::size_t place) const;
  /// The kernel at `place` itself, if it may wait for a stamp.
  [[nodiscard]] std::optional<Join> at(std::size_t place) const;

private:
  // By place: the most threads that a stamp for which the node waits may have; 0: it may not wait.
  std::vector<unsigned> threads_;
  std::vector<bool> isKernel_; // by place
  // By place: where the first node of the branch is that comes behind it; its own place for a node
  // of the branch; nobody: there is none.
  std::vector<std::size_t> reached_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_JOINS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What is to be timed in a graph, however it came to be: a recorder keeps the regions of a capture
// (CaptureRecorder) or of a graph that is built node by node (ExplicitGraph), and says what they
// are when the graph is about to be used.

#ifndef GRAPHPROF_GRAPH_REGISTRY_TIMINGREQUEST_H
#define GRAPHPROF_GRAPH_REGISTRY_TIMINGREQUEST_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// The regions have no boundaries yet, but for those of `marks`.
struct TimingRequest {
  std::vector<Region> regions;
  Extents extents; ///< of each region
  Owners owners;   ///< of nodes, where those are timed too or drawn
  Nodes marks;     ///< timing nodes that are in the graph: of the extents' frontiers, one each
};

class Recorder {
public:
  Recorder() = default;
  virtual ~Recorder() = default;
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  [[nodiscard]] virtual std::size_t regionCount() const = 0;
  [[nodiscard]] virtual bool hasRegions() const = 0;
  /// Whether timing nodes of its are in the program's graph.
  [[nodiscard]] virtual bool isMarked() const = 0;
  /// Of a capture; else of a graph that is built.
  [[nodiscard]] virtual bool isCapture() const = 0;

  /// The request for the graph of `shape`, as it is now. nullopt where it cannot be said; then
  /// `why` says why.
  virtual std::optional<TimingRequest> request(const Shape &shape, std::string &why) = 0;
  /// Nothing is to be timed: takes its timing nodes out of the program's graph.
  virtual void giveUp() = 0;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_TIMINGREQUEST_H

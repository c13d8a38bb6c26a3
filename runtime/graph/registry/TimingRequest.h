// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What to time in a graph, however it was made. A recorder keeps the regions of a capture
// (Capture) or of a graph that is built node by node (ExplicitGraph), and describes them
// when the graph is about to be used.

#ifndef GRAPHPROF_GRAPH_REGISTRY_TIMINGREQUEST_H
#define GRAPHPROF_GRAPH_REGISTRY_TIMINGREQUEST_H

#include <cstddef>
#include <memory>
#include <vector>

#include "Expected.h"
#include "graph/registry/OpenGraphNames.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// Only the regions of `marks` have boundaries already.
struct TimingRequest {
  std::vector<Region> regions;
  Extents extents; ///< of each region
  Owners owners;   ///< of nodes, if nodes are timed or drawn
  Nodes marks;     ///< timing nodes in the graph already, one for each of the extents' frontiers
  std::shared_ptr<const GraphName> serves; ///< what the graph serves; null: it has no name
};

class Recorder {
public:
  Recorder() = default;
  virtual ~Recorder() = default;
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  [[nodiscard]] virtual std::size_t regionCount() const = 0;
  [[nodiscard]] virtual bool hasRegions() const = 0;
  /// Whether its timing nodes are in the program's graph.
  [[nodiscard]] virtual bool isMarked() const = 0;
  /// Whether the program may capture the graph once more, so that it must get no timing nodes that
  /// cannot be taken out again (Recaptures.h). False if it holds some already.
  [[nodiscard]] virtual bool mayBeRecaptured() const = 0;
  /// True for a capture, false for a graph that is built by hand.
  [[nodiscard]] virtual bool isCapture() const = 0;

  /// What the graph serves: the name that the thread gave which began it or, without one, the
  /// thread that asks now. Null: neither gave one.
  [[nodiscard]] std::shared_ptr<const GraphName> serves() const {
    return serves_ ? serves_ : OpenGraphName::ofThisThread();
  }
  /// The request for the graph of `shape` in its present state, if that is possible.
  virtual Expected<TimingRequest> request(const Shape &shape) = 0;
  /// Nothing is to be timed: removes its timing nodes from the program's graph.
  virtual void giveUp() = 0;

protected:
  /// It is a copy of that one's graph.
  void serveAs(const Recorder &other) { serves_ = other.serves_; }

private:
  std::shared_ptr<const GraphName> serves_ = OpenGraphName::ofThisThread();
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_TIMINGREQUEST_H

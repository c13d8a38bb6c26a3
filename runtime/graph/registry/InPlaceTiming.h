// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Adds timing nodes to the program's own graph, or to a conditional node's body: for graphs that
// cannot be cloned. The graph inside a child node gets its timing nodes as leaves (ChildPlan.h).
// Each body gets a node that counts its iterations.

#ifndef GRAPHPROF_GRAPH_REGISTRY_INPLACETIMING_H
#define GRAPHPROF_GRAPH_REGISTRY_INPLACETIMING_H

#include <memory>
#include <span>
#include <vector>

#include "Expected.h"
#include "clock/Clock.h"
#include "graph/registry/Children.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"

namespace graphprof {

/// For one graph on the current device.
class InPlaceTiming {
public:
  /// `clock` and `use` must outlive this.
  InPlaceTiming(Services &services, GraphClock &clock, const GraphInUse &use)
      : services_(services), clock_(clock), use_(use) {}

  /// Times the regions of `request`. If the driver refuses, added nodes do nothing.
  Expected<std::shared_ptr<const TimedGraph>> run(TimingRequest request);

private:
  Expected<void> placeMarks(Device &device, TimingRequest &request);
  void timeChildren(Device &device);
  void giveUpChildren();
  /// Adds the nodes that count how often bodies run. Returns false if the driver refuses.
  [[nodiscard]] bool addCounts(Device &device);
  /// Ends the graph with a timing node; the first `own` ones are its own. Returns false likewise.
  [[nodiscard]] bool finish(Device &device, std::size_t own);
  /// All timing nodes write to `buffer`, which is that of `inPlace`.
  [[nodiscard]] std::shared_ptr<const TimedGraph>
  finished(std::shared_ptr<ReplayBuffer> buffer, const std::shared_ptr<InPlaceBuffer> &inPlace);
  [[nodiscard]] bool bind(ReplayBuffer &buffer) const;
  [[nodiscard]] std::vector<BodyTable> listBodies();
  [[nodiscard]] std::shared_ptr<const GraphNodes>
  drawn(std::span<const BodyTable> bodies) const noexcept;

  Services &services_;
  GraphClock &clock_;
  const GraphInUse &use_;

  TimedGraph timed_;
  std::vector<Region> regions_;
  Owners owners_; // of nodes, for a picture
  std::shared_ptr<const GraphName> serves_;
  std::vector<ChildUse> children_;
  TimedChildren timedChildren_;
  std::vector<driver::Node> counts_; // one for each body
};

/// Takes the timing nodes out of `graph`, which `timed` times in place: execs that were made of it
/// keep theirs. Returns false if the graph still holds some, because the driver lets nobody remove
/// nodes, or conditional nodes have their own in their bodies.
[[nodiscard]] bool removeTiming(const TimedGraph &timed, driver::Graph graph);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_INPLACETIMING_H

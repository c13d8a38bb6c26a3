// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Puts timing nodes into the program's own graph, or into the body of a conditional node: the way
// of graphs that cannot be copied. What a child node of such a graph holds gets its timing nodes as
// leaves (ChildPlan.h); each of its bodies gets a node that counts the iterations.

#ifndef GRAPHPROF_GRAPH_REGISTRY_INPLACETIMING_H
#define GRAPHPROF_GRAPH_REGISTRY_INPLACETIMING_H

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/Clock.h"
#include "graph/registry/Children.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"

namespace graphprof {

/// One graph's, on the current device.
class InPlaceTiming {
public:
  /// Both outlive this. A buffer that is `spoiled` when it is let go is not retired.
  InPlaceTiming(GraphClock &clock, const GraphInUse &use,
                std::shared_ptr<std::atomic<bool>> spoiled)
      : clock_(clock), use_(use), spoiled_(std::move(spoiled)) {}

  /// Times the regions of `request`. nullopt where the driver refuses; then `why` says why, and
  /// what was added does nothing.
  std::optional<TimedGraph> run(TimingRequest request, std::string &why);

private:
  bool placeMarks(Device &device, TimingRequest &request, std::string &why);
  void timeChildren(Device &device);
  void giveUpChildren();
  [[nodiscard]] bool bind(ReplayBuffer &buffer) const;
  [[nodiscard]] std::vector<BodyTable> listBodies();
  [[nodiscard]] std::shared_ptr<const GraphNodes>
  drawn(std::span<const BodyTable> bodies) const noexcept;

  GraphClock &clock_;
  const GraphInUse &use_;
  const std::shared_ptr<std::atomic<bool>> spoiled_;

  TimedGraph timed_;
  std::vector<Region> regions_;
  Owners owners_; // of nodes, for a picture
  std::vector<ChildUse> children_;
  TimedChildren timedChildren_;
  std::vector<driver::Node> counts_; // a body's each
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_INPLACETIMING_H

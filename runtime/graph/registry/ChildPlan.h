// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The boundaries of a child graph as places of its nodes, so that the same timing nodes can be
// added to any copy of it: to the graph in a child node if the graph around it is timed in place,
// and to what the program later gives that node of its exec. CUDA accepts that only if it is built
// the same way.

#ifndef GRAPHPROF_GRAPH_REGISTRY_CHILDPLAN_H
#define GRAPHPROF_GRAPH_REGISTRY_CHILDPLAN_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "clock/Clock.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimingNodes.h"
#include "graph/topology/JaggedArray.h"

namespace graphprof {

class ChildPlan;
struct TimedGraph;

/// A child node of a graph that is timed in place, and the timing nodes in its graph.
struct TimedChild {
  driver::Node holder;
  /// The bodies that contain the node, from the outermost on, as indices of RegionTable::bodies.
  /// Empty: it is in the graph itself.
  std::vector<std::size_t> bodies;
  BoundaryRange range; ///< among those of the graph or body that contains it
  std::shared_ptr<const ChildPlan> plan;
  driver::Node first; ///< the first of the timing nodes

  /// Whether `holder` is still that node. It may have been destroyed unseen, and its handle reused.
  [[nodiscard]] bool isThere() const;
};

/// The timed children of a graph, in the order of their boundaries.
using TimedChildren = std::vector<TimedChild>;

class ChildPlan {
public:
  /// Reads the plan from the rebuilt graph of `child`. Null if the driver does not tell.
  static std::shared_ptr<const ChildPlan> of(const TimedGraph &child);

  /// Adds the timing nodes to `held`, a copy of the child's graph, as leaves, in the order of their
  /// boundaries. `device` is the current one. nullopt if `held` is built differently or the driver
  /// refuses; it is unchanged then.
  [[nodiscard]] std::optional<TimingNodes> addTo(GraphClock &clock, Device &device,
                                                 driver::Graph held) const;

  /// The node that holds `timing` of `plan`, and the nodes inside it. Their boundaries begin with
  /// `first`.
  static std::vector<TimedChild> listed(const std::shared_ptr<const ChildPlan> &plan,
                                        const TimingNodes &timing, std::uint32_t first);

private:
  struct Inner {
    std::size_t place; ///< of the child node
    int depth;
    std::uint64_t structure;
    std::shared_ptr<const ChildPlan> plan;
  };
  static std::shared_ptr<const ChildPlan> read(driver::Graph graph, const TimingNodes &timing,
                                               std::span<const driver::Node> others);

  std::size_t nodes_ = 0;           // the number of the program's nodes
  JaggedArray<std::size_t> behind_; // by boundary: places in the order of creation
  std::vector<Inner> inner_;
};

/// Removes timing nodes again.
void removeLeaves(const TimingNodes &timing);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CHILDPLAN_H

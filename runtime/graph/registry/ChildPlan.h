// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a child graph's boundaries are, by the places of its nodes, so that the same timing nodes
// can be added to any copy of it: to the graph that a child node holds where the graph around it is
// timed in place, and to what the program gives that node of its exec later. CUDA takes that only
// where it is built alike.

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

/// A registry's profiled graph, which goes with the registry, and what is to be known to time
/// copies of it.
struct ProfiledGraph {
  driver::Graph graph = nullptr;
  driver::Node root = nullptr, final = nullptr;
  TimingNodes timing;
  std::shared_ptr<const RegionTable> table;
};

/// A child node of a graph that is timed in place, and the timing nodes in what it holds.
struct TimedChild {
  driver::Node holder;
  /// Which of the graph's bodies it is in, from the outermost on, by RegionTable::bodies; none: it
  /// is the graph's own.
  std::vector<std::size_t> bodies;
  BoundaryRange range; ///< among those of the graph, or body, that it is in
  std::shared_ptr<const ChildPlan> plan;
  driver::Node first; ///< of the timing nodes

  /// Whether `holder` is still that node: it may have gone unseen, and its handle be another's.
  [[nodiscard]] bool isThere() const;
};

/// Of a graph, in the order of their boundaries.
using TimedChildren = std::vector<TimedChild>;

class ChildPlan {
public:
  /// Read from the graph of `child`. Null where the driver does not tell.
  static std::shared_ptr<const ChildPlan> of(const ProfiledGraph &child);

  /// Adds the timing nodes to `held`, a copy of the child's graph, as leaves, in the order of their
  /// boundaries; `device` is the current one. nullopt where it is built in another way, or the
  /// driver refuses: then it is as it was.
  [[nodiscard]] std::optional<TimingNodes> addTo(GraphClock &clock, Device &device,
                                                 driver::Graph held) const;

  /// The node that holds `timing`, of `plan`, and those inside of it, whose boundaries begin with
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

  std::size_t nodes_ = 0;           // how many are the program's
  JaggedArray<std::size_t> behind_; // by boundary: places in the order of creation
  std::vector<Inner> inner_;
};

/// Takes timing nodes out again.
void removeLeaves(const TimingNodes &timing);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CHILDPLAN_H

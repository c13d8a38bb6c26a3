// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs with regions: each use is timed in the graph around it. In that graph's profiled
// graph, the child node holds the child's profiled graph, whose timing nodes become boundaries of
// the graph around it. The program's graphs stay as they are. If the graph around it is timed in
// place, so is the child node's graph (ChildPlan.h).

#ifndef GRAPHPROF_GRAPH_REGISTRY_CHILDREN_H
#define GRAPHPROF_GRAPH_REGISTRY_CHILDREN_H

#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/registry/ChildPlan.h"
#include "graph/registry/Registry.h"
#include "graph/registry/TimedGraph.h"
#include "graph/timing/Drawing.h"

namespace graphprof {

/// The graphs and nodes inside a child node, at any depth. Noted while the node is known to exist,
/// because it may be destroyed unseen.
struct ChildContents {
  explicit ChildContents(driver::Node holder) { add(holder); }
  void add(driver::Node holder);
  /// Whether `holder` holds exactly these.
  [[nodiscard]] bool isHeldBy(driver::Node holder) const;

  std::unordered_set<driver::Graph> graphs;
  std::unordered_set<driver::Node> nodes;
};

/// A child node that the program added, and what it held then.
struct ChildUse {
  driver::Graph graph; ///< that contains the node
  driver::Node node;
  std::shared_ptr<Registry> child;            ///< of the graph that was given
  std::shared_ptr<const TimedGraph> profiled; ///< the child's, rebuilt, in its state at that time
  TimedGraph::Pairs nodes; ///< nodes of the program's copy, with those of `profiled`
  int depth;               ///< how many regions are open around it
  std::size_t position;    ///< how many regions began before it
  std::shared_ptr<const ChildContents> held; ///< of the program's copy
  /// The program edited its copy, which therefore differs from `profiled`.
  bool edited = false;
};

/// Those of `uses` that can be timed on the current device in a graph of `shape` with `regions`
/// regions of its own. Counts the others as lost.
std::vector<ChildUse> timedAmong(std::span<const ChildUse> uses, const Shape &shape,
                                 std::size_t regions, const GraphClock &clock, Services &services);

/// Adds the timing nodes and regions of `children` to `timed` and `regions`, of the graph
/// `rebuilt`, whose child nodes hold their rebuilt graphs already. Returns false if the driver
/// refuses; then the graph is useless.
bool embedChildren(RebuiltGraph &rebuilt, TimedGraph &timed, std::vector<Region> &regions,
                   std::span<const ChildUse> children);

/// Adds the timing nodes `held` inside the nodes of `children`, and their regions, to `timing` and
/// `regions`.
void takeChildren(std::span<const ChildUse> children, std::span<const TimingNodes> held,
                  std::vector<driver::Node> &timing, std::vector<Region> &regions);

/// For a picture of the graph that contains `children` and has this many boundaries, of which
/// theirs are the last.
std::vector<InnerGraph> innerGraphs(std::span<const ChildUse> children, std::size_t boundaries,
                                    std::span<const Region> regions);

/// What an exec's child node may get: a copy of a child's rebuilt graph that publishes nothing, or
/// a copy of a child graph with the timing nodes of `plan`. Bind its timing nodes first.
class ChildCopy {
public:
  explicit ChildCopy(const TimedGraph &child);
  ChildCopy(driver::Graph child, const ChildPlan &plan, GraphClock &clock, Device &device);
  ~ChildCopy();
  ChildCopy(const ChildCopy &) = delete;
  ChildCopy &operator=(const ChildCopy &) = delete;

  [[nodiscard]] driver::Graph graph() const { return graph_; }
  /// By boundary; nullopt if the driver refused.
  [[nodiscard]] const std::optional<std::vector<driver::Node>> &timing() const { return timing_; }
  /// The same, level by level.
  [[nodiscard]] const std::optional<TimingNodes> &levels() const { return levels_; }

private:
  driver::Graph graph_ = nullptr;
  std::optional<TimingNodes> levels_;
  std::optional<std::vector<driver::Node>> timing_;
};

/// `table` with the regions of `child` instead of those of the boundaries `range`.
std::shared_ptr<const RegionTable> exchanged(const RegionTable &table, BoundaryRange range,
                                             const RegionTable &child);
/// A graph that is timed in place, or one of its bodies: its table and its times.
struct TimedPlace {
  const RegionTable *table;
  ReplayBuffer *buffer;
};
/// The graph or body, within the graph of `table`, that contains `child`.
TimedPlace placeOf(const TimedChild &child, const RegionTable &table, ReplayBuffer *buffer);
/// The node `holder` of the graph of `table` now holds a copy of `child`'s graph; null: of a graph
/// without regions. If that graph is built and timed like the previous one, `table` gets its
/// regions; otherwise it has none there from now on. Returns false if regions are lost.
bool exchangeIn(std::shared_ptr<const RegionTable> &table, const TimedChild &holder,
                const Registry *child, const Device *device);

/// Counts and reports that these are not timed, because their graph is not rebuilt and takes no
/// timing nodes.
void loseChildren(std::span<const ChildUse> uses, Services &services);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CHILDREN_H

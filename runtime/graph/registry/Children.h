// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs that have regions: each use is timed in the graph around it. In its profiled graph
// the child node holds the child's profiled graph, whose timing nodes become boundaries of the
// graph around it. The program's graphs are left alone. Where the graph around it is timed in
// place, so is what the child node holds (ChildPlan.h).

#ifndef GRAPHPROF_GRAPH_REGISTRY_CHILDREN_H
#define GRAPHPROF_GRAPH_REGISTRY_CHILDREN_H

#include <memory>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/registry/ChildPlan.h"
#include "graph/registry/Profile.h"
#include "graph/registry/Registry.h"
#include "graph/timing/Drawing.h"

namespace graphprof {

/// The graphs and nodes in what a child node holds, at any depth: noted while it is known to be
/// there, for it may be destroyed unseen.
struct Held {
  explicit Held(driver::Node holder) { add(holder); }
  void add(driver::Node holder);
  /// Whether these are what `holder` holds.
  [[nodiscard]] bool isHeldBy(driver::Node holder) const;

  std::unordered_set<driver::Graph> graphs;
  std::unordered_set<driver::Node> nodes;
};

/// A child node that the program added, and what it held then.
struct ChildUse {
  driver::Graph graph; ///< that the node is in
  driver::Node node;
  std::shared_ptr<Registry> child;               ///< of the graph that was given
  std::shared_ptr<const ProfiledGraph> profiled; ///< the child's, which stays as it was then
  Registry::Pairs nodes;            ///< of the program's copy, with those of `profiled`
  int depth;                        ///< how many regions are open around it
  std::size_t position;             ///< how many regions began before it
  std::shared_ptr<const Held> held; ///< of the program's copy
  /// The program edited its copy, which is not `profiled` without its timing nodes any more.
  bool edited = false;
};

/// Those of `uses` that can be timed in a graph of `shape` with so many regions of its own, on the
/// current device. The others are counted.
std::vector<ChildUse> timedAmong(std::span<const ChildUse> uses, const Shape &shape,
                                 std::size_t regions, const GraphClock &clock);

/// Takes the timing nodes and regions of `children` into `profile`, whose child nodes hold their
/// profiled graphs already. False where the driver refuses: then the graph is of no use.
bool embedChildren(Profile &profile, std::span<const ChildUse> children);

/// Takes the timing nodes `held`, of what the nodes of `children` hold, and the regions of those
/// into `timing` and `regions`.
void takeChildren(std::span<const ChildUse> children, std::span<const TimingNodes> held,
                  std::vector<driver::Node> &timing, std::vector<Region> &regions);

/// For a picture of the graph that they are in, which has so many boundaries, the last of them
/// theirs.
std::vector<InnerGraph> innerGraphs(std::span<const ChildUse> children, std::size_t boundaries,
                                    std::span<const Region> regions);

/// A copy of a child's profiled graph that publishes nothing, or of a child graph with the timing
/// nodes of `plan`: what an exec's child node may get. Its timing nodes are to be bound first.
class ChildCopy {
public:
  explicit ChildCopy(const ProfiledGraph &child);
  ChildCopy(driver::Graph child, const ChildPlan &plan, GraphClock &clock, Device &device);
  ~ChildCopy();
  ChildCopy(const ChildCopy &) = delete;
  ChildCopy &operator=(const ChildCopy &) = delete;

  [[nodiscard]] driver::Graph graph() const { return graph_; }
  /// By boundary; nullopt where the driver refused.
  [[nodiscard]] const std::optional<std::vector<driver::Node>> &timing() const { return timing_; }
  /// The same, level by level.
  [[nodiscard]] const std::optional<TimingNodes> &levels() const { return levels_; }

private:
  driver::Graph graph_ = nullptr;
  std::optional<TimingNodes> levels_;
  std::optional<std::vector<driver::Node>> timing_;
};

/// `table` with the regions of `child` in place of those that the boundaries `range` belong to.
std::shared_ptr<const RegionTable> exchanged(const RegionTable &table, BoundaryRange range,
                                             const RegionTable &child);
/// A graph that is timed in place, or one of its bodies: its table, and where its times are.
struct TimedPlace {
  const RegionTable *table;
  ReplayBuffer *buffer;
};
/// Of the graph of `table` the one that `child` is in.
TimedPlace placeOf(const TimedChild &child, const RegionTable &table, ReplayBuffer *buffer);
/// The node `holder` of the graph of `table` holds a copy of `child`'s graph now; null: of one
/// without regions. Where that is built and timed like the one before, `table` gets its regions,
/// else it has none there from now on. False where regions are lost.
bool exchangeIn(std::shared_ptr<const RegionTable> &table, const TimedChild &holder,
                const Registry *child, const Device *device);

/// Counts and says that these are not timed: their graph is not rebuilt, and takes no timing
/// nodes.
void loseChildren(std::span<const ChildUse> uses);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CHILDREN_H

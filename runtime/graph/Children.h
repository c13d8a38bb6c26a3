// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs that have regions: each use is timed in the graph around it. In its profiled graph
// the child node holds the child's profiled graph, whose timing nodes become boundaries of the
// graph around it. The program's graphs are left alone.

#ifndef GRAPHPROF_GRAPH_CHILDREN_H
#define GRAPHPROF_GRAPH_CHILDREN_H

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/Profile.h"
#include "graph/Registry.h"

namespace graphprof {

/// A child node that the program added, and what it held then.
struct ChildUse {
  driver::Graph graph; ///< that the node is in
  driver::Node node;
  std::shared_ptr<Registry> child; ///< of the graph that was given
  Registry::Pairs nodes;           ///< of the program's copy, with those of child->profiled()
  int depth;                       ///< how many regions are open around it
  std::size_t position;            ///< how many regions began before it
};

/// Those of `uses` that can be timed in a graph of `shape` with so many regions of its own, on the
/// current device. The others are counted.
std::vector<ChildUse> timedAmong(std::span<const ChildUse> uses, const Shape &shape,
                                 std::size_t regions, const GraphClock &clock);

/// Takes the timing nodes and regions of `children` into `profile`, whose child nodes hold their
/// profiled graphs already. False where the driver refuses: then the graph is of no use.
bool embedChildren(Profile &profile, std::span<const ChildUse> children);

/// A copy of a child's profiled graph that publishes nothing: what an exec's child node may get.
/// Its timing nodes are to be bound first.
class ChildCopy {
public:
  explicit ChildCopy(const Registry &child);
  ~ChildCopy();
  ChildCopy(const ChildCopy &) = delete;
  ChildCopy &operator=(const ChildCopy &) = delete;

  [[nodiscard]] driver::Graph graph() const { return graph_; }
  /// By boundary; nullopt where the driver refused.
  [[nodiscard]] const std::optional<std::vector<driver::Node>> &timing() const { return timing_; }

private:
  driver::Graph graph_ = nullptr;
  std::optional<std::vector<driver::Node>> timing_;
};

/// `table` with the regions of `child` in place of those that the boundaries `range` belong to.
std::shared_ptr<const RegionTable> exchanged(const RegionTable &table, BoundaryRange range,
                                             const RegionTable &child);

/// Counts and says that these are not timed: their graph is not made anew.
void loseChildren(std::span<const ChildUse> uses);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_CHILDREN_H

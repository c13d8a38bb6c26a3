// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Child graphs that have regions: each use is timed in the graph around it. Its profiled graph
// gets, in place of the child node, one that holds the child's profiled graph, whose timing nodes
// become boundaries of the graph around it. The program's graphs are left alone.

#ifndef GRAPHPROF_GRAPH_CHILDREN_H
#define GRAPHPROF_GRAPH_CHILDREN_H

#include <memory>
#include <span>
#include <utility>
#include <vector>

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

/// Puts the profiled graphs of the children into `profile`, in order. False where the driver
/// refuses: then the profile is spoilt.
bool embedChildren(Registry::Profile &profile, std::span<const ChildUse> uses,
                   const GraphClock &clock);

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

/// Counts and says that these are not timed: a graph that cannot be cloned cannot get other child
/// nodes.
void loseChildren(std::span<const ChildUse> uses);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_CHILDREN_H

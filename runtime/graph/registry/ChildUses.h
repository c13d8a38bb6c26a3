// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The child nodes that the program added whose graphs are timed, until an exec of the graph around
// them is timed in place.

#ifndef GRAPHPROF_GRAPH_REGISTRY_CHILDUSES_H
#define GRAPHPROF_GRAPH_REGISTRY_CHILDUSES_H

#include <memory>
#include <vector>

#include "Mutex.h"
#include "cuda/DriverApi.h"
#include "graph/registry/Children.h"

namespace graphprof {

class Services;

/// Any thread may call any member.
class ChildUses {
public:
  explicit ChildUses(Services &services) noexcept : services_(services) {}

  void add(ChildUse use) EXCLUDES(mutex_);
  /// Those in `graph`, in the order in which they were added.
  [[nodiscard]] std::vector<ChildUse> in(driver::Graph graph)EXCLUDES(mutex_);
  [[nodiscard]] bool anyIn(driver::Graph graph) EXCLUDES(mutex_);
  /// Returns those in `graph` and forgets them.
  [[nodiscard]] std::vector<ChildUse> takeFrom(driver::Graph graph) EXCLUDES(mutex_);

  /// The program gave a child node another graph, with the registry `child`; null: without regions.
  /// Returns false if that graph has regions but cannot be timed there.
  [[nodiscard]] bool exchanged(driver::Node node, const std::shared_ptr<Registry> &child)
      EXCLUDES(mutex_);
  /// The program edited `graph`, or a node of a graph. If a child node holds that graph, the child
  /// is not timed there any more. Returns the graphs around it.
  std::vector<driver::Graph> edited(driver::Graph graph, driver::Node node) EXCLUDES(mutex_);
  /// Notes those in `graph` for its clone.
  void cloned(driver::Graph graph, driver::Graph clone) EXCLUDES(mutex_);

  void forgetIn(driver::Graph graph) EXCLUDES(mutex_);
  void forget(driver::Node node) EXCLUDES(mutex_);
  void forgetAll() EXCLUDES(mutex_);

private:
  Services &services_;
  Mutex mutex_;
  std::vector<ChildUse> all_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CHILDUSES_H

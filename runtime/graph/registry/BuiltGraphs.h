// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The graphs that the program builds by hand, among them the bodies of conditional nodes, and which
// of their nodes are in regions. Does not know how they are timed.

#ifndef GRAPHPROF_GRAPH_REGISTRY_BUILTGRAPHS_H
#define GRAPHPROF_GRAPH_REGISTRY_BUILTGRAPHS_H

#include <atomic>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "Mutex.h"
#include "clock/Device.h"
#include "cuda/DriverApi.h"
#include "graph/registry/ExplicitGraph.h"
#include "graph/registry/NodeIndex.h"

namespace graphprof {

class Services;

/// Any thread may call any member. A null result: no such graph.
class BuiltGraphs {
public:
  BuiltGraphs(Services &services, Devices &devices) noexcept
      : services_(services), devices_(devices) {}

  /// Whether there is any.
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }
  /// `graph` is new and empty.
  void add(driver::Graph graph) EXCLUDES(mutex_);
  /// `graph` is a clone with these regions.
  void set(driver::Graph graph, std::shared_ptr<ExplicitGraph> built) EXCLUDES(mutex_);
  /// `node` of `graph` is in one of its regions.
  void nodeAdded(driver::Graph graph, driver::Node node) EXCLUDES(mutex_);

  [[nodiscard]] std::shared_ptr<ExplicitGraph> of(driver::Graph graph) EXCLUDES(mutex_);
  [[nodiscard]] bool hasRegions(driver::Graph graph) EXCLUDES(mutex_);
  /// Those that may have `node` in a region.
  [[nodiscard]] std::vector<std::shared_ptr<ExplicitGraph>> with(driver::Node node)
      EXCLUDES(mutex_);

  /// Those with regions on one of `devices`.
  [[nodiscard]] std::vector<driver::Graph> on(std::span<Device *const> devices) EXCLUDES(mutex_);

  /// Counts the regions that were never measured.
  void forget(driver::Graph graph) EXCLUDES(mutex_);
  void forgetAll() EXCLUDES(mutex_);

private:
  void count(const ExplicitGraph &forgotten);

  Services &services_;
  Devices &devices_;
  std::atomic<bool> any_{false};
  Mutex mutex_;
  std::unordered_map<driver::Graph, std::shared_ptr<ExplicitGraph>> graphs_ GUARDED_BY(mutex_);
  NodeIndex nodes_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_BUILTGRAPHS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The regions of a graph that the program builds node by node. A region consists of the nodes that
// were added while it was open, by the thread that opened it. The program's graph does not change.
// Each time an exec is made from it, the request describes the graph in its state at that time.

#ifndef GRAPHPROF_GRAPH_REGISTRY_EXPLICITGRAPH_H
#define GRAPHPROF_GRAPH_REGISTRY_EXPLICITGRAPH_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "Expected.h"
#include "Mutex.h"
#include "clock/Device.h"
#include "graph/registry/TimingRequest.h"

namespace graphprof {

class Services;

/// An open region as a graph under construction sees it.
struct BuildingScope {
  std::uint64_t began; ///< a value of ExplicitGraph::now()
  const Site *site;
  std::vector<Value> context;
};

/// One graph. Any thread may call any member.
class ExplicitGraph final : public Recorder {
public:
  /// A counter that orders the begins of regions and graphs.
  static std::uint64_t now();

  /// Call this when the graph is created, on one of `devices`.
  ExplicitGraph(Services &services, Devices &devices) : services_(services), devices_(devices) {}

  /// Whether the region began after the graph. A region that was open before the graph existed is
  /// not the graph's.
  [[nodiscard]] bool isWithin(const BuildingScope &scope) const { return scope.began > created_; }
  /// `node` was added while `scope` was open inside `depth` others. If the graph has as many
  /// regions as allowed, counts the region as lost.
  void add(const BuildingScope &scope, int depth, driver::Node node) EXCLUDES(mutex_);
  /// `node` is about to be destroyed.
  void remove(driver::Node node) EXCLUDES(mutex_);

  /// The device of its first node in a region; null before that.
  [[nodiscard]] Device *device() const EXCLUDES(mutex_);
  [[nodiscard]] bool hasRegions() const override EXCLUDES(mutex_);
  [[nodiscard]] std::size_t regionCount() const override EXCLUDES(mutex_);
  /// The number of regions that were never part of an exec.
  [[nodiscard]] std::size_t unused() const EXCLUDES(mutex_);

  /// A region without remaining nodes is left out.
  Expected<TimingRequest> request(const Shape &shape) override EXCLUDES(mutex_);
  void giveUp() override EXCLUDES(mutex_);
  [[nodiscard]] bool isMarked() const override { return false; }
  [[nodiscard]] bool mayBeRecaptured() const override;
  [[nodiscard]] bool isCapture() const override { return false; }

  /// The nodes of its regions.
  [[nodiscard]] std::vector<driver::Node> nodes() const EXCLUDES(mutex_);

  /// The same regions for a clone; null if a node is not found in it.
  std::shared_ptr<ExplicitGraph> cloned(driver::Graph clone) const EXCLUDES(mutex_);

private:
  struct Part {
    BuildingScope scope;
    std::string name;
    int depth;
    std::vector<driver::Node> nodes; // in the order in which they were added
  };

  static Owners ownersOf(const std::vector<Part> &parts);
  static TimingRequest requestOf(const std::vector<Part> &parts, const Shape &shape);
  [[nodiscard]] std::vector<Part> partsIn(const Shape &shape) const REQUIRES(mutex_);

  Services &services_;
  Devices &devices_;
  std::uint64_t created_ = now();
  mutable Mutex mutex_;
  std::vector<Part> parts_ GUARDED_BY(mutex_); // in the order in which they got their first node
  // The begin of the last region that was one too many.
  std::uint64_t refused_ GUARDED_BY(mutex_) = 0;
  bool used_ GUARDED_BY(mutex_) = false;
  Device *device_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_EXPLICITGRAPH_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds every registry by the program's graph. It knows which streams are being captured and which
// clock times a capture. Registries do the rest. Does not know execs.
//
// Threads: one lock, held only to look something up or to store it. A thread that holds it may wait
// for the lock of the graph in question, but of no other graph, because that may be held while a
// profiled graph is made.

#ifndef GRAPHPROF_GRAPH_GRAPHS_H
#define GRAPHPROF_GRAPH_GRAPHS_H

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "Expected.h"
#include "Mutex.h"
#include "clock/Clocks.h"
#include "graph/registry/Bodies.h"
#include "graph/registry/BuiltGraphs.h"
#include "graph/registry/ChildUses.h"
#include "graph/registry/NodeIndex.h"
#include "graph/registry/Registry.h"

namespace graphprof {

class Devices;
class Services;

class Graphs {
public:
  /// Both outlive it.
  Graphs(Services &services, Devices &devices) noexcept;

  /// The program has made a context current, or launches the first kernel in it. Loads, allocates
  /// and tries whatever waits for the device, if anything is recorded, or may be on demand: later,
  /// at a capture or a launch, a kernel of the program's may be running that waits for this very
  /// thread. There is no way to load code beside it: every one of the driver's waits.
  void prepareContext();

  /// Those that the program builds by hand.
  [[nodiscard]] BuiltGraphs &built() { return built_; }
  [[nodiscard]] ChildUses &children() { return children_; }

  /// What a capture goes into.
  enum class Target : std::uint8_t {
    NewGraph,
    NotSeen,       ///< the capture's begin was not seen: code that is not instrumented began it
    ExistingGraph, ///< which gets more nodes
    SameNodes,     ///< an existing graph, whose nodes are captured once more
  };
  /// The capture at `frontier`; makes it, and its registry, if necessary. Null if no clock works.
  /// The event clock does not time bodies of conditional nodes, because they may not contain event
  /// nodes.
  std::shared_ptr<Capture> capturing(driver::Stream stream, const Frontier &frontier, Target target)
      EXCLUDES(makingMutex_, mutex_);
  /// A capture's registry and the graph that it captured into.
  struct Captured {
    driver::Graph graph = nullptr;
    std::shared_ptr<Registry> registry;
  };
  /// The registry of the newest capture that began in `stream`, or null.
  std::shared_ptr<Registry> capturedIn(driver::Stream stream) EXCLUDES(mutex_);
  /// Removes and returns the registry of the capture that began in `stream`, and into `graph` if
  /// that is known; null if there is none. `captureId` is 0 if unknown. If `graph` has the registry
  /// of another capture, forgets it: the handle was reused.
  Captured captureEnded(driver::Stream stream, driver::Graph graph, std::uint64_t captureId)
      EXCLUDES(mutex_);
  /// Stores the registry of the graph that its capture became.
  void setRegistry(driver::Graph graph, const std::shared_ptr<Registry> &registry) EXCLUDES(mutex_);

  /// `graph` is new. Forgets what is known of an earlier graph with this handle, whose destruction
  /// was not seen.
  void forgetStale(driver::Graph graph) EXCLUDES(mutex_);
  /// The program created `graph`, to build it node by node.
  void onGraphCreated(driver::Graph graph) EXCLUDES(mutex_);
  /// The registry of a graph that was built by hand, in its present state; in node mode, of any
  /// graph. Null if neither the graph nor a child graph has anything to time; a failure if the
  /// driver refuses.
  Expected<std::shared_ptr<Registry>> profile(driver::Graph graph, Purpose purpose);
  void nodeDestroyed(driver::Node node) EXCLUDES(mutex_);

  /// The registries whose timedChildren() contain `child`: that of its graph, and if that graph is
  /// a body, those of the graphs around it.
  std::vector<Captured> registriesTiming(driver::Node child) EXCLUDES(mutex_);
  /// The timedChildren() of this graph's registry have changed.
  void reindex(driver::Graph graph) EXCLUDES(mutex_);
  /// The program added a conditional node. It will build its bodies, or capture into them.
  void bodiesAdded(Conditional conditional) EXCLUDES(mutex_);
  /// Whether `graph`, captured with `registry`, must wait for timeDeferred(): it holds conditional
  /// nodes, or is a body with regions.
  bool isDeferred(driver::Graph graph, const Registry &registry) EXCLUDES(mutex_);
  /// Call this before an exec of `graph` is made. If the graph holds conditional nodes, returns the
  /// registry that times it and their bodies in place; null if there is nothing to time, or the
  /// driver refuses. Counts each graph and each body for which it does.
  std::shared_ptr<Registry> timeDeferred(driver::Graph graph) EXCLUDES(mutex_);

  std::shared_ptr<Registry> registryOf(driver::Graph graph) EXCLUDES(mutex_);
  std::shared_ptr<Registry> registryOf(driver::Node node) EXCLUDES(mutex_);
  void graphDestroyed(driver::Graph graph) EXCLUDES(mutex_);

  /// Whether an exec of `graph` may get a pair.
  bool mayTime(driver::Graph graph) EXCLUDES(mutex_);

  /// A change that the program made was not followed for lack of memory. Captured graphs get new
  /// profiled graphs. What was built by hand, and what child and conditional nodes hold, is
  /// forgotten. Leaves what is timed in place.
  void invalidate() noexcept EXCLUDES(mutex_);
  /// Graphs may have been changed in a way that is not known: what is timed in place is not trusted
  /// any more either.
  void abandonBuffers() noexcept EXCLUDES(mutex_);

  /// Counts the regions of graphs (built by hand, or captured into) that were never measured. At
  /// exit.
  void countUnused() EXCLUDES(mutex_);

  /// The contexts of `devices` end. Forgets the graphs that were captured or built there.
  void forgetOn(std::span<Device *const> devices) EXCLUDES(mutex_);

private:
  /// The clock for the current context, or null if none works.
  GraphClock *chooseClock();
  /// The capture at `frontier`, if its graph has it; if `mayResume`, also one of the same body that
  /// ended before. Otherwise forgets what the graph was, and returns null.
  std::shared_ptr<Capture> resumed(driver::Stream stream, const Frontier &frontier, bool mayResume)
      REQUIRES(mutex_);
  /// A new one. Counts it as lost if it is not timed.
  std::shared_ptr<Capture> makeCapture(GraphClock &clock, driver::Stream stream,
                                       const Frontier &frontier, Target target, bool isBody);

  // Forgets everything about `graph`.
  void forgetAll(driver::Graph graph) REQUIRES(mutex_);
  // Call this before a registry is removed. Its graph may be a conditional node's body, of which no
  // exec is ever made.
  void forget(driver::Graph graph) REQUIRES(mutex_);
  // Forgets the bodies of conditional nodes.
  void forgetBodies(const std::vector<driver::Graph> &bodies) REQUIRES(mutex_);
  // Forgets what was added to a graph together with its nodes.
  void forgetNodesOf(driver::Graph graph) REQUIRES(mutex_);
  // timeDeferred() for one graph or body. `depth`: how many regions are open around it.
  std::shared_ptr<Registry> timeDeferred(driver::Graph graph, bool isBody, int depth);
  // The registry of a graph that was built by hand or is unknown. Null if it is not timed.
  std::shared_ptr<Registry> registryOfBuilt(const GraphInUse &use, const Device *deviceOfBodies);
  // Adds the registries that nodes_ does not know yet.
  void indexNodes() EXCLUDES(mutex_);
  // The registries that may know `node`.
  std::vector<Captured> registriesWith(driver::Node node) EXCLUDES(mutex_);

  Services &services_;
  Devices &devices_;
  BuiltGraphs built_;
  ChildUses children_;
  Clocks clocks_;

  // Ensures that a capture gets one registry, even if several threads mark it first.
  Mutex makingMutex_ ACQUIRED_BEFORE(mutex_);
  Mutex mutex_;
  // Graphs that existed before their capture.
  std::unordered_set<driver::Graph> intoExisting_ GUARDED_BY(mutex_);
  using Registries = std::unordered_map<driver::Graph, std::shared_ptr<Registry>>;
  Registries::iterator findCapture(driver::Stream stream, std::uint64_t captureId) REQUIRES(mutex_);
  Registries registries_ GUARDED_BY(mutex_);
  NodeIndex nodes_ GUARDED_BY(mutex_); // of registries_
  Bodies bodies_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_GRAPHS_H

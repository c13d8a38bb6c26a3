// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Finds every registry and every pair by the program's handles. It knows which streams are being
// captured and which clock times a capture. Registries and pairs do the rest.
//
// Threads: one lock guards the graphs and one the execs. Each is held only to look something up or
// to store it. A thread that holds the graphs' lock may wait for the lock of the graph in question,
// but of no other graph, because that may be held while a profiled graph is made. Launches find
// their pair in a small cache of each thread, so that launching threads do not wait for each other.

#ifndef GRAPHPROF_GRAPH_GRAPHS_H
#define GRAPHPROF_GRAPH_GRAPHS_H

#include <atomic>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "Expected.h"
#include "Mutex.h"
#include "clock/Clocks.h"
#include "graph/launch/ExecLimit.h"
#include "graph/launch/Pair.h"
#include "graph/registry/Bodies.h"
#include "graph/registry/Children.h"
#include "graph/registry/ExplicitGraph.h"
#include "graph/registry/NodeIndex.h"
#include "graph/registry/Registry.h"

namespace graphprof {

class Harvester;
class Services;

class Graphs {
public:
  /// `harvester` gets the pairs of execs whose destruction was not seen.
  Graphs(Services &services, Harvester &harvester) noexcept;

  /// The capture at `frontier`; makes it, and its registry, if necessary. Null if no clock works.
  /// The event clock does not time bodies of conditional nodes, because they may not contain event
  /// nodes.
  enum class Target : std::uint8_t {
    NewGraph,
    NotSeen,       ///< the capture's begin was not seen: code that is not instrumented began it
    ExistingGraph, ///< which gets more nodes
    SameNodes,     ///< an existing graph, whose nodes are captured once more
  };
  std::shared_ptr<Capture> capturing(driver::Stream stream, const Frontier &frontier, Target target)
      EXCLUDES(makingMutex_, registriesMutex_);
  /// A capture's registry and the graph that it captured into.
  struct Captured {
    driver::Graph graph = nullptr;
    std::shared_ptr<Registry> registry;
  };
  /// The registry of the newest capture that began in `stream`, or null.
  std::shared_ptr<Registry> capturedIn(driver::Stream stream) EXCLUDES(registriesMutex_);
  /// Removes and returns the registry of the capture that began in `stream`, and into `graph` if
  /// that is known; null if there is none. `captureId` is 0 if unknown. If `graph` has the registry
  /// of another capture, forgets it: the handle was reused.
  Captured captureEnded(driver::Stream stream, driver::Graph graph, std::uint64_t captureId)
      EXCLUDES(registriesMutex_);
  /// Stores the registry of the graph that its capture became.
  void setRegistry(driver::Graph graph, const std::shared_ptr<Registry> &registry)
      EXCLUDES(registriesMutex_);

  /// `graph` is new. Forgets what is known of an earlier graph with this handle, whose destruction
  /// was not seen.
  void forgetStale(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// The program created `graph`, to build it node by node.
  void onGraphCreated(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// Whether there is a graph that the program builds by hand.
  [[nodiscard]] bool anyBuilt() const { return anyBuilt_.load(std::memory_order_relaxed); }
  std::shared_ptr<ExplicitGraph> explicitGraphOf(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// Stores the regions of a clone of such a graph.
  void setExplicitGraph(driver::Graph graph, std::shared_ptr<ExplicitGraph> built)
      EXCLUDES(registriesMutex_);
  /// `node` of such a graph is in one of its regions.
  void nodeBuilt(driver::Graph graph, driver::Node node) EXCLUDES(registriesMutex_);
  /// The registry of a graph that was built by hand, in its present state; in node mode, of any
  /// graph. Null if neither the graph nor a child graph has anything to time; a failure if the
  /// driver refuses.
  Expected<std::shared_ptr<Registry>> profile(driver::Graph graph, Purpose purpose);
  void nodeDestroyed(driver::Node node) EXCLUDES(registriesMutex_);

  /// The program added a child node whose graph is timed.
  void childAdded(ChildUse use) EXCLUDES(registriesMutex_);
  /// The child nodes of `graph` that are timed, in the order in which they were added.
  std::vector<ChildUse> usesIn(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// The registries whose timedChildren() contain `child`: that of its graph, and if that graph is
  /// a body, those of the graphs around it.
  std::vector<Captured> registriesTiming(driver::Node child) EXCLUDES(registriesMutex_);
  /// The timedChildren() of this graph's registry have changed.
  void reindex(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// The program gave a child node another graph, with the registry `child`; null: without regions.
  /// Returns false if that graph has regions but cannot be timed there.
  bool childExchanged(driver::Node node, const std::shared_ptr<Registry> &child)
      EXCLUDES(registriesMutex_);
  /// The program edited `graph`, or a node of a graph. If a timed child node holds that graph, the
  /// child is not timed there any more. Returns the graphs around it.
  std::vector<driver::Graph> heldEdited(driver::Graph graph, driver::Node node)
      EXCLUDES(registriesMutex_);
  /// Notes the timed child nodes of `graph` for its clone.
  void childrenCloned(driver::Graph graph, driver::Graph clone);

  /// The program added a conditional node. It will build its bodies, or capture into them.
  void bodiesAdded(Conditional conditional) EXCLUDES(registriesMutex_);
  /// Whether `graph`, captured with `registry`, must wait for timeDeferred(): it holds conditional
  /// nodes, or is a body with regions.
  bool isDeferred(driver::Graph graph, const Registry &registry) EXCLUDES(registriesMutex_);
  /// Call this before an exec of `graph` is made. If the graph holds conditional nodes, returns the
  /// registry that times it and their bodies in place; null if there is nothing to time, or the
  /// driver refuses. Counts each graph and each body for which it does.
  std::shared_ptr<Registry> timeDeferred(driver::Graph graph) EXCLUDES(registriesMutex_);

  std::shared_ptr<Registry> registryOf(driver::Graph graph) EXCLUDES(registriesMutex_);
  std::shared_ptr<Registry> registryOf(driver::Node node) EXCLUDES(registriesMutex_);
  std::shared_ptr<Registry> graphDestroyed(driver::Graph graph) EXCLUDES(registriesMutex_);

  /// Whether an exec of `graph` may get a pair.
  bool mayTime(driver::Graph graph) EXCLUDES(registriesMutex_);

  /// The pair of `exec`. Null without one, or if the exec that had this handle is gone.
  std::shared_ptr<Pair> pairOf(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  /// A pair for an exec of the program's; addPair() stores it.
  [[nodiscard]] std::shared_ptr<Pair> makePair(driver::Exec exec, unsigned long long flags,
                                               Pair::LaunchHistory past,
                                               std::shared_ptr<ExecLifetime> lifetime) {
    return std::make_shared<Pair>(services_, limit_, exec, flags, past, std::move(lifetime));
  }
  void addPair(driver::Exec exec, std::shared_ptr<Pair> pair) EXCLUDES(pairsMutex_);
  std::shared_ptr<Pair> execDestroyed(driver::Exec exec) EXCLUDES(pairsMutex_);
  /// The program instantiated `exec`, which has nothing to time. `lost`: its graph has regions that
  /// cannot be timed, which is counted elsewhere.
  void madeUntimed(driver::Exec exec, bool lost) noexcept EXCLUDES(pairsMutex_);
  /// It launched an exec without a pair while graphprof records. Counts each exec once.
  void launchedUntimed(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  /// Removes and returns the pairs of execs whose destruction was not seen, if there may be many.
  std::vector<std::shared_ptr<Pair>> takeGone() EXCLUDES(pairsMutex_);

  /// The program enables or disables a node of an exec. Updates keep that setting, so an exec that
  /// is made from the updated graph would differ.
  void nodeSwitching(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  [[nodiscard]] bool switched(driver::Exec exec) EXCLUDES(pairsMutex_);

  /// A change that the program made was not followed for lack of memory. From now on execs run as
  /// the program made them, and are counted. Captured graphs get new profiled graphs. What was
  /// built by hand, and what child and conditional nodes hold, is forgotten.
  void invalidateAll() noexcept EXCLUDES(pairsMutex_, registriesMutex_);
  /// The same before a call that may change any graph or exec in a way that is not known: what is
  /// timed in place is not trusted any more either. Returns how many execs were timed until now.
  std::size_t distrustAll() noexcept EXCLUDES(pairsMutex_, registriesMutex_);

  /// Counts the regions of graphs (built by hand, or captured into) that were never measured. At
  /// exit.
  void countUnused() EXCLUDES(registriesMutex_);

  /// The contexts of `devices` end. Forgets the graphs that were captured or built there, and
  /// returns the pairs of execs there, which are forgotten, too.
  std::vector<std::shared_ptr<Pair>> forgetOn(std::span<Device *const> devices)
      EXCLUDES(pairsMutex_, registriesMutex_);

private:
  std::shared_ptr<Pair> findPair(driver::Exec exec) REQUIRES(pairsMutex_);
  /// The clock for the current context, or null if none works.
  GraphClock *chooseClock();
  /// Whether kernels of the graph have annotated statements that are to be timed.
  [[nodiscard]] bool hasRegionsInside(driver::Graph graph) const;

  Services &services_;
  Harvester &harvester_;
  Clocks clocks_;
  ExecLimit limit_;

  // The pair stored for a handle, whichever exec has the handle now.
  std::shared_ptr<Pair> pairUnder(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  // Forgets everything about `graph`.
  void forgetAll(driver::Graph graph) REQUIRES(registriesMutex_);
  // Call this before a registry is removed. Its graph may be a conditional node's body, of which no
  // exec is ever made.
  void forget(driver::Graph graph) REQUIRES(registriesMutex_);
  // Forgets the bodies of conditional nodes.
  void forgetBodies(const std::vector<driver::Graph> &bodies) REQUIRES(registriesMutex_);
  // Forgets what was added to a graph together with its nodes.
  void forgetNodesOf(driver::Graph graph) REQUIRES(registriesMutex_);
  // timeDeferred() for one graph or body. `depth`: how many regions are open around it.
  std::shared_ptr<Registry> timeDeferred(driver::Graph graph, bool isBody, int depth);
  // The registry of a graph that was built by hand or is unknown. Null if it is not timed.
  std::shared_ptr<Registry> registryOfBuilt(const GraphInUse &use, const Device *deviceOfBodies);
  // Returns usesIn() and removes them.
  std::vector<ChildUse> takeUsesIn(driver::Graph graph) EXCLUDES(registriesMutex_);
  // Forgets the regions of a graph that was built by hand.
  void forgetBuilt(driver::Graph graph) REQUIRES(registriesMutex_);
  // Adds the registries that nodes_ does not know yet.
  void indexNodes() EXCLUDES(registriesMutex_);
  // The registries that may know `node`.
  std::vector<Captured> registriesWith(driver::Node node) EXCLUDES(registriesMutex_);

  // Ensures that a capture gets one registry, even if several threads mark it first.
  Mutex makingMutex_ ACQUIRED_BEFORE(registriesMutex_);
  Mutex registriesMutex_;
  // Graphs that existed before their capture.
  std::unordered_set<driver::Graph> intoExisting_ GUARDED_BY(registriesMutex_);
  using Registries = std::unordered_map<driver::Graph, std::shared_ptr<Registry>>;
  Registries::iterator findCapture(driver::Stream stream, std::uint64_t captureId)
      REQUIRES(registriesMutex_);
  Registries registries_ GUARDED_BY(registriesMutex_);
  std::unordered_map<driver::Graph, std::shared_ptr<ExplicitGraph>>
      built_ GUARDED_BY(registriesMutex_);
  NodeIndex nodes_ GUARDED_BY(registriesMutex_);      // of registries_
  NodeIndex builtNodes_ GUARDED_BY(registriesMutex_); // of built_
  Bodies bodies_ GUARDED_BY(registriesMutex_);
  std::vector<ChildUse> uses_ GUARDED_BY(registriesMutex_);
  std::atomic<bool> anyBuilt_{false};

  Mutex pairsMutex_;
  std::unordered_map<driver::Exec, std::shared_ptr<Pair>> pairs_ GUARDED_BY(pairsMutex_);
  std::unordered_set<driver::Exec> switched_ GUARDED_BY(pairsMutex_); // with or without a pair
  // Execs without a pair that the program made, and whether each was launched; and others that it
  // launched. At most mostUntimed; further ones are not told apart.
  static constexpr std::size_t mostUntimed = 10'000;
  enum class Untimed : std::uint8_t { Made, Launched };
  std::unordered_map<driver::Exec, Untimed> untimed_ GUARDED_BY(pairsMutex_);
  std::uint64_t goneAtLastLook_ GUARDED_BY(pairsMutex_) = 0; // the last ExecLifetime::gone()
  // There was no memory to note which.
  bool anySwitched_ GUARDED_BY(pairsMutex_) = false;
  std::atomic<std::uint64_t> pairsGeneration_{
      1}; // counts changes of pairs_, which invalidate the caches
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_GRAPHS_H

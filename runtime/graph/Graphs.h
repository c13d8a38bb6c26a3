// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Every registry and every pair, by the program's handles. It knows which streams are being
// captured and which clock times a capture; how that happens is the registry's and the pair's
// business.
//
// Threads: a lock for the graphs and one for the execs, held to look something up or to put it
// there. Who holds that of the graphs may wait for the lock of the graph that is asked about, and
// for no other graph's: that may be held while a profiled graph is made. A launch finds its pair
// through a small cache of its thread's, so that launching threads do not meet at a lock.

#ifndef GRAPHPROF_GRAPH_GRAPHS_H
#define GRAPHPROF_GRAPH_GRAPHS_H

#include <atomic>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "Mutex.h"
#include "clock/Clocks.h"
#include "graph/launch/Pair.h"
#include "graph/registry/Bodies.h"
#include "graph/registry/Children.h"
#include "graph/registry/ExplicitGraph.h"
#include "graph/registry/NodeIndex.h"
#include "graph/registry/Registry.h"
#include "session/Config.h"

namespace graphprof {

class Graphs {
public:
  /// Leaked on purpose: replays may end while static destructors run.
  static Graphs &instance() noexcept;

  /// The registry of the capture at `frontier`, made where there is none. Null where no clock
  /// works. The body of a conditional node takes no events: with the event clock it is not timed.
  std::shared_ptr<Registry> capturing(driver::Stream stream, const Frontier &frontier,
                                      bool intoExistingGraph = false)
      EXCLUDES(makingMutex_, registriesMutex_);
  /// A capture's registry and the graph that it captured into.
  struct Captured {
    driver::Graph graph = nullptr;
    std::shared_ptr<Registry> registry;
  };
  /// The registry of the newest capture that began in `stream`; null where there is none.
  std::shared_ptr<Registry> capturedIn(driver::Stream stream) EXCLUDES(registriesMutex_);
  /// Takes out the registry of the capture that began in `stream`, and into `graph` where that is
  /// known; null where there is none. `captureId` is 0 where it is not known. Where `graph` has the
  /// registry of another capture, that is forgotten: its handle was given out again.
  Captured captureEnded(driver::Stream stream, driver::Graph graph, std::uint64_t captureId)
      EXCLUDES(registriesMutex_);
  /// Puts a registry under the graph that its capture became.
  void captured(driver::Graph graph, const std::shared_ptr<Registry> &registry)
      EXCLUDES(registriesMutex_);

  /// `graph` is new: what is known of one with its handle is of another, which was destroyed
  /// unseen.
  void isNew(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// The program created `graph`, to build it node by node.
  void created(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// Whether there is such a graph.
  [[nodiscard]] bool anyBuilt() const { return anyBuilt_.load(std::memory_order_relaxed); }
  std::shared_ptr<ExplicitGraph> explicitGraphOf(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// Puts the regions of a built graph under its clone.
  void built(driver::Graph graph, std::shared_ptr<ExplicitGraph> built) EXCLUDES(registriesMutex_);
  /// `node` of a built graph is in a region of it.
  void nodeBuilt(driver::Graph graph, driver::Node node) EXCLUDES(registriesMutex_);
  /// The registry of a built graph as it is now, and in node mode of any graph. Null where neither
  /// it nor a child graph has anything to time, or the driver refuses; then `why` says why.
  std::shared_ptr<Registry> profile(driver::Graph graph, Purpose purpose, std::string &why);
  void nodeDestroyed(driver::Node node) EXCLUDES(registriesMutex_);

  /// The program added a child node that is to be timed.
  void childAdded(ChildUse use) EXCLUDES(registriesMutex_);
  /// Those of `graph`, in the order in which they were added.
  std::vector<ChildUse> usesIn(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// The registries in which `node` is one of timedChildren(): its graph's, and where that is a
  /// body those of the graphs around it.
  std::vector<Captured> registriesTiming(driver::Node child) EXCLUDES(registriesMutex_);
  /// Of the graph of such a registry others are timed now.
  void timedAnew(driver::Graph graph) EXCLUDES(registriesMutex_);
  /// The program gave a child node of a graph another graph, whose registry that is; null: it has
  /// no regions. False where there are regions and the node was none that is to be timed.
  bool childExchanged(driver::Node node, const std::shared_ptr<Registry> &child)
      EXCLUDES(registriesMutex_);
  /// The program edited `graph`, or `node` of one: where a child node that is to be timed holds it,
  /// the child is not timed there any more. Returns the graphs around it.
  std::vector<driver::Graph> heldEdited(driver::Graph graph, driver::Node node)
      EXCLUDES(registriesMutex_);
  /// Of a graph's child nodes, those of its clone.
  void childrenCloned(driver::Graph graph, driver::Graph clone);

  /// The program added a conditional node; its bodies are to be built or captured into.
  void bodiesAdded(Conditional conditional) EXCLUDES(registriesMutex_);
  /// Whether `graph`, captured with `registry`, waits for settle(): it holds conditional nodes, or
  /// is the body of one and has regions.
  bool waits(driver::Graph graph, const Registry &registry) EXCLUDES(registriesMutex_);
  /// An exec is about to be made of `graph`. Where it holds conditional nodes: the registry that
  /// times it in place, with their bodies; null where there is nothing to time. Where the driver
  /// refuses, `why` says why.
  std::shared_ptr<Registry> settle(driver::Graph graph, std::string &why)
      EXCLUDES(registriesMutex_);

  std::shared_ptr<Registry> registryOf(driver::Graph graph) EXCLUDES(registriesMutex_);
  std::shared_ptr<Registry> registryOf(driver::Node node) EXCLUDES(registriesMutex_);
  std::shared_ptr<Registry> graphDestroyed(driver::Graph graph) EXCLUDES(registriesMutex_);

  /// Whether an exec of `graph` may have a pair.
  bool mayTime(driver::Graph graph) EXCLUDES(registriesMutex_);

  /// Null, too, where the exec that had the handle is gone.
  std::shared_ptr<Pair> pairOf(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  void addPair(driver::Exec exec, std::shared_ptr<Pair> pair) EXCLUDES(pairsMutex_);
  std::shared_ptr<Pair> execDestroyed(driver::Exec exec) EXCLUDES(pairsMutex_);
  /// Takes out the pairs of execs that were destroyed unseen, where there may be many.
  std::vector<std::shared_ptr<Pair>> takeGone() EXCLUDES(pairsMutex_);

  /// The program enables or disables a node of an exec. Updates leave that as it is, so an exec
  /// made from the updated graph would do something else.
  void nodeSwitching(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  [[nodiscard]] bool switched(driver::Exec exec) EXCLUDES(pairsMutex_);

  /// A change that the program made was not followed, for want of memory: execs run as the program
  /// made them from now on, counted. Of the graphs that were captured others are made, as they are
  /// then; what was built by hand, and what child and conditional nodes hold, is forgotten.
  void distrust() noexcept EXCLUDES(pairsMutex_, registriesMutex_);

  /// Counts the regions of graphs, built or captured into, that came to nothing. At exit.
  void countUnused() EXCLUDES(registriesMutex_);

  /// Destroys every profiled graph and exec, while there is still a device that they are on.
  void clear() EXCLUDES(pairsMutex_, registriesMutex_);

private:
  explicit Graphs(const Config &config) noexcept;
  std::shared_ptr<Pair> findPair(driver::Exec exec) REQUIRES(pairsMutex_);
  /// The clock for the current context; null where none works.
  GraphClock *chooseClock();

  const ClockChoice choice_;
  Clocks clocks_;

  // Of a handle, whatever exec has it now.
  std::shared_ptr<Pair> pairUnder(driver::Exec exec) noexcept EXCLUDES(pairsMutex_);
  // All that is known of it.
  void forgetAll(driver::Graph graph) REQUIRES(registriesMutex_);
  // A registry is about to go. Its graph may be the body of a conditional node, of which no exec is
  // ever made.
  void forget(driver::Graph graph) REQUIRES(registriesMutex_);
  // The bodies of conditional nodes go.
  void forgetBodies(const std::vector<driver::Graph> &bodies) REQUIRES(registriesMutex_);
  // What was added to a graph with its nodes goes.
  void forgetNodesOf(driver::Graph graph) REQUIRES(registriesMutex_);
  // settle() of a graph, in whose body that is `depth` regions stand around it.
  std::shared_ptr<Registry> settle(driver::Graph graph, bool isBody, int depth, std::string &why);
  // The registry of a graph that was built, or is not known; null where it is not timed.
  std::shared_ptr<Registry> registryOfBuilt(const GraphInUse &use, const Device *deviceOfBodies);
  // usesIn(), which are then nobody else's.
  std::vector<ChildUse> takeUsesIn(driver::Graph graph) EXCLUDES(registriesMutex_);
  // So does what was built.
  void forgetBuilt(driver::Graph graph) REQUIRES(registriesMutex_);
  // Asks the registries that nodes_ knows nothing of.
  void indexNodes() EXCLUDES(registriesMutex_);
  // Those that may have something to say of `node`.
  std::vector<Captured> registriesWith(driver::Node node) EXCLUDES(registriesMutex_);

  // A capture gets one registry, though several threads mark it first.
  Mutex makingMutex_ ACQUIRED_BEFORE(registriesMutex_);
  Mutex registriesMutex_;
  // graphs that were there before their capture
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
  std::unordered_set<driver::Exec> switched_ GUARDED_BY(pairsMutex_); // with a pair or without
  std::uint64_t goneAtLastLook_ GUARDED_BY(pairsMutex_) = 0;          // Lifeline::gone()
  // there was no memory to say which
  bool anySwitched_ GUARDED_BY(pairsMutex_) = false;
  std::atomic<std::uint64_t> pairsGeneration_{
      1}; // counts changes of pairs_: caches of an older one are void
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_GRAPHS_H

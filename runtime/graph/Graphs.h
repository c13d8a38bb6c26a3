// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Every registry and every pair, by the program's handles. It knows which streams are being
// captured and which clock times a capture; how that happens is the registry's and the pair's
// business.
//
// Threads: the maps are guarded by one lock each, taken for a look-up only. A launch finds its pair
// through a small cache of its thread's, so that launching threads do not meet at a lock.

#ifndef GRAPHPROF_GRAPH_GRAPHS_H
#define GRAPHPROF_GRAPH_GRAPHS_H

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "clock/EventClock.h"
#include "clock/StampClock.h"
#include "graph/Bodies.h"
#include "graph/Built.h"
#include "graph/Children.h"
#include "graph/Pair.h"
#include "graph/Registry.h"
#include "session/Config.h"

namespace graphprof {

class Graphs {
public:
  /// Leaked on purpose: replays may end while static destructors run.
  static Graphs &instance() noexcept;

  /// The registry of the capture at `frontier`, made where there is none. Null where no clock
  /// works. The body of a conditional node takes no events: with the event clock it is not timed.
  std::shared_ptr<Registry> capturing(driver::Stream stream, const Frontier &frontier,
                                      bool intoExistingGraph = false);
  /// A capture's registry and the graph that it captured into.
  struct Captured {
    driver::Graph graph = nullptr;
    std::shared_ptr<Registry> registry;
  };
  /// The registry of the newest capture that began in `stream`; null where there is none.
  std::shared_ptr<Registry> capturedIn(driver::Stream stream);
  /// Takes out the registry of the capture that began in `stream`, and into `graph` where that is
  /// known; null where there is none. `captureId` is 0 where it is not known. Where `graph` has the
  /// registry of another capture, that is forgotten: its handle was given out again.
  Captured captureEnded(driver::Stream stream, driver::Graph graph, std::uint64_t captureId);
  /// Puts a registry under the graph that its capture became.
  void captured(driver::Graph graph, const std::shared_ptr<Registry> &registry);

  /// `graph` is new: what is known of one with its handle is of another, which was destroyed
  /// unseen.
  void isNew(driver::Graph graph);
  /// The program created `graph`, to build it node by node.
  void created(driver::Graph graph);
  /// Whether there is such a graph.
  [[nodiscard]] bool anyBuilt() const { return anyBuilt_.load(std::memory_order_relaxed); }
  std::shared_ptr<Built> builtOf(driver::Graph graph);
  /// Puts the regions of a built graph under its clone.
  void built(driver::Graph graph, std::shared_ptr<Built> built);
  /// The registry of a built graph as it is now, and in node mode of any graph. Null where neither
  /// it nor a child graph has anything to time, or the driver refuses; then `why` says why.
  std::shared_ptr<Registry> profile(driver::Graph graph, std::string &why);
  void nodeDestroyed(driver::Node node);

  /// The program added a child node that is to be timed.
  void childAdded(ChildUse use);
  /// Those of `graph`, in the order in which they were added.
  std::vector<ChildUse> usesIn(driver::Graph graph);
  /// The registries in which `node` is one of timedChildren(): its graph's, and where that is a
  /// body those of the graphs around it.
  std::vector<std::shared_ptr<Registry>> registriesTiming(driver::Node child);
  /// The program gave a child node of a graph another graph, whose registry that is; null: it has
  /// no regions. False where there are regions and the node was none that is to be timed.
  bool childExchanged(driver::Node node, const std::shared_ptr<Registry> &child);
  /// The program edited `graph`, or `node` of one: where a child node that is to be timed holds it,
  /// the child is not timed there any more. Returns the graphs around it.
  std::vector<driver::Graph> heldEdited(driver::Graph graph, driver::Node node);
  /// The program edited nodes of the graph of `child`, which its profiled graph follows: what child
  /// nodes hold does not.
  void childEdited(const std::shared_ptr<Registry> &child);
  /// Of a graph's child nodes, those of its clone.
  void childrenCloned(driver::Graph graph, driver::Graph clone);

  /// The program added a conditional node; its bodies are to be built or captured into.
  void bodiesAdded(Conditional conditional);
  /// Whether `graph`, captured with `registry`, waits for settle(): it holds conditional nodes, or
  /// is the body of one and has regions.
  bool waits(driver::Graph graph, const Registry &registry);
  /// An exec is about to be made of `graph`. Where it holds conditional nodes: the registry that
  /// times it in place, with their bodies; null where there is nothing to time. Where the driver
  /// refuses, `why` says why.
  std::shared_ptr<Registry> settle(driver::Graph graph, std::string &why);

  std::shared_ptr<Registry> registryOf(driver::Graph graph);
  std::shared_ptr<Registry> registryOf(driver::Node node);
  std::shared_ptr<Registry> graphDestroyed(driver::Graph graph);

  /// Whether an exec of `graph` may have a pair.
  bool mayTime(driver::Graph graph);

  /// Null, too, where the exec that had the handle is gone.
  std::shared_ptr<Pair> pairOf(driver::Exec exec) noexcept;
  void addPair(driver::Exec exec, std::shared_ptr<Pair> pair);
  std::shared_ptr<Pair> execDestroyed(driver::Exec exec);
  /// Takes out the pairs of execs that were destroyed unseen, where there may be many.
  std::vector<std::shared_ptr<Pair>> takeGone();

  /// The program enables or disables a node of an exec. Updates leave that as it is, so an exec
  /// made from the updated graph would do something else.
  void nodeSwitching(driver::Exec exec) noexcept;
  [[nodiscard]] bool switched(driver::Exec exec);

  /// A change that the program made was not followed, for want of memory: execs run as the program
  /// made them from now on, counted. Of the graphs that were captured others are made, as they are
  /// then; what was built by hand, and what child and conditional nodes hold, is forgotten.
  void distrust() noexcept;

  /// Counts the regions of graphs, built or captured into, that came to nothing. At exit.
  void countUnused();

  /// Destroys every profiled graph and exec, while there is still a device that they are on.
  void clear();

private:
  explicit Graphs(const Config &config) noexcept;
  std::shared_ptr<Pair> findPair(driver::Exec exec); // under pairsMutex_
  /// The clock for the current context; null where none works.
  GraphClock *chooseClock();

  const ClockChoice choice_;
  StampClock stamps_;
  EventClock events_;

  // Of a handle, whatever exec has it now.
  std::shared_ptr<Pair> pairUnder(driver::Exec exec) noexcept;
  // Under registriesMutex_: all that is known of it.
  void forgetAll(driver::Graph graph);
  // Under registriesMutex_: a registry goes. Its graph may be the body of a conditional node, of
  // which no exec is ever made.
  void forget(driver::Graph graph);
  // Under registriesMutex_: the bodies of conditional nodes go.
  void forgetBodies(const std::vector<driver::Graph> &bodies);
  // Under registriesMutex_: what was added to a graph with its nodes goes.
  void forgetNodesOf(driver::Graph graph);
  // settle() of a graph, in whose body that is `depth` regions stand around it.
  std::shared_ptr<Registry> settle(driver::Graph graph, Registry::Role role, int depth,
                                   std::string &why);
  // The registry of a graph that was built, or is not known: marked in place.
  std::shared_ptr<Registry> markInPlace(driver::Graph graph, Registry::Role role,
                                        const Device *deviceOfBodies,
                                        std::span<const ChildUse> uses, std::string &why);
  // usesIn(), which are then nobody else's.
  std::vector<ChildUse> takeUsesIn(driver::Graph graph);
  // Under registriesMutex_: so does what was built.
  void forgetBuilt(driver::Graph graph);

  std::mutex makingMutex_; // a capture gets one registry, though several threads mark it first
  std::mutex registriesMutex_;
  std::unordered_set<driver::Graph> intoExisting_; // graphs that were there before their capture
  using Registries = std::unordered_map<driver::Graph, std::shared_ptr<Registry>>;
  Registries::iterator findCapture(driver::Stream stream, std::uint64_t captureId);
  Registries registries_;
  std::unordered_map<driver::Graph, std::shared_ptr<Built>> built_;
  Bodies bodies_;
  std::vector<ChildUse> uses_;
  std::atomic<bool> anyBuilt_{false};

  std::mutex pairsMutex_;
  std::unordered_map<driver::Exec, std::shared_ptr<Pair>> pairs_;
  std::unordered_set<driver::Exec> switched_; // with a pair or without
  std::uint64_t goneAtLastLook_ = 0;          // Lifeline::gone()
  bool anySwitched_ = false;                  // there was no memory to say which
  std::atomic<std::uint64_t> pairsGeneration_{
      1}; // counts changes of pairs_: caches of an older one are void
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_GRAPHS_H

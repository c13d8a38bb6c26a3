// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Follows what the program does with its graphs and execs, so that graphprof's always match them:
// which registry times a graph, when that is decided, and which execs get a pair. What cannot be
// followed is counted. Graphs and Execs store what is found. Does not know which calls the program
// made (runtime/calls).
//
// Threads: any thread may call any member. Members throw without memory; then the change was not
// followed.

#ifndef GRAPHPROF_GRAPH_FOLLOWER_H
#define GRAPHPROF_GRAPH_FOLLOWER_H

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "Expected.h"
#include "graph/Execs.h"
#include "graph/Graphs.h"
#include "graph/launch/ExecLifetime.h"
#include "graph/registry/Registry.h"

namespace graphprof {

class Harvester;
class Services;

class Follower {
public:
  /// All outlive it.
  Follower(Services &services, Graphs &graphs, Execs &execs, Harvester &harvester) noexcept
      : services_(services), graphs_(graphs), execs_(execs), harvester_(harvester) {}

  // Captures

  /// The capture that `stream` is in, or null outside captures.
  std::shared_ptr<Capture> captureOf(driver::Stream stream);
  void captureBegan(driver::Stream stream, Graphs::Target target);
  /// A capture just before its end. If it fails, CUDA destroys its graph, and another thread's
  /// capture may get the handle before captureEnded().
  struct Ending {
    std::uint64_t id = 0;
    std::shared_ptr<Registry> registry; ///< that has a capture, or null
  };
  [[nodiscard]] Ending captureEnding(driver::Stream stream);
  void captureEnded(driver::Stream stream, driver::Graph graph, bool succeeded,
                    const Ending &ending);
  /// The nodes of `graph` are about to be captured once more. An exec that was made before is
  /// another copy, and stays timed with stamps. Where the call cannot succeed anyway, the graph
  /// stays as it is.
  void recapturing(driver::Stream stream, driver::Graph graph);

  // Graphs

  /// The program is about to use `graph`, which it may have changed since its capture. What is
  /// timed in place gets its timing nodes now; behind the use would be too late.
  void use(driver::Graph graph, Purpose purpose);
  /// Of a graph that becomes a child, behind use(): its registry, if it has regions. Without
  /// regions, node mode treats the child as one node of the graph around it.
  std::shared_ptr<Registry> registryForChild(driver::Graph child);
  void cloned(driver::Graph graph, driver::Graph clone);
  /// Nodes or edges of it were changed.
  void edited(driver::Graph graph);
  void edited(driver::Node node);
  void nodeDestroying(driver::Node node);
  /// The program is about to change `node`. Returns the node that must be changed likewise, or
  /// null.
  driver::Node changing(driver::Node node);
  /// The child node `node` got another graph, in which graphprof has put `timing`, if it is not
  /// null.
  void childSet(driver::Node node, const std::shared_ptr<Registry> &child,
                const TimingNodes *timing);

  // Execs. Behind use() of the graph.

  /// What an exec takes along that is made or updated from `graph`, so that its end is seen. Null
  /// if nothing of it is timed, or if graphprof is not recording: CUDA takes microseconds longer to
  /// launch an exec that holds a user object. (The profiled exec holds none.)
  [[nodiscard]] std::shared_ptr<ExecLifetime> lifetimeFor(driver::Graph graph);
  /// The driver gave `exec` out. Whatever had this handle before is gone, although its destruction
  /// was not seen.
  void handleIsNew(driver::Exec exec);
  void instantiated(driver::Exec exec, driver::Graph graph, unsigned long long flags,
                    std::shared_ptr<ExecLifetime> lifetime);
  /// `pair`: that of `exec` before the update, or null.
  void updated(driver::Exec exec, const std::shared_ptr<Pair> &pair, driver::Graph graph,
               std::shared_ptr<ExecLifetime> lifetime);
  /// An exec was made or updated from `graph`, and that was not followed. If the graph is timed in
  /// place, that exec writes times, too.
  void notFollowed(driver::Graph graph) noexcept;
  void destroying(driver::Exec exec);

  /// The contexts of `devices` end, with all that was made there.
  void forgetOn(std::span<Device *const> devices);
  /// A change was not followed. graphprof's graphs and execs no longer match the program's, so they
  /// are not used any more: the program's run, and are counted.
  void invalidateAll() noexcept;
  /// The program called a function of graphs that is not known. The same, and what is timed in
  /// place is not trusted any more either.
  void unknownCalled(const char *name);

private:
  /// The registry of `graph`. Times the graph if it was not timed yet. If `isRenewed`, brings a
  /// timed one up to date.
  std::shared_ptr<Registry> timed(driver::Graph graph, Purpose purpose, bool isRenewed);
  /// The registry of a captured graph as the graph is now. Null if the handle seems to belong to
  /// another graph; that graph is not timed.
  std::shared_ptr<Registry> fresh(driver::Graph graph, const std::shared_ptr<Registry> &registry,
                                  Purpose purpose);
  Expected<std::shared_ptr<Registry>>
  renewed(driver::Graph graph, const std::shared_ptr<Registry> &registry, Purpose purpose);
  /// Of a graph that was captured or built by hand. Null if there is nothing to time.
  std::shared_ptr<Registry> registryFor(driver::Graph graph, Purpose purpose);
  /// The graph of `registry` was changed. Does nothing if it was not captured, or null.
  void changed(const std::shared_ptr<Registry> &registry);
  /// The content of a child node of these graphs was edited.
  void changedAround(const std::vector<driver::Graph> &around);

  /// Makes a pair for an exec that was made or updated from a graph with regions.
  void pairUp(driver::Exec exec, const std::shared_ptr<Registry> &registry,
              unsigned long long flags, Pair::LaunchHistory past,
              std::shared_ptr<ExecLifetime> lifetime);
  void leaves(const std::shared_ptr<Pair> &pair);

  Services &services_;
  Graphs &graphs_;
  Execs &execs_;
  Harvester &harvester_;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_FOLLOWER_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The registry of one graph of the program: who keeps its regions until it is used (Capture.h,
// ExplicitGraph.h), then what it is timed with (TimedGraph.h), and what the program changed since.
// It knows clocks, but no launches, harvests or outputs.
//
// The life of a registry:
//
//   state     | from                      | timing nodes are in       | what may be called
//   ----------+---------------------------+---------------------------+------------------------------
//   Recording | the capture's begin, or   | none; where it is marked, | time
//             | its first region; until   | the program's graph       |
//             | the graph's first use     |                           |
//   Timed     | time() worked             | the profiled graph; or in | execs made and updated from
//             |                           | place                     | it, edited
//   Untimed   | nothing to time, or       | none, or in place and     | nothing
//             | time() failed             | doing nothing             |
//
// Threads: what it hands out, a TimedGraph, nobody changes: while one thread edits a graph, another
// may use what was made from it before, in a graph around a copy of it. Neither does the graph
// itself change any more that was used(): its exec may be made much later. After an edit, the graph
// gets another registry at its next use.

#ifndef GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H
#define GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "Expected.h"
#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/registry/Capture.h"
#include "graph/registry/ChildPlan.h"
#include "graph/registry/GraphLife.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/Choice.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/timing/TimingNodes.h"

namespace graphprof {

class ExplicitGraph;
class Services;

class Registry {
public:
  enum class State : std::uint8_t { Recording, Timed, Untimed };

  /// For a capture. If it is not timed, the state is Untimed from the begin.
  Registry(Services &services, GraphClock &clock, std::shared_ptr<Capture> capture);
  /// For a graph that was built by hand: time() must come next.
  Registry(Services &services, GraphClock &clock, std::shared_ptr<ExplicitGraph> built);
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;

  /// The capture that made the graph; null if it was built by hand, cloned or made again.
  [[nodiscard]] const std::shared_ptr<Capture> &capture() const { return capture_; }
  [[nodiscard]] GraphClock &clock() const { return clock_; }
  /// The device on which it was captured or built.
  [[nodiscard]] Device *device() const { return device_; }
  [[nodiscard]] State state() const { return state_; }
  /// Whether the program's graph already contains timing nodes.
  [[nodiscard]] bool marked() const EXCLUDES(mutex_);
  [[nodiscard]] bool hasRegions() const EXCLUDES(mutex_) { return regionCount() > 0; }
  [[nodiscard]] std::size_t regionCount() const EXCLUDES(mutex_);

  /// An exec was made or updated from it, or will be; or a child node holds a copy of its rebuilt
  /// graph. That graph does not change any more.
  void used() { used_ = true; }
  [[nodiscard]] GraphLife &life() const { return *life_; }
  /// The number of regions that are in no exec.
  [[nodiscard]] std::size_t unused() const EXCLUDES(mutex_);

  /// Call this before an exec or something else is made from the graph. Chooses how to time it
  /// (Choice.h), and does so. A failure if regions are lost.
  Expected<void> time(const GraphInUse &use) EXCLUDES(mutex_);
  /// The facts about a graph before its nodes are read: isUnique is not set yet, and hasTimedNodes
  /// means that it may have some.
  [[nodiscard]] static GraphFacts factsOf(const GraphInUse &use, const Recorder &recorder,
                                          const Services &services);

  /// What it is timed with at present; null if nothing is.
  [[nodiscard]] std::shared_ptr<const TimedGraph> timed() const EXCLUDES(mutex_);
  /// The same, if execs may still be made from it; null otherwise.
  [[nodiscard]] std::shared_ptr<const TimedGraph> usable() const EXCLUDES(mutex_);
  [[nodiscard]] std::shared_ptr<const RegionTable> table() const EXCLUDES(mutex_);
  /// An exec that nobody follows was made from it. If the graph is timed in place, that exec writes
  /// to its buffer, too.
  void abandonBuffer() EXCLUDES(mutex_);
  /// The program gave `holder`, a node of its graph, which is timed in place, another graph with
  /// these timing nodes. `child` and the result are those of exchangeIn().
  bool setChild(driver::Node holder, const TimingNodes &timing, const Registry *child)
      EXCLUDES(mutex_);
  /// Whether any registry ever had a timed child.
  [[nodiscard]] static bool anyTimedChild();
  /// The twin of a node of the program that is still there; null if there is none.
  [[nodiscard]] driver::Node twin(driver::Node node) const EXCLUDES(mutex_);
  /// The program changes `node` of its graph. Returns the twin to change the same way, or null; in
  /// that case the graph's next use makes another registry.
  [[nodiscard]] driver::Node changing(driver::Node node) EXCLUDES(mutex_);

  /// The registry of `clone`, which the program cloned from this graph: the same regions, with a
  /// profiled graph of its own. Null if the driver refuses.
  [[nodiscard]] std::shared_ptr<Registry> cloned(driver::Graph clone) const EXCLUDES(mutex_);

  /// The program changed `node` of its graph, and its twin was changed the same way.
  void nodeChanged(driver::Node node) EXCLUDES(mutex_);
  /// The program changed its graph in another way after it was timed, so the graph needs another
  /// registry, rebuilt(). Returns whether that is impossible, because the graph is timed in place.
  bool edited() EXCLUDES(mutex_);
  /// The program is about to remove `node` from its graph.
  void nodeGoes(driver::Node node) EXCLUDES(mutex_);
  /// May the program's graph differ from the one that was timed, and can it get another registry?
  [[nodiscard]] bool mayBeStale() const EXCLUDES(mutex_);
  /// A registry for the graph in its present state, which is in use, with the same regions. A
  /// failure if the driver refuses, or the handle belongs to another graph.
  Expected<std::shared_ptr<Registry>> rebuilt(const GraphInUse &use) const EXCLUDES(mutex_);

private:
  /// For a graph that `timed` times already.
  Registry(Services &services, GraphClock &clock, std::shared_ptr<const TimedGraph> timed,
           Extents extents);
  [[nodiscard]] const RebuiltGraph *rebuiltGraph() const REQUIRES(mutex_) {
    return timed_ ? timed_->rebuilt() : nullptr;
  }
  /// Times the graph of `shape` in another one, as timeRebuilt() does.
  Expected<std::shared_ptr<const TimedGraph>> rebuild(const GraphInUse &use, const Shape &shape,
                                                      TimingRequest &request,
                                                      std::uint64_t graphNumber) const;
  /// The graph is timed, if it was `made`.
  Expected<void> set(Expected<std::shared_ptr<const TimedGraph>> made) REQUIRES(mutex_);

  Services &services_;
  GraphClock &clock_;
  Device *const device_ = clock_.currentDevice();
  const std::shared_ptr<Capture> capture_;

  std::shared_ptr<GraphLife> life_ = std::make_shared<GraphLife>(); // of the program's graph
  std::atomic<bool> used_{false};
  std::atomic<State> state_ = State::Recording; // set under mutex_

  mutable Mutex mutex_;
  bool edited_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<Recorder> recorder_ GUARDED_BY(mutex_); // until it is timed
  std::shared_ptr<const TimedGraph> timed_ GUARDED_BY(mutex_);
  std::unordered_set<driver::Node> gone_ GUARDED_BY(mutex_); // nodes with twins that were destroyed
  // Of a rebuilt graph: its own regions, without those of children.
  Extents extents_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The registry of one captured graph: its regions in capture order, where they begin and end, and,
// when the capture has ended, the profiled graph that was made from it. It knows clocks, but no
// launches, harvests or outputs.
//
// During the capture, boundaries are noted or marked (Marks.h).
//
// The life of a registry:
//
//   state     | from                      | timing nodes are in       | what may be called
//   ----------+---------------------------+---------------------------+------------------------------
//   Recording | the capture's begin, or   | none; where it is marked, | open, close, time
//             | its first region; until   | the program's graph       |
//             | the graph's first use     |                           |
//   Timed     | time() worked             | the profiled graph; or in | execs made and updated from
//             |                           | place                     | it, edited
//   Untimed   | nothing to time, or       | none, or in place and     | nothing
//             | time() failed             | doing nothing             |
//
// Threads: several threads may capture into one graph, so marks take the lock. What it hands out, a
// TimedGraph, nobody changes: while one thread edits a graph, another may use what was made from it
// before, in a graph around a copy of it. Neither does the graph itself change any more that was
// used(): its exec may be made much later. After an edit, the graph gets another registry at its
// next use.

#ifndef GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H
#define GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/registry/CaptureRecorder.h"
#include "graph/registry/ChildPlan.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/Choice.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimingNodes.h"
#include "graph/topology/Frontier.h"

namespace graphprof {

struct ChildUse;
class Services;

class Registry {
public:
  enum class State : std::uint8_t { Recording, Timed, Untimed };

  /// For the capture that `frontier` is in. `origin` is its origin or, if the begin of the capture
  /// was not seen, one of its streams.
  Registry(Services &services, GraphClock &clock, driver::Stream origin, const Frontier &frontier,
           bool isBody);
  /// For a capture that is not timed: the state is Untimed from the begin.
  Registry(Services &services, GraphClock &clock, std::uint64_t captureId);
  /// For a graph that was built by hand: time() must come next.
  Registry(Services &services, GraphClock &clock, std::shared_ptr<Recorder> built);
  /// Destroys the profiled graph, too.
  ~Registry();
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;

  [[nodiscard]] std::uint64_t captureId() const { return captureId_; }
  [[nodiscard]] driver::Stream origin() const { return origin_; }
  /// A body is captured into again. Returns false if it is too late for that.
  bool resume(driver::Stream origin, std::uint64_t captureId) EXCLUDES(mutex_);
  [[nodiscard]] GraphClock &clock() const { return clock_; }
  /// The device on which it was captured or built.
  [[nodiscard]] Device *device() const { return device_; }
  [[nodiscard]] State state() const { return state_; }
  /// Call this when the capture has ended. `graph`: what came of it; null: nothing.
  void captureEnded(driver::Graph graph) EXCLUDES(mutex_);
  [[nodiscard]] bool hasEnded() const { return ended_; }
  /// Whether the program's graph already contains timing nodes.
  [[nodiscard]] bool marked() const EXCLUDES(mutex_);
  [[nodiscard]] bool hasRegions() const EXCLUDES(mutex_) { return regionCount() > 0; }
  [[nodiscard]] std::size_t regionCount() const EXCLUDES(mutex_);

  /// An exec was made or updated from it, or will be; or a child node holds a copy of its rebuilt
  /// graph. That graph does not change any more.
  void used() { used_ = true; }
  /// The number of regions that are in no exec.
  [[nodiscard]] std::size_t unused() const EXCLUDES(mutex_);

  /// Is a capture in progress, as far as was seen?
  [[nodiscard]] static bool anyUnderCapture() {
    return underCapture.load(std::memory_order_relaxed) > 0;
  }
  /// A stream of this capture waited for an event, so it may have several streams.
  void forked() EXCLUDES(mutex_);
  /// The thread that began the capture is about to end it; its origin is at `frontier`. Ends the
  /// regions of threads that joined.
  void captureEnding(const Frontier &frontier) EXCLUDES(mutex_);

  /// The graph got a node that it cannot be cloned with.
  void cannotBeCopied() EXCLUDES(mutex_);

  /// Opens a region at the frontier of `stream`, which contains what `holds` says, and returns its
  /// index; noRegion if the driver refuses the boundary.
  std::size_t open(const Site &site, std::vector<Value> context, int depth, driver::Stream stream,
                   const Frontier &frontier, Holds holds) EXCLUDES(mutex_);
  /// The name of an open region; empty if there is none any more.
  [[nodiscard]] std::string nameOf(std::size_t region) const EXCLUDES(mutex_);
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier) EXCLUDES(mutex_);
  static constexpr std::size_t noRegion = SIZE_MAX;
  /// The same for a thread that joined this capture, which another one began and may end at any
  /// time. The region contains what its thread adds, in whatever stream.
  std::size_t openJoined(const Site &site, std::vector<Value> context, int depth) EXCLUDES(mutex_);
  void closeJoined(std::size_t region) EXCLUDES(mutex_);
  /// Is the region open, and the capture in progress?
  [[nodiscard]] bool isOpen(std::size_t region) const EXCLUDES(mutex_);
  /// How many regions are open in the stream in which the capture began, apart from those of
  /// threads that joined.
  [[nodiscard]] int openInOrigin() const EXCLUDES(mutex_);
  /// Removes the region that was opened last; its boundary stays.
  void discard(std::size_t region) EXCLUDES(mutex_);

  /// Call this before an exec or something else is made from the graph. Chooses how to time it
  /// (Choice.h), and does so. Returns false if regions are lost; then `why` says why.
  bool time(const GraphInUse &use, std::string &why) EXCLUDES(mutex_);
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
  /// A registry for the graph in its present state, which is in use, with the same regions. Null if
  /// the driver refuses, or the handle belongs to another graph; then `why` says why.
  [[nodiscard]] std::shared_ptr<Registry> rebuilt(const GraphInUse &use, std::string &why) const
      EXCLUDES(mutex_);

private:
  /// Counts it among the captures in progress, or not.
  void count(bool underCaptureNow) {
    if (counted_.exchange(underCaptureNow) != underCaptureNow)
      underCapture += underCaptureNow ? 1 : -1;
  }
  /// Null when the capture's regions were taken, and if the graph was built by hand.
  [[nodiscard]] CaptureRecorder *capture() const REQUIRES(mutex_);
  std::size_t openAt(const Site &site, std::vector<Value> context, int depth, driver::Stream stream,
                     const Frontier &frontier, Holds holds) REQUIRES(mutex_);
  /// Where the origin is. Not where the capture has ended, or is ending: the origin may be gone.
  [[nodiscard]] std::optional<Frontier> frontierOfOrigin() const REQUIRES(mutex_);
  [[nodiscard]] const RebuiltGraph *rebuiltGraph() const REQUIRES(mutex_) {
    return timed_ ? timed_->rebuilt() : nullptr;
  }
  /// Times the graph of `shape` in another one, as timeRebuilt() does.
  [[nodiscard]] std::shared_ptr<const TimedGraph> rebuild(const GraphInUse &use, const Shape &shape,
                                                          TimingRequest &request,
                                                          std::uint64_t graphNumber,
                                                          std::string &why) const;
  void set(std::shared_ptr<const TimedGraph> timed) REQUIRES(mutex_);

  static inline std::atomic<int> underCapture{0};

  Services &services_;
  GraphClock &clock_;
  Device *const device_ = Device::current();
  std::atomic<std::uint64_t> captureId_;
  std::atomic<driver::Stream> origin_ = nullptr;

  std::atomic<bool> ended_{false}, counted_{false};
  std::atomic<bool> used_{false};
  std::atomic<State> state_ = State::Recording; // set under mutex_

  mutable Mutex mutex_;
  bool ending_ GUARDED_BY(mutex_) = false;
  bool edited_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<Recorder> recorder_ GUARDED_BY(mutex_); // until it is timed
  std::shared_ptr<const TimedGraph> timed_ GUARDED_BY(mutex_);
  std::unordered_set<driver::Node> gone_ GUARDED_BY(mutex_); // nodes with twins that were destroyed
  // Of a rebuilt graph: its own regions, without those of children.
  Extents extents_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

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
// Threads: several threads may capture into one graph, so marks take the lock. A registry hands out
// copies, or snapshots that nobody changes: while one thread edits a graph, another may use what
// was made from it before, in a graph around a copy of it. So a profiled graph that is given() to
// child nodes does not change any more, and neither does one that was used(), because its exec may
// be made much later. After an edit, the graph gets another registry at its next use.

#ifndef GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H
#define GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/registry/CaptureRecorder.h"
#include "graph/registry/ChildPlan.h"
#include "graph/registry/Profile.h"
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

  /// An exec was made or updated from it, or will be. The profiled graph does not change any more.
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

  /// Where a body's iterations are written; null for other graphs.
  [[nodiscard]] std::shared_ptr<ReplayBuffer> ring() const EXCLUDES(mutex_);
  /// Where an exec of a graph that is timed in place writes its times; null for other graphs.
  [[nodiscard]] std::shared_ptr<ReplayBuffer> inPlace() const EXCLUDES(mutex_);
  /// Takes that buffer for one exec. Returns false if it is spoiled, or if this second exec has
  /// spoiled it.
  bool claim();
  void release() { claimed_ = false; }
  /// An exec that nobody follows writes to that buffer. So its times are useless, and it must not
  /// be reused.
  void spoil();
  [[nodiscard]] bool spoiled() const { return *spoiled_; }

  /// For a graph that is timed in place: the child nodes with timing nodes in their graphs,
  /// including those in its bodies. Null if there are none.
  [[nodiscard]] std::shared_ptr<const TimedChildren> timedChildren() const EXCLUDES(mutex_);
  /// The entry for `holder`; nullopt if there is none.
  [[nodiscard]] std::optional<TimedChild> timedChild(driver::Node holder) const EXCLUDES(mutex_);
  /// The program gives such a node of its graph, `holder`, another graph with these timing nodes.
  /// Call bindChild() before, setChild() after. `child` and the result are those of exchangeIn().
  void bindChild(driver::Node holder, std::span<const driver::Node> timing) const EXCLUDES(mutex_);
  bool setChild(driver::Node holder, const TimingNodes &timing, const Registry *child)
      EXCLUDES(mutex_);
  /// Whether any registry ever had a timed child.
  [[nodiscard]] static bool anyTimedChild();

  /// The profiled graph, or null.
  [[nodiscard]] driver::Graph profiled() const EXCLUDES(mutex_);
  /// The present table; null if nothing is timed.
  [[nodiscard]] std::shared_ptr<const RegionTable> table() const EXCLUDES(mutex_);
  /// Makes an exec of the profiled graph that times into `buffer`; null if the driver refuses.
  [[nodiscard]] driver::Exec instantiate(ReplayBuffer &buffer, unsigned long long flags) const
      EXCLUDES(execMutex_, mutex_);
  /// Updates an exec of another registry from the profiled graph. Returns false if the driver
  /// refuses.
  [[nodiscard]] bool update(driver::Exec exec, ReplayBuffer &buffer) const
      EXCLUDES(execMutex_, mutex_);
  /// Call this when an exec that times into `buffer` was made from the profiled graph.
  void attach(ReplayBuffer &buffer) const EXCLUDES(mutex_);
  [[nodiscard]] ProfiledGraph profiledGraph() const EXCLUDES(mutex_);
  /// The same, for a child node that holds a copy: the profiled graph does not change any more.
  [[nodiscard]] std::shared_ptr<const ProfiledGraph> given() EXCLUDES(mutex_);
  /// The profiled graph's timing nodes.
  [[nodiscard]] TimingNodes timingNodes() const EXCLUDES(mutex_);
  /// The boundaries of the child graph in `holder`, a node of the profiled graph; nullopt if it is
  /// not timed.
  [[nodiscard]] std::optional<BoundaryRange> boundariesIn(driver::Node holder) const
      EXCLUDES(mutex_);
  /// Pairs of the program's nodes in `copy`, a copy of its graph, and the profiled graph's nodes.
  using Pairs = std::vector<std::pair<driver::Node, driver::Node>>;
  [[nodiscard]] Pairs twinsOf(driver::Graph copy) const EXCLUDES(mutex_);
  /// The profiled graph's counterpart of a node of the program; null if there is none.
  [[nodiscard]] driver::Node twin(driver::Node node) const EXCLUDES(mutex_);
  /// The program changes `node` of its graph. Returns the twin to change the same way, or null; in
  /// that case the graph's next use makes another profiled graph.
  [[nodiscard]] driver::Node changing(driver::Node node) EXCLUDES(mutex_);
  /// The program's nodes that have twins or are timedChildren(), for NodeIndex. nullopt while it is
  /// Recording; later only setChild() adds nodes.
  [[nodiscard]] std::optional<std::vector<driver::Node>> nodes() const EXCLUDES(mutex_);

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
  /// Whether `graph`, which has the same handle, contains the timing nodes of this graph, which is
  /// timed in place.
  [[nodiscard]] bool standsIn(driver::Graph graph) const EXCLUDES(mutex_);
  /// A registry for the graph in its present state, which is in use, with the same regions. Null if
  /// the driver refuses, or the handle belongs to another graph; then `why` says why.
  [[nodiscard]] std::shared_ptr<Registry> rebuilt(const GraphInUse &use, std::string &why) const
      EXCLUDES(mutex_);
  /// May execs still be made from it?
  [[nodiscard]] bool usable() const EXCLUDES(mutex_);

private:
  /// Points the profiled graph's timing nodes at a buffer and returns the graph; null if that
  /// failed.
  [[nodiscard]] driver::Graph bound(ReplayBuffer &buffer) const REQUIRES(execMutex_)
      EXCLUDES(mutex_);
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
    return timed_ ? std::get_if<RebuiltGraph>(&timed_->way) : nullptr;
  }
  [[nodiscard]] ProfiledGraph profiledNow() const REQUIRES(mutex_);
  /// The two ways of time().
  bool rebuild(const GraphInUse &use, const Shape &shape, TimingRequest request, std::string &why)
      REQUIRES(mutex_);
  bool placeIn(const GraphInUse &use, TimingRequest request, std::string &why) REQUIRES(mutex_);
  /// The rebuilt graph of `shape`. Takes the regions of `request`. nullopt if the driver refuses;
  /// then `why` says why.
  std::optional<Profile> profileOf(const GraphInUse &use, const Shape &shape,
                                   TimingRequest &request, std::string &why) const;
  /// `graphNumber`: that of the registry that this one replaces; 0: a new number.
  void take(Profile profile, std::uint64_t graphNumber) REQUIRES(mutex_);

  static inline std::atomic<int> underCapture{0};

  Services &services_;
  GraphClock &clock_;
  Device *const device_ = Device::current();
  std::atomic<std::uint64_t> captureId_;
  std::atomic<driver::Stream> origin_ = nullptr;

  std::atomic<bool> ended_{false}, counted_{false};
  std::atomic<bool> used_{false};
  std::atomic<bool> claimed_{false}; // for the buffer of a graph that is timed in place
  const std::shared_ptr<std::atomic<bool>> spoiled_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<State> state_ = State::Recording; // set under mutex_

  // Until the exec is made, the profiled graph's timing nodes point at its buffer.
  mutable Mutex execMutex_ ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  bool ending_ GUARDED_BY(mutex_) = false;
  bool edited_ GUARDED_BY(mutex_) = false;
  bool given_ GUARDED_BY(mutex_) = false; // child nodes hold copies of the profiled graph
  std::shared_ptr<Recorder> recorder_ GUARDED_BY(mutex_); // until it is timed
  std::unique_ptr<TimedGraph> timed_ PT_GUARDED_BY(mutex_) GUARDED_BY(mutex_);
  // Of a rebuilt graph: its own regions, without those of children.
  Extents extents_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

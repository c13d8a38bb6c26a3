// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The registry of one captured graph: its regions in capture order, where they begin and end, and,
// once the capture has ended, the profiled graph that was made of it. It knows clocks; it knows
// nothing of launches, harvests or outputs.
//
// Boundaries are noted or marked while the capture goes on (Marks.h).
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
// Threads: several streams of one capture may be fed by several threads, so marks lock. What is
// handed out of a registry is a copy, or a snapshot that nobody changes: while one thread edits a
// graph, another may be using what was made of it before, in a graph around a copy of it. So the
// profiled graph that child nodes hold copies of, once it is given(), is not changed any more; an
// edit then costs the graph another registry, at its next use. The same goes for one that was
// used(): its exec may be made much later, and is to do what the program's exec does.

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

class Registry {
public:
  enum class State : std::uint8_t { Recording, Timed, Untimed };

  /// Of the capture that `frontier` is in, whose origin is `origin`, or where the capture's begin
  /// was not seen a stream of it.
  Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier, bool isBody);
  /// Of a capture that is left alone: it is Untimed from the beginning.
  Registry(GraphClock &clock, std::uint64_t captureId);
  /// Of a graph that is built: time() comes next.
  Registry(GraphClock &clock, std::shared_ptr<Recorder> built);
  /// The profiled graph goes with the registry.
  ~Registry();
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;

  [[nodiscard]] std::uint64_t captureId() const { return captureId_; }
  [[nodiscard]] driver::Stream origin() const { return origin_; }
  /// A body is captured into once more. False where that comes too late.
  bool resume(driver::Stream origin, std::uint64_t captureId) EXCLUDES(mutex_);
  [[nodiscard]] GraphClock &clock() const { return clock_; }
  /// The device that it was captured on, or built.
  [[nodiscard]] Device *device() const { return device_; }
  [[nodiscard]] State state() const { return state_; }
  /// The capture has ended.
  void captureEnded() {
    ended_ = true;
    count(false);
  }
  [[nodiscard]] bool hasEnded() const { return ended_; }
  /// Whether timing nodes of its stand in the program's graph already.
  [[nodiscard]] bool marked() const EXCLUDES(mutex_);
  [[nodiscard]] bool hasRegions() const EXCLUDES(mutex_) { return regionCount() > 0; }
  [[nodiscard]] std::size_t regionCount() const EXCLUDES(mutex_);

  /// An exec was made or updated from it, or is to be: the profiled graph stays as it is from now
  /// on.
  void used() { used_ = true; }
  /// How many regions went into no exec.
  [[nodiscard]] std::size_t unused() const EXCLUDES(mutex_);

  /// Is there a capture that has not ended, as far as was seen?
  [[nodiscard]] static bool anyUnderCapture() {
    return underCapture.load(std::memory_order_relaxed) > 0;
  }
  /// `stream`, of this capture, is about to wait for an event; it has waited for one.
  void waiting(driver::Stream stream, const Frontier &frontier) EXCLUDES(mutex_);
  void waited(driver::Stream stream, const Frontier &frontier) EXCLUDES(mutex_);

  /// The graph got a node that it cannot be copied with.
  void cannotBeCopied() EXCLUDES(mutex_);

  /// Opens a region at the frontier of `stream`; its index, or noRegion where the driver refuses
  /// the boundary.
  std::size_t open(const Site &site, std::vector<Value> context, int depth, driver::Stream stream,
                   const Frontier &frontier) EXCLUDES(mutex_);
  /// The name of one that was opened; empty where there is none by now.
  [[nodiscard]] std::string nameOf(std::size_t region) const EXCLUDES(mutex_);
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier) EXCLUDES(mutex_);
  static constexpr std::size_t noRegion = SIZE_MAX;
  /// Has it neither been closed nor its capture ended?
  [[nodiscard]] bool isOpen(std::size_t region) const EXCLUDES(mutex_);
  /// How many are open in the stream in which the capture began.
  [[nodiscard]] int openInOrigin() const EXCLUDES(mutex_);
  /// `stream` is about to be destroyed: what is open in it ends.
  void streamGoes(driver::Stream stream, const Frontier &frontier) EXCLUDES(mutex_);
  /// Takes back the region that was opened last; its boundary stays.
  void discard(std::size_t region) EXCLUDES(mutex_);

  /// The graph is about to be used: an exec made of it, or something else. Chooses how it is timed
  /// (Choice.h), and does so. False where regions are lost: then the reason is in `why`.
  bool time(const GraphInUse &use, std::string &why) EXCLUDES(mutex_);
  /// What is known of a graph before its nodes are looked at: isUnique is not, and hasTimedNodes
  /// means that it may have some.
  [[nodiscard]] static GraphFacts factsOf(const GraphInUse &use, const Recorder &recorder);

  /// Where a body's iterations are written; null for other graphs.
  [[nodiscard]] std::shared_ptr<ReplayBuffer> ring() const EXCLUDES(mutex_);
  /// Where an exec of a graph that is timed in place writes its times; null for another graph.
  [[nodiscard]] std::shared_ptr<ReplayBuffer> inPlace() const EXCLUDES(mutex_);
  /// Takes that buffer for one exec. False where it is spoiled, now by the second of two.
  bool claim();
  void release() { claimed_ = false; }
  /// An exec writes to that buffer which nobody reads: what is in it is no exec's times any more,
  /// and it can be nobody else's.
  void spoil();
  [[nodiscard]] bool spoiled() const { return *spoiled_; }

  /// The child nodes with timing nodes in what they hold, of a graph that is timed in place, with
  /// those in its bodies. Null where there are none.
  [[nodiscard]] std::shared_ptr<const TimedChildren> timedChildren() const EXCLUDES(mutex_);
  /// The one that is `holder`; nullopt where there is none.
  [[nodiscard]] std::optional<TimedChild> timedChild(driver::Node holder) const EXCLUDES(mutex_);
  /// The program gives `holder`, such a node of its graph, another graph, with these timing nodes:
  /// before, and when it did so. `child` is as exchangeIn()'s, which says what is returned.
  void bindChild(driver::Node holder, std::span<const driver::Node> timing) const EXCLUDES(mutex_);
  bool setChild(driver::Node holder, const TimingNodes &timing, const Registry *child)
      EXCLUDES(mutex_);
  /// Whether there ever was one, in any registry.
  [[nodiscard]] static bool anyTimedChild();

  /// The profiled graph, or null.
  [[nodiscard]] driver::Graph profiled() const EXCLUDES(mutex_);
  /// As it is now; null where nothing is timed.
  [[nodiscard]] std::shared_ptr<const RegionTable> table() const EXCLUDES(mutex_);
  /// An exec of the profiled graph, which times into `buffer`; null where the driver refuses.
  [[nodiscard]] driver::Exec instantiate(ReplayBuffer &buffer, unsigned long long flags) const
      EXCLUDES(execMutex_, mutex_);
  /// Updates one of another registry's from the profiled graph. False where the driver refuses.
  [[nodiscard]] bool update(driver::Exec exec, ReplayBuffer &buffer) const
      EXCLUDES(execMutex_, mutex_);
  /// An exec that times into `buffer` was made from the profiled graph.
  void attach(ReplayBuffer &buffer) const EXCLUDES(mutex_);
  [[nodiscard]] ProfiledGraph profiledGraph() const EXCLUDES(mutex_);
  /// The same, for a child node that holds a copy: the profiled graph stays as it is from now on.
  [[nodiscard]] std::shared_ptr<const ProfiledGraph> given() EXCLUDES(mutex_);
  /// The profiled graph's timing nodes.
  [[nodiscard]] TimingNodes timingNodes() const EXCLUDES(mutex_);
  /// The boundaries of the child graph that `holder`, a node of the profiled graph, holds; nullopt
  /// where it is not timed.
  [[nodiscard]] std::optional<BoundaryRange> boundariesIn(driver::Node holder) const
      EXCLUDES(mutex_);
  /// Of the program's nodes in `copy`, a copy of its graph, with the profiled graph's.
  using Pairs = std::vector<std::pair<driver::Node, driver::Node>>;
  [[nodiscard]] Pairs twinsOf(driver::Graph copy) const EXCLUDES(mutex_);
  /// The profiled graph's node for one of the program's; null where there is none.
  [[nodiscard]] driver::Node twin(driver::Node node) const EXCLUDES(mutex_);
  /// The program changes `node` of its graph: the twin that is to be changed alike, or null. Then
  /// the profiled graph of the graph's next use is another one.
  [[nodiscard]] driver::Node changing(driver::Node node) EXCLUDES(mutex_);
  /// Of the program's: those that have twins or are timedChildren(), for NodeIndex. Nullopt while
  /// it is Capturing; later, nodes come with setChild() only.
  [[nodiscard]] std::optional<std::vector<driver::Node>> nodes() const EXCLUDES(mutex_);

  /// The registry of `clone`, which the program cloned from this one's graph: with the same regions
  /// and a profiled graph of its own. Null where the driver refuses.
  [[nodiscard]] std::shared_ptr<Registry> cloned(driver::Graph clone) const EXCLUDES(mutex_);

  /// The program changed `node` of its graph, and its twin was changed alike.
  void nodeChanged(driver::Node node) EXCLUDES(mutex_);
  /// The program changed its graph after the split in another way: it needs another registry,
  /// rebuilt(). Returns whether there can be none: the graph is timed in place.
  bool edited() EXCLUDES(mutex_);
  /// The program is about to take `node` out of its graph.
  void nodeGoes(driver::Node node) EXCLUDES(mutex_);
  /// May the program's graph be another than the one that this was split from, and can there be
  /// another registry of it?
  [[nodiscard]] bool mayBeStale() const EXCLUDES(mutex_);
  /// Whether `graph`, which has its graph's handle, holds its timing nodes: it is timed in place.
  [[nodiscard]] bool standsIn(driver::Graph graph) const EXCLUDES(mutex_);
  /// Of the graph as it is now, which is in use, with the same regions. Null where the driver
  /// refuses, or it is another graph than this one's; then `why` says why.
  [[nodiscard]] std::shared_ptr<Registry> rebuilt(const GraphInUse &use, std::string &why) const
      EXCLUDES(mutex_);
  /// May execs still be made from it?
  [[nodiscard]] bool usable() const EXCLUDES(mutex_);

private:
  /// Points the profiled graph's timing nodes at a buffer. The profiled graph; null where that
  /// failed.
  [[nodiscard]] driver::Graph bound(ReplayBuffer &buffer) const REQUIRES(execMutex_)
      EXCLUDES(mutex_);
  /// Among those that are under capture.
  void count(bool underCaptureNow) {
    if (counted_.exchange(underCaptureNow) != underCaptureNow)
      underCapture += underCaptureNow ? 1 : -1;
  }
  /// Null once the capture's regions are taken, and where the graph was built.
  [[nodiscard]] CaptureRecorder *capture() const REQUIRES(mutex_);
  [[nodiscard]] const RebuiltGraph *rebuiltGraph() const REQUIRES(mutex_) {
    return timed_ ? std::get_if<RebuiltGraph>(&timed_->way) : nullptr;
  }
  [[nodiscard]] ProfiledGraph profiledNow() const REQUIRES(mutex_);
  /// The two ways of time().
  bool rebuild(const GraphInUse &use, const Shape &shape, TimingRequest request, std::string &why)
      REQUIRES(mutex_);
  bool placeIn(const GraphInUse &use, TimingRequest request, std::string &why) REQUIRES(mutex_);
  /// The graph of `shape`, rebuilt. Takes the regions of `request`. nullopt where the driver
  /// refuses; then `why` says why.
  std::optional<Profile> profileOf(const GraphInUse &use, const Shape &shape,
                                   TimingRequest &request, std::string &why) const;
  /// `graphNumber`: of the registry whose place it takes; 0: a new one.
  void take(Profile profile, std::uint64_t graphNumber) REQUIRES(mutex_);

  static inline std::atomic<int> underCapture{0};

  GraphClock &clock_;
  Device *const device_ = Device::current();
  std::atomic<std::uint64_t> captureId_;
  std::atomic<driver::Stream> origin_ = nullptr;

  std::atomic<bool> ended_{false}, counted_{false};
  std::atomic<bool> used_{false};
  std::atomic<bool> claimed_{false}; // the buffer of a graph that is timed in place
  const std::shared_ptr<std::atomic<bool>> spoiled_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<State> state_ = State::Recording; // set under mutex_

  // The profiled graph's timing nodes point at the buffer of one exec, until that is made.
  mutable Mutex execMutex_ ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  bool edited_ GUARDED_BY(mutex_) = false;
  bool given_ GUARDED_BY(mutex_) = false; // child nodes hold copies of the profiled graph
  std::shared_ptr<Recorder> recorder_ GUARDED_BY(mutex_); // until it is timed
  std::unique_ptr<TimedGraph> timed_ PT_GUARDED_BY(mutex_) GUARDED_BY(mutex_);
  // of a rebuilt graph: of its own regions, children's not among them
  Extents extents_ GUARDED_BY(mutex_);
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REGISTRY_H

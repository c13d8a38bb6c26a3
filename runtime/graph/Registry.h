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
//   Capturing | the capture's begin, or   | none; where it is marked, | open, close, split, stay
//             | its first region; until   | the program's graph       |
//             | the graph's first use     |                           |
//   Split     | split() or stay() worked  | the profiled graph; or in | execs made and updated from
//             |                           | place                     | it, edited
//   Inert     | nothing to time, or       | none, or in place and     | nothing
//             | split() failed            | doing nothing             |
//
// Threads: several streams of one capture may be fed by several threads, so marks lock. A registry
// that is Split changes only through edited(), nodeChanged() and the program's own, unsynchronised
// use of the graph.

#ifndef GRAPHPROF_GRAPH_REGISTRY_H
#define GRAPHPROF_GRAPH_REGISTRY_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/ChildPlan.h"
#include "graph/Frontier.h"
#include "graph/Lanes.h"
#include "graph/Marks.h"
#include "graph/Profile.h"
#include "graph/RegionTable.h"
#include "graph/TimingNodes.h"
#include "graph/Twins.h"

namespace graphprof {

struct ChildUse;

class Registry {
public:
  enum class State : std::uint8_t { Capturing, Split, Inert };

  enum class Role : std::uint8_t { Graph, Body };
  /// Of the capture that `frontier` is in, whose origin is `origin`, or where the capture's begin
  /// was not seen a stream of it. That of a body is marked from the beginning.
  Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier, Role role);
  /// One that is Inert from the beginning: the capture is left alone.
  Registry(GraphClock &clock, std::uint64_t captureId);
  /// A profiled graph that was made outside of any capture.
  /// `graphNumber`: of the registry whose place it takes; 0: a new one.
  Registry(GraphClock &clock, Profile profile, std::uint64_t graphNumber = 0);
  /// Timing nodes that stand in the program's own graph: stay() comes next.
  struct InPlace {
    std::vector<driver::Node> timing; ///< by boundary
    std::vector<Region> regions;
    Owners owners; ///< of nodes
  };
  Registry(GraphClock &clock, InPlace inPlace);
  /// The profiled graph goes with the registry.
  ~Registry();
  Registry(const Registry &) = delete;
  Registry &operator=(const Registry &) = delete;

  /// Graphs with regions are counted through, from 1.
  static std::uint64_t nextGraphNumber();

  [[nodiscard]] std::uint64_t captureId() const { return captureId_; }
  [[nodiscard]] driver::Stream origin() const { return origin_; }
  /// A body is captured into once more. Not beside origin(). False where that comes too late.
  bool resume(driver::Stream origin, std::uint64_t captureId);
  [[nodiscard]] GraphClock &clock() const { return clock_; }
  /// The device that it was captured on, or built.
  [[nodiscard]] Device *device() const { return device_; }
  [[nodiscard]] State state() const;
  /// The capture has ended.
  void captureEnded() {
    ended_ = true;
    count(false);
  }
  [[nodiscard]] bool hasEnded() const { return ended_; }
  /// Whether timing nodes of its stand in the program's graph already.
  [[nodiscard]] bool marked() const;
  [[nodiscard]] bool hasRegions() const { return regionCount() > 0; }
  [[nodiscard]] std::size_t regionCount() const;

  /// An exec was made or updated from it.
  void used() { used_ = true; }
  /// How many regions went into no exec.
  [[nodiscard]] std::size_t unused() const;

  /// Is there a capture that has not ended, as far as was seen?
  [[nodiscard]] static bool anyUnderCapture() {
    return underCapture.load(std::memory_order_relaxed) > 0;
  }
  /// `stream`, of this capture, is about to wait for an event; it has waited for one.
  void waiting(driver::Stream stream, const Frontier &frontier);
  void waited(driver::Stream stream, const Frontier &frontier);

  /// The graph got a node that it cannot be copied with.
  void cannotBeCopied() { marks_.cannotBeCopied(); }

  /// Opens a region at the frontier of `stream`; its index, or noRegion where the driver refuses
  /// the boundary.
  std::size_t open(const Site &site, std::vector<Value> context, int depth, driver::Stream stream,
                   const Frontier &frontier);
  /// The name of one that was opened; empty where there is none by now.
  [[nodiscard]] std::string nameOf(std::size_t region) const;
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier);
  static constexpr std::size_t noRegion = SIZE_MAX;
  /// Takes back the region that was opened last; its boundary stays.
  void discard(std::size_t region);

  /// The capture has ended with `graph`, of which an exec is about to be made, or another use:
  /// makes the profiled graph of what it is now. One that cannot be copied
  /// (memory or conditional nodes) gets timing nodes and what publishes a replay itself: it is
  /// timed in place, by the program's own exec. `uses` are its child nodes that are to be timed.
  /// False where regions are lost: then the reason is in `why`.
  bool split(driver::Graph graph, std::span<const ChildUse> uses, std::string &why);

  /// A body of a conditional node in this graph.
  struct Body {
    driver::Node node;
    BodyTable table;
    std::vector<TimedChild> children; ///< the body's timedChildren()
  };
  /// Instead of split(), for a graph that holds conditional nodes, and for their bodies: the timing
  /// nodes come into it, or stay. Each of `bodies` gets a node that counts its iterations. `depth`
  /// regions stand around a body. `uses` are its child nodes that are to be timed. Where there is
  /// nothing to time, the nodes are taken out again.
  bool stay(driver::Graph graph, Role role, int depth, std::span<const ChildUse> uses,
            std::span<const Body> bodies, std::string &why);
  /// Where a body's iterations are written; null for other graphs. Its graph's buffer retires it.
  [[nodiscard]] const std::shared_ptr<ReplayBuffer> &ring() const { return ring_; }

  /// Where an exec of a graph that is timed in place writes its times; null for another graph.
  /// Retired when its last user lets go, unless it is spoiled.
  [[nodiscard]] const std::shared_ptr<ReplayBuffer> &inPlace() const { return inPlace_; }
  /// Takes that buffer for one exec. False where it is spoiled, now by the second of two.
  bool claim();
  void release() { claimed_ = false; }
  /// An exec writes to that buffer which nobody reads: what is in it is no exec's times any more,
  /// and it can be nobody else's.
  void spoil();
  [[nodiscard]] bool spoiled() const { return *spoiled_; }

  /// The child nodes with timing nodes in what they hold, of a graph that is timed in place, with
  /// those in its bodies.
  [[nodiscard]] const std::vector<TimedChild> &timedChildren() const { return timedChildren_; }
  /// The one that is `holder`; null where there is none.
  [[nodiscard]] const TimedChild *timedChild(driver::Node holder) const;
  /// The program gives `holder`, such a node of its graph, another graph, with these timing nodes:
  /// before, and when it did so. `child` is as exchangeIn()'s, which says what is returned.
  void bindChild(driver::Node holder, std::span<const driver::Node> timing) const;
  bool setChild(driver::Node holder, const TimingNodes &timing, const Registry *child);
  /// Whether there ever was one, in any registry.
  [[nodiscard]] static bool anyTimedChild();

  /// The profiled graph, or null.
  [[nodiscard]] driver::Graph profiled() const { return profiled_; }
  [[nodiscard]] const std::shared_ptr<const RegionTable> &table() const { return table_; }
  /// Points the profiled graph's timing nodes at a buffer.
  bool bind(ReplayBuffer &buffer) const { return buffer.bind(clockNodes()); }
  /// An exec that times into `buffer` was made from the profiled graph.
  void attach(ReplayBuffer &buffer) const { buffer.attach(clockNodes()); }
  /// The profiled graph's timing nodes, and what publishes its replays.
  [[nodiscard]] TimingNodes timingNodes() const;
  [[nodiscard]] driver::Node final() const { return final_; }
  /// What its replays begin with; one of the timing nodes, or not.
  [[nodiscard]] driver::Node root() const { return root_; }
  /// The boundaries of the child graph that `holder`, a node of the profiled graph, holds; nullopt
  /// where it is not timed.
  [[nodiscard]] std::optional<BoundaryRange> boundariesIn(driver::Node holder) const;
  /// Of the program's nodes in `copy`, a copy of its graph, with the profiled graph's.
  using Pairs = std::vector<std::pair<driver::Node, driver::Node>>;
  [[nodiscard]] Pairs twinsOf(driver::Graph copy) const;
  /// The profiled graph's node for one of the program's; null where there is none.
  [[nodiscard]] driver::Node twin(driver::Node node) const;

  /// The registry of `clone`, which the program cloned from this one's graph: with the same regions
  /// and a profiled graph of its own. Null where the driver refuses.
  [[nodiscard]] std::shared_ptr<Registry> cloned(driver::Graph clone) const;

  /// The program changed `node` of its graph, and its twin was changed alike.
  void nodeChanged(driver::Node node);
  /// The program changed its graph after the split in another way: it needs another registry,
  /// anew(). Returns whether there can be none: the graph is timed in place.
  bool edited();
  /// The program is about to take `node` out of its graph.
  void nodeGoes(driver::Node node);
  /// May the program's graph be another than the one that this was split from, and can there be
  /// another registry of it?
  [[nodiscard]] bool mayBeStale() const;
  /// Whether `graph`, which has its graph's handle, holds its timing nodes: it is timed in place.
  [[nodiscard]] bool standsIn(driver::Graph graph) const;
  /// Of the graph as it is now, with the same regions. Null where the driver refuses, or it is
  /// another graph than this one's; then `why` says why.
  [[nodiscard]] std::shared_ptr<Registry> anew(driver::Graph graph, std::span<const ChildUse> uses,
                                               std::string &why) const;
  /// May execs still be made from it?
  [[nodiscard]] bool usable() const;

private:
  /// Among those that are under capture.
  void count(bool underCaptureNow) {
    if (counted_.exchange(underCaptureNow) != underCaptureNow)
      underCapture += underCaptureNow ? 1 : -1;
  }
  /// How many of timing_ are no child's.
  [[nodiscard]] std::size_t ownTiming() const;
  [[nodiscard]] ClockNodes clockNodes() const { return {root_, timing_, final_}; }
  /// Its regions, with what they begin and end behind in its graph, of `shape`; nullopt where that
  /// cannot be said. Then `why` says why.
  std::optional<Wanted> takeWanted(const Shape &shape, std::string &why);
  /// The profiled graph of `graph`, of `shape`. Takes the regions of `wanted`. nullopt where the
  /// driver refuses; then `why` says why.
  std::optional<Profile> profileOf(driver::Graph graph, const Shape &shape, Wanted &wanted,
                                   std::span<const ChildUse> uses, std::string &why) const;
  /// split() of a graph that cannot be copied.
  bool stayIn(driver::Graph graph, Role role, std::span<const ChildUse> uses,
              std::span<const Body> bodies, std::string &why);
  /// Adds timing nodes to what the nodes of `uses` hold, and takes their regions. Returns those of
  /// them that are timed now; the others are counted.
  std::vector<ChildUse> timeChildren(Device &device, driver::Graph graph,
                                     std::span<const ChildUse> uses);
  /// stayIn() failed: takes those timing nodes out again, and counts.
  void giveUpChildren(std::span<const ChildUse> children);
  /// Adds the timing nodes that `graph`, which is timed in place, lacks, and links them. False
  /// where the driver refuses.
  bool completeMarks(Device &device, driver::Graph graph, std::string &why);
  void take(Profile profile, std::uint64_t graphNumber = 0);
  /// The picture of `graph`, which is timed in place, with its children and bodies.
  [[nodiscard]] std::shared_ptr<const GraphNodes>
  drawnInPlace(driver::Graph graph, std::span<const driver::Node> counts,
               std::span<const ChildUse> children, std::span<const Body> bodies,
               std::span<const BodyTable> tables) const noexcept;
  /// Is complete now.
  void settled(std::uint64_t structure, Role role = Role::Graph, std::vector<BodyTable> bodies = {},
               std::uint64_t graphNumber = 0);

  static inline std::atomic<int> underCapture{0};

  GraphClock &clock_;
  Device *const device_ = Device::current();
  std::atomic<std::uint64_t> captureId_;
  driver::Stream origin_ = nullptr;

  std::atomic<bool> ended_{false}, counted_{false};
  std::atomic<bool> used_{false};
  std::atomic<bool> claimed_{false}; // inPlace_
  const std::shared_ptr<std::atomic<bool>> spoiled_ = std::make_shared<std::atomic<bool>>(false);
  mutable std::mutex mutex_; // guards all below
  State state_ = State::Capturing;
  bool edited_ = false;
  const bool linked_ = false;        // the timing nodes that there are have their edges
  Marks marks_{clock_};              // until the capture has ended
  std::optional<Lanes> lanes_;       // likewise; none: it was built
  std::vector<driver::Node> timing_; // by boundary: of the profiled graph, or in place
  std::vector<Region> regions_;
  Owners owners_; // of nodes that are timed in place, for a picture
  std::shared_ptr<const GraphNodes> drawn_;
  std::shared_ptr<const RegionTable> table_;
  driver::Graph profiled_ = nullptr;
  driver::Node root_ = nullptr, final_ = nullptr;
  std::shared_ptr<ReplayBuffer> inPlace_, ring_;
  Twins twins_;
  std::unordered_map<driver::Node, driver::Node> innerTwins_;
  std::vector<TimingNodes> children_; // whose nodes are the last of timing_
  std::vector<TimedChild> timedChildren_;
  Extents extents_; // once split: of the regions of a capture, children's not among them
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_H

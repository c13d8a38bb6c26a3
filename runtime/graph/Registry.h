// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The registry of one captured graph: its regions in capture order, its boundaries, and, once the
// capture has ended, the profiled graph that was split off. It knows clocks; it knows nothing of
// launches, harvests or outputs.
//
// The life of a registry:
//
//   state     | from                      | timing nodes are in       | what may be called
//   ----------+---------------------------+---------------------------+------------------------------
//   Capturing | the capture's begin, or   | the program's graph       | open, close, split
//             | its first mark            |                           |
//   Split     | split() worked            | the profiled graph only;  | execs made and updated from
//             |                           | or in place, see split()  | it, edited
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
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "clock/CaptureAlone.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/TimingNodes.h"
#include "graphprof/record.h"
#include "graphprof/site.h"
#include "graphprof/value.h"

namespace graphprof {

/// One region of a graph.
struct Region {
  const Site *site;
  std::vector<Value> context;
  std::string name;
  int depth;
  std::uint32_t begin;            ///< boundary
  std::uint32_t end = unfinished; ///< boundary
  static constexpr std::uint32_t unfinished =
      UINT32_MAX; ///< the scope was still open when the capture ended
  Kind kind = Kind::Region;
  driver::Node node = nullptr;           ///< of the program's, where this is one
  std::vector<std::uint32_t> alsoBehind; ///< further boundaries: it begins at the latest
};

struct RegionTable;
struct ChildUse;

/// A body of a conditional node: its own regions, whose times come from its own ring. What the
/// buffer of the graph around it says are the iterations of each replay.
struct BodyTable {
  std::shared_ptr<const RegionTable> table;
  std::shared_ptr<ReplayBuffer> ring;
  std::size_t position; ///< the graph's region that its records stand in front of
};

/// What a finished capture leaves for its replays' records; shared by every exec made from it.
struct RegionTable {
  std::uint64_t graphNumber = 0; ///< running number, from 1; 0: a body's
  std::vector<Region> regions;   ///< in capture order
  std::vector<BodyTable> bodies; ///< of its conditional nodes, by position
  std::uint32_t boundaries = 0;  ///< root included
  GraphClock *clock = nullptr;
  /// Of the profiled graph: an exec that was made of one may be updated from another only where
  /// they are built alike. The driver takes others too, and then nodes change their places.
  std::uint64_t structure = 0;
  std::uint64_t layout = 0; ///< another for every list of regions

  /// A number for `layout`.
  static std::uint64_t nextLayout();
  /// The region that is `node`; null where it is none.
  [[nodiscard]] const Region *regionOf(driver::Node node) const;
  /// The same, where `region` (one of these) does something else: `kernel` where that is known, of
  /// a copy or memset it is not known how much it moves now. Null where that changes nothing.
  [[nodiscard]] std::shared_ptr<RegionTable> changed(const Region &region,
                                                     const char *kernel) const;
};

/// Boundaries that belong together: a child graph's.
struct BoundaryRange {
  std::uint32_t first, count;
  int depth;               ///< how many regions stand around them
  std::uint64_t structure; ///< RegionTable::structure of the child graph
};

/// Where a stream's next node would stand: the capture it belongs to and the nodes it would wait
/// for.
struct Frontier : CaptureDependencies {
  driver::Graph graph = nullptr;
  std::uint64_t captureId = 0;

  enum class Status : std::uint8_t {
    Eager,     ///< the stream is not being captured
    Capturing, ///< everything is filled in
    Refused,   ///< an invalidated capture, or the legacy stream while another is being captured
  };
  /// Reads the state of `stream`.
  static Status read(driver::Stream stream, Frontier &frontier);
};

class Shape;

class Registry {
public:
  enum class State : std::uint8_t { Capturing, Split, Inert };

  /// Begins with a root in the graph under capture, whose origin is `origin`, or where the
  /// capture's begin was not seen a stream of it.
  Registry(GraphClock &clock, driver::Stream origin, const Frontier &frontier);
  /// One that is Inert from the beginning: the capture is left alone.
  Registry(GraphClock &clock, std::uint64_t captureId);
  /// A profiled graph that was made outside of any capture.
  struct Profile {
    driver::Graph graph = nullptr;
    std::vector<driver::Node> timing; ///< by boundary
    driver::Node final = nullptr;
    std::unordered_map<driver::Node, driver::Node> twins; ///< by the program's nodes
    std::vector<Region> regions;
    std::vector<TimingNodes> children;                         ///< the last ones of `timing`
    std::unordered_map<driver::Node, driver::Node> innerTwins; ///< inside of child nodes
  };
  Registry(GraphClock &clock, Profile profile);
  /// The same where the timing nodes stand in the program's own graph: stay() comes next.
  struct InPlace {};
  Registry(GraphClock &clock, Profile profile, InPlace);
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
  [[nodiscard]] bool hasRegions() const { return regionCount() > 0; }
  [[nodiscard]] std::size_t regionCount() const;

  /// An exec was made or updated from it.
  void used() { used_ = true; }
  /// How many regions went into no exec.
  [[nodiscard]] std::size_t unused() const;

  /// Opens a region at the frontier of `stream`; its index, or noRegion where the driver refuses
  /// the boundary.
  std::size_t open(const Site &site, std::vector<Value> context, int depth, driver::Stream stream,
                   const Frontier &frontier);
  void close(std::size_t region, driver::Stream stream, const Frontier &frontier);
  static constexpr std::size_t noRegion = SIZE_MAX;
  /// Takes back the region that was opened last; its boundary stays.
  void discard(std::size_t region);

  /// The capture has ended with `graph`: clones it with its timing nodes and takes them out of the
  /// program's graph. A graph that cannot be cloned (memory or conditional nodes) keeps them, and
  /// gets what publishes a replay: it is timed in place, by the program's own exec. `uses` are its
  /// child nodes that are to be timed. False where regions are lost: then the reason is in `why`.
  bool split(driver::Graph graph, std::span<const ChildUse> uses, std::string &why);

  /// A body of a conditional node in this graph.
  struct Body {
    driver::Node node;
    BodyTable table;
  };
  enum class Role : std::uint8_t { Graph, Body };
  /// Instead of split(), for a graph that holds conditional nodes, and for their bodies: it keeps
  /// its timing nodes. Each of `bodies` gets a node that counts its iterations. `depth` regions
  /// stand around a body. Where there is nothing to time, the nodes are taken out again.
  bool stay(driver::Graph graph, Role role, int depth, std::span<const Body> bodies,
            std::string &why);
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

  /// The profiled graph, or null.
  [[nodiscard]] driver::Graph profiled() const { return profiled_; }
  [[nodiscard]] const std::shared_ptr<const RegionTable> &table() const { return table_; }
  /// Points the profiled graph's timing nodes at a buffer.
  bool bind(ReplayBuffer &buffer) const { return buffer.bind(timing_, final_); }
  /// An exec that times into `buffer` was made from the profiled graph.
  void attach(ReplayBuffer &buffer) const { buffer.attach(timing_, final_); }
  /// The profiled graph's timing nodes, and what publishes its replays.
  [[nodiscard]] TimingNodes timingNodes() const;
  [[nodiscard]] driver::Node final() const { return final_; }
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
  /// The program changed its graph after the split in another way. Returns whether the registry had
  /// something to lose.
  bool edited();
  /// May execs still be made from it?
  [[nodiscard]] bool usable() const;

private:
  /// The boundary at the frontier of `stream`, shared with its last one where nothing happened
  /// between.
  std::uint32_t boundary(driver::Stream stream, const Frontier &frontier);
  /// For one boundary more.
  void makeRoom();
  /// Node mode: times the nodes of the profiled graph too, the clone of a program's graph of
  /// `shape`. `captured` are the frontiers of the boundaries that there are, in that graph. False
  /// where the driver refuses.
  bool timeNodes(Profile &profile, const Shape &shape,
                 std::span<const std::vector<driver::Node>> captured);
  /// split() of a graph that cannot be cloned.
  bool stayIn(driver::Graph graph, Role role, std::span<const Body> bodies, std::string &why);
  /// It has a profiled graph, and is complete. False where the driver does not tell how that is
  /// built.
  bool take(Profile profile);
  /// Is complete now, with the timing nodes in `graph`; false where the driver does not tell how
  /// that is built.
  bool settled(driver::Graph graph, Role role = Role::Graph, std::vector<BodyTable> bodies = {});

  GraphClock &clock_;
  Device *const device_ = Device::current();
  std::atomic<std::uint64_t> captureId_;
  driver::Stream origin_ = nullptr;

  std::atomic<bool> used_{false};
  std::atomic<bool> claimed_{false}; // inPlace_
  const std::shared_ptr<std::atomic<bool>> spoiled_ = std::make_shared<std::atomic<bool>>(false);
  mutable std::mutex mutex_; // guards all below
  State state_ = State::Capturing;
  bool edited_ = false;
  std::vector<driver::Node>
      timing_; // by boundary; the program's graph's, after split() the profiled graph's
  std::vector<std::vector<driver::Node>>
      frontiers_; // by boundary: the program's nodes that it comes behind
  std::map<driver::Stream, std::uint32_t>
      last_; // boundary, by stream: none can be destroyed while it is being captured
  std::vector<Region> regions_;
  std::shared_ptr<const RegionTable> table_;
  driver::Graph profiled_ = nullptr;
  driver::Node final_ = nullptr;
  std::shared_ptr<ReplayBuffer> inPlace_, ring_;
  std::unordered_map<driver::Node, driver::Node> twins_, innerTwins_;
  std::vector<TimingNodes> children_; // whose nodes are the last of timing_
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_H

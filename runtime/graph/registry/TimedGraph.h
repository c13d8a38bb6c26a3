// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A timed graph: the result of the choice (Choice.h), with the data of each way. Nobody changes it:
// if the program changes its graph, the registry gets another one. So whoever has it may use it on
// any thread, as long as he likes.

#ifndef GRAPHPROF_GRAPH_REGISTRY_TIMEDGRAPH_H
#define GRAPHPROF_GRAPH_REGISTRY_TIMEDGRAPH_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "Mutex.h"
#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/registry/ChildPlan.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimingNodes.h"
#include "graph/topology/Twins.h"

namespace graphprof {

struct ChildUse;

/// Way::Rebuilt: execs are made from another graph, a clone of the program's, which retains the
/// same user objects.
struct RebuiltGraph {
  /// Takes `clone`, which is of `device` or, if that is null, of any.
  RebuiltGraph(driver::Graph clone, Device *device) noexcept : graph(clone), device_(device) {}
  ~RebuiltGraph();
  RebuiltGraph(const RebuiltGraph &) = delete;
  RebuiltGraph &operator=(const RebuiltGraph &) = delete;

  const driver::Graph graph;
  /// Held while the graph's timing nodes point at the buffer of one exec, until that exec
  /// is made.
  mutable Mutex execMutex;
  Twins twins;                                               ///< of the program's nodes
  std::unordered_map<driver::Node, driver::Node> innerTwins; ///< inside child nodes

private:
  Device *const device_;
};

/// Way::InPlace: the program's own exec writes the times, one exec at a time. Any thread may call
/// any member.
class InPlaceBuffer {
public:
  explicit InPlaceBuffer(std::shared_ptr<ReplayBuffer> buffer) : buffer_(std::move(buffer)) {}
  /// Retires the buffer, and the rings of the bodies in `table`, unless it is abandoned.
  ~InPlaceBuffer();
  InPlaceBuffer(const InPlaceBuffer &) = delete;
  InPlaceBuffer &operator=(const InPlaceBuffer &) = delete;

  [[nodiscard]] ReplayBuffer &operator*() const { return *buffer_; }
  [[nodiscard]] ReplayBuffer *get() const { return buffer_.get(); }
  /// The graph is complete. Before that, nobody knows what writes to the buffer.
  void complete(std::shared_ptr<const RegionTable> table);
  /// Takes the buffer for one exec. Returns false if it is abandoned, as by this second exec.
  bool claim();
  void release() { isClaimed_ = false; }
  /// An exec that nobody follows writes to it. So its times are useless, and it must not be reused.
  void abandon() { isAbandoned_ = true; }
  [[nodiscard]] bool isAbandoned() const { return isAbandoned_; }

private:
  const std::shared_ptr<ReplayBuffer> buffer_;
  std::shared_ptr<const RegionTable> table_; // null: not complete
  std::atomic<bool> isClaimed_{false}, isAbandoned_{false};
};

/// Way::Body: the exec of the graph around it writes the times of its iterations.
struct BodyRing {
  std::shared_ptr<ReplayBuffer> ring; ///< retired by the graph's buffer
};

struct PartsSource;
struct TwinsSource;

struct TimedGraph {
  std::variant<std::shared_ptr<const RebuiltGraph>, std::shared_ptr<InPlaceBuffer>, BodyRing> way;
  driver::Node root = nullptr;       ///< the first node of a replay
  std::vector<driver::Node> timing;  ///< by boundary; the first may be the root
  driver::Node final = nullptr;      ///< publishes a replay
  std::vector<TimingNodes> children; ///< of child graphs: the last ones of `timing`
  std::shared_ptr<const RegionTable> table;
  /// Child nodes with timing nodes in their graphs, including those in its bodies; null: none.
  std::shared_ptr<const TimedChildren> timedChildren = nullptr;
  /// What its parts are made from (RebuiltTiming.h); null: it cannot be recorded in parts.
  std::shared_ptr<const PartsSource> parts = nullptr;
  /// What its variant with kernels' timed twins is made from; null: no kernel has one.
  std::shared_ptr<const TwinsSource> twinsFrom = nullptr;
  TwinNodes twinNodes; ///< of that variant itself
  std::vector<WarpPlan> warpPlans;
  unsigned entriesPerWarp = 0;

  /// Each is null if it is timed in another way.
  [[nodiscard]] const RebuiltGraph *rebuilt() const;
  [[nodiscard]] std::shared_ptr<InPlaceBuffer> inPlace() const;
  [[nodiscard]] std::shared_ptr<ReplayBuffer> ring() const;

  [[nodiscard]] ClockNodes clockNodes() const {
    return {root, timing, final,
            table ? std::span<const StampEdge>(table->edges) : std::span<const StampEdge>(),
            twinNodes.publishing ? &twinNodes : nullptr};
  }
  /// What a buffer for the times of its replays needs.
  [[nodiscard]] BufferNeeds bufferNeeds() const {
    return {.boundaries = table->boundaries,
            .nodes = table->counts.nodes,
            .twins = warpPlans,
            .entriesPerWarp = entriesPerWarp};
  }
  /// How many of `timing` do not belong to a child.
  [[nodiscard]] std::size_t ownTiming() const;
  [[nodiscard]] TimingNodes timingNodes() const;
  /// The boundaries of the child graph in `holder`, a node of the rebuilt graph; nullopt if it is
  /// not timed.
  [[nodiscard]] std::optional<BoundaryRange> boundariesIn(driver::Node holder) const;
  /// The program's nodes that have twins or are timedChildren.
  [[nodiscard]] std::vector<driver::Node> nodes() const;
  /// The twin of a node of the program, even inside a child node; null if there is none.
  [[nodiscard]] driver::Node twin(driver::Node node) const;
  /// Pairs of the program's nodes in `copy`, a copy of its graph, and their twins.
  using Pairs = std::vector<std::pair<driver::Node, driver::Node>>;
  [[nodiscard]] Pairs twinsOf(driver::Graph copy) const;
  /// The entry of timedChildren; null if there is none.
  [[nodiscard]] const TimedChild *timedChild(driver::Node holder) const;
  /// Where the times of its replays or iterations are. Null: each exec has its own buffer.
  [[nodiscard]] ReplayBuffer *ownBuffer() const;
  /// Whether `graph` contains its root and its last node, of a graph that is timed in place.
  [[nodiscard]] bool standsIn(driver::Graph graph) const;

  /// Makes an exec of the rebuilt graph that times into `buffer`; null if the driver refuses.
  [[nodiscard]] driver::Exec instantiate(ReplayBuffer &buffer, unsigned long long flags) const;
  /// Updates an exec of another graph from the rebuilt one. Returns false if the driver refuses.
  [[nodiscard]] bool update(driver::Exec exec, ReplayBuffer &buffer) const;
};

/// Makes the table of a graph whose regions have their boundaries. Includes the structures of its
/// children. `graphNumber`: 0 for a body.
std::shared_ptr<RegionTable> tableOf(const TimedGraph &graph, GraphClock &clock,
                                     std::vector<Region> regions, std::vector<BodyTable> bodies,
                                     std::shared_ptr<const GraphNodes> drawn,
                                     std::uint64_t structure, std::uint64_t graphNumber);

/// Graphs with regions have consecutive numbers, from 1.
std::uint64_t nextGraphNumber();

/// A body of a conditional node in the graph around it.
struct TimedBody {
  driver::Node node; ///< the conditional node
  BodyTable table;
  std::shared_ptr<const TimedChildren> children; ///< the body's timedChildren
};

/// What is about to be made from a graph: an exec, or copies, alone or in child nodes. A copy in a
/// child node has no root of its own, and is inside another graph. So in a graph that is copied,
/// all timing nodes wait for completion.
enum class Purpose : std::uint8_t { Exec, Copies };

/// A graph that is about to be used, and what is known of it besides its own regions.
struct GraphInUse {
  GraphInUse(driver::Graph which, std::span<const ChildUse> children, Purpose what)
      : graph(which), uses(children), purpose(what) {}

  driver::Graph graph;
  std::span<const ChildUse> uses; ///< its child nodes that are timed
  Purpose purpose;
  bool holdsBodies = false; ///< it holds conditional nodes that graphprof has seen
  bool isBody = false;      ///< of a conditional node
  int depth = 0;            ///< how many regions are open around it
  std::span<const TimedBody> bodies;
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_TIMEDGRAPH_H

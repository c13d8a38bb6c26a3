// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A timed graph: the result of the choice (Choice.h), with the data of each way. Plain data; the
// registry's lock guards it.

#ifndef GRAPHPROF_GRAPH_REGISTRY_TIMEDGRAPH_H
#define GRAPHPROF_GRAPH_REGISTRY_TIMEDGRAPH_H

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "clock/Clock.h"
#include "graph/registry/ChildPlan.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimingNodes.h"
#include "graph/topology/Twins.h"

namespace graphprof {

struct ChildUse;

/// Way::Rebuilt: execs are made from another graph.
struct RebuiltGraph {
  driver::Graph graph = nullptr;                             ///< the registry destroys it
  Twins twins;                                               ///< of the program's nodes
  std::unordered_map<driver::Node, driver::Node> innerTwins; ///< inside child nodes
};

/// Way::InPlace: the program's own exec writes the times, one exec at a time.
struct InPlaceGraph {
  /// Retired when its last user releases it, unless it is spoiled.
  std::shared_ptr<ReplayBuffer> buffer;
};

/// Way::Body: the exec of the graph around it writes the times of its iterations.
struct BodyGraph {
  std::shared_ptr<ReplayBuffer> ring; ///< retired by the graph's buffer
};

struct TimedGraph {
  std::variant<RebuiltGraph, InPlaceGraph, BodyGraph> way;
  driver::Node root = nullptr;       ///< the first node of a replay
  std::vector<driver::Node> timing;  ///< by boundary; the first may be the root
  driver::Node final = nullptr;      ///< publishes a replay
  std::vector<TimingNodes> children; ///< of child graphs: the last ones of `timing`
  std::shared_ptr<const RegionTable> table;
  /// Child nodes with timing nodes in their graphs, including those in its bodies; null: none.
  std::shared_ptr<const TimedChildren> timedChildren = nullptr;

  [[nodiscard]] ClockNodes clockNodes() const {
    return {root, timing, final,
            table ? std::span<const StampEdge>(table->edges) : std::span<const StampEdge>()};
  }
  /// How many of `timing` do not belong to a child.
  [[nodiscard]] std::size_t ownTiming() const;
  [[nodiscard]] TimingNodes timingNodes() const;
  /// The twin of a node of the program, even inside a child node; null if there is none.
  [[nodiscard]] driver::Node twin(driver::Node node) const;
  /// The entry of timedChildren; null if there is none.
  [[nodiscard]] const TimedChild *timedChild(driver::Node holder) const;
  /// Where the times of its replays or iterations are. Null: each exec has its own buffer.
  [[nodiscard]] ReplayBuffer *ownBuffer() const;
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

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The boundaries of a capture in progress. Knows the clock, but not regions.
//
// Normally a boundary is only noted, as the nodes before it. The capture does not change; timing
// nodes are added to the profiled graph only (Rebuild.h). If the graph is known to be one that
// cannot be cloned, boundaries are marked: their timing nodes are captured into the program's graph
// at once, and stay there.
//
// The registry's lock guards it, except for cannotBeCopied().

#ifndef GRAPHPROF_GRAPH_TIMING_CAPTUREBOUNDARIES_H
#define GRAPHPROF_GRAPH_TIMING_CAPTUREBOUNDARIES_H

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "clock/Clock.h"
#include "graph/topology/Frontier.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class CaptureBoundaries {
public:
  explicit CaptureBoundaries(GraphClock &clock) : clock_(clock) {}
  /// For a graph that was built by hand. `timing` are the timing nodes in it.
  CaptureBoundaries(GraphClock &clock, std::vector<driver::Node> timing)
      : clock_(clock), timing_(std::move(timing)) {}

  /// The boundary at the frontier of `stream`; 0 if nothing comes before it. If nothing has
  /// happened since the stream's last boundary, returns that one. nullopt if the driver refuses the
  /// timing node.
  std::optional<std::uint32_t> boundary(driver::Stream stream, const Frontier &frontier);
  /// The graph got a node that it cannot be cloned with. From the next boundary on, all are marked,
  /// including the earlier ones.
  void cannotBeCopied() { unique_ = true; }
  /// The graph must get no nodes of graphprof's during the capture.
  void neverMark() { mayMark_ = false; }
  /// Marks the boundaries noted so far, unless the driver refuses. `frontier` belongs
  /// to `stream`.
  void begin(driver::Stream stream, const Frontier &frontier);
  /// `node` is about to be destroyed. What was behind it is now behind what it waits for.
  void nodeGoes(driver::Node node);
  /// Removes the timing nodes from the graph.
  void remove();

  [[nodiscard]] bool marked() const { return !timing_.empty(); }
  /// The timing nodes, by boundary; empty if boundaries are only noted. Call it once, after the
  /// capture.
  std::vector<driver::Node> take() { return std::move(timing_); }
  /// The nodes before each boundary of the finished graph; nullopt if one of them is gone. Call it
  /// once.
  [[nodiscard]] std::optional<std::vector<Nodes>> takeFrontiers(const Shape &shape);
  /// Frees what is not needed any more.
  void forget();

private:
  /// Whether one of these nodes, or what they wait for, is one that no graph can be cloned with.
  bool isUniqueUpTo(std::vector<driver::Node> pending);
  /// Reserves memory for one more boundary.
  void makeRoom();

  GraphClock &clock_;
  std::atomic<bool> unique_{false}; // the graph cannot be cloned
  bool mayMark_ = true;             // the driver has not refused
  struct Noted {
    std::vector<driver::Node> behind; // the program's nodes; empty: the replay's begin
    std::uint32_t previous;           // the stream's previous boundary, or the root
  };
  std::vector<Noted> noted_ = {{{}, 0}};      // by boundary
  std::unordered_set<driver::Node> upstream_; // nodes before the boundaries; all can be cloned
  std::map<driver::Stream, std::uint32_t>
      last_; // boundary, by stream: a stream cannot be destroyed while it is being captured
  std::vector<driver::Node> timing_; // by boundary; empty: only noted
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_CAPTUREBOUNDARIES_H

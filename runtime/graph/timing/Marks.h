// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The boundaries of a capture, while it goes on. Knows the clock; it knows nothing of regions.
//
// A boundary is noted, as the nodes that it comes behind, and the capture is left alone: timing
// nodes come into the profiled graph only (Rebuild.h). Where the graph is known to be one that
// cannot be copied, boundaries are marked: their timing nodes are captured there and then, into the
// program's graph, where they stay.
//
// Its registry's lock guards it, but for cannotBeCopied().

#ifndef GRAPHPROF_GRAPH_TIMING_MARKS_H
#define GRAPHPROF_GRAPH_TIMING_MARKS_H

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

class Marks {
public:
  explicit Marks(GraphClock &clock) : clock_(clock) {}
  /// Those of a graph that was built: `timing` stands in it.
  Marks(GraphClock &clock, std::vector<driver::Node> timing)
      : clock_(clock), timing_(std::move(timing)) {}

  /// The boundary at the frontier of `stream`, 0 where nothing comes before; shared with its last
  /// one where nothing happened between. nullopt where the driver refuses its timing node.
  std::optional<std::uint32_t> boundary(driver::Stream stream, const Frontier &frontier);
  /// The graph got a node that it cannot be copied with: boundaries are marked from the next one
  /// on, those before it too.
  void cannotBeCopied() { unique_ = true; }
  /// Marks what was noted so far, as far as the driver lets it. `frontier` is that of `stream`.
  void begin(driver::Stream stream, const Frontier &frontier);
  /// `node` is about to be destroyed: what was behind it is behind what it waits for.
  void nodeGoes(driver::Node node);
  /// Takes the timing nodes out of the graph again.
  void remove();

  [[nodiscard]] bool marked() const { return !timing_.empty(); }
  /// The timing nodes, by boundary; none where they are only noted. Once, when the capture has
  /// ended.
  std::vector<driver::Node> take() { return std::move(timing_); }
  /// What each boundary comes behind, of the finished graph; nullopt where such a node is gone.
  /// Once.
  [[nodiscard]] std::optional<std::vector<Nodes>> takeFrontiers(const Shape &shape);
  /// Nothing of this is needed any more.
  void forget();

private:
  /// Whether these nodes, or what they wait for, are of those that no graph can be copied with.
  bool isUniqueUpTo(std::vector<driver::Node> pending);
  /// For one boundary more.
  void makeRoom();

  GraphClock &clock_;
  std::atomic<bool> unique_{false}; // the graph cannot be copied
  bool mayMark_ = true;             // the driver has not refused
  struct Noted {
    std::vector<driver::Node> behind; // the program's nodes; none: the replay's begin
    std::uint32_t previous;           // boundary, of the same stream; the root's where it has none
  };
  std::vector<Noted> noted_ = {{{}, 0}};      // by boundary
  std::unordered_set<driver::Node> upstream_; // of the boundaries so far: nodes that can be copied
  std::map<driver::Stream, std::uint32_t>
      last_; // boundary, by stream: none can be destroyed while it is being captured
  std::vector<driver::Node> timing_; // by boundary; none: noted
};

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_MARKS_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How a graph is timed: decided here, in one table (Choice.cpp), and nowhere else. Whoever is about
// to use a graph gathers the facts; what is chosen is carried out in graph/registry.

#ifndef GRAPHPROF_GRAPH_TIMING_CHOICE_H
#define GRAPHPROF_GRAPH_TIMING_CHOICE_H

#include <cstdint>
#include <string_view>

#include "clock/Clock.h"

namespace graphprof {

enum class Way : std::uint8_t {
  Untimed, ///< the program's exec runs as it is
  Rebuilt, ///< by an exec of another graph: the program's, rebuilt with timing nodes
  InPlace, ///< by timing nodes in the program's graph: its own exec writes the times
  Body,    ///< in place, in the body of a conditional node: the exec of the graph around it does
};

/// What is known of a graph when an exec of it, or another use, is about to be made.
struct GraphFacts {
  // what it is
  bool isBody = false;      ///< of a conditional node
  bool holdsBodies = false; ///< it holds conditional nodes that graphprof has seen
  bool isUnique = false;    ///< it holds what no graph can be copied with (isUnique())
  bool isBuilt = false;     ///< node by node; else captured
  bool isMarked = false;    ///< timing nodes have come into it with its capture

  // what there is to time
  bool hasRegions = false;
  bool hasTimedChildren = false; ///< child nodes, of graphs with regions
  bool hasTimedBodies = false;   ///< of its conditional nodes
  bool hasTimedNodes = false;    ///< nodes that take time, where those are timed without regions
};

struct Choice {
  Way way;
  std::string_view why; ///< it is untimed; empty where there is nothing to time
};

/// The first row of the table that applies.
Choice chooseTiming(const GraphFacts &facts, const GraphClock &clock);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_CHOICE_H

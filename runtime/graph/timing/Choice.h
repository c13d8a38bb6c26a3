// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Decides how a graph is timed, in one table (Choice.cpp). The caller gathers the facts;
// graph/registry carries out the choice.

#ifndef GRAPHPROF_GRAPH_TIMING_CHOICE_H
#define GRAPHPROF_GRAPH_TIMING_CHOICE_H

#include <cstdint>
#include <string_view>

#include "clock/Clock.h"

namespace graphprof {

enum class Way : std::uint8_t {
  Untimed, ///< the program's exec runs as it is
  Rebuilt, ///< a rebuilt copy of the program's graph, with timing nodes, has an exec of its own
  InPlace, ///< the program's graph gets timing nodes, and its own exec writes the times
  Body,    ///< in place, in a conditional node's body; the exec of the graph around it writes them
};

/// What is known of a graph before an exec is made from it, or before another use.
struct GraphFacts {
  // What it is.
  bool isBody = false;      ///< of a conditional node
  bool holdsBodies = false; ///< it holds conditional nodes that graphprof has seen
  bool isUnique = false;    ///< it contains nodes that no graph can be cloned with (isUnique())
  bool isBuilt = false;     ///< by hand, node by node; otherwise captured
  bool isMarked = false;    ///< timing nodes were added during its capture
  bool keepsNodes = false;  ///< it contains memory or conditional nodes: nothing can be taken out
  bool mayBeRecaptured = false; ///< by the program, which must find it as it made it

  // What there is to time.
  bool hasRegions = false;
  bool hasTimedChildren = false; ///< child nodes whose graphs have regions
  bool hasTimedBodies = false;   ///< of its conditional nodes
  bool hasTimedNodes = false;    ///< nodes that take time, if nodes are timed without regions
};

struct Choice {
  Way way;
  std::string_view why; ///< why it is untimed; empty if there is nothing to time
};

/// Returns the first row of the table that applies.
Choice chooseTiming(const GraphFacts &facts, const GraphClock &clock);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_CHOICE_H

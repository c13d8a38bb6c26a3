// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Where a set of nodes begins and ends: with the earliest begin of its nodes, and the latest end.

#ifndef GRAPHPROF_GRAPH_TIMING_SPAN_H
#define GRAPHPROF_GRAPH_TIMING_SPAN_H

#include <cstddef>
#include <vector>

#include "graph/topology/Shape.h"

namespace graphprof {

/// Each is a frontier().
struct Span {
  std::vector<Nodes> begins; ///< it begins with the first thing behind one of these
  Nodes end;                 ///< it ends when all of these have ended
};

/// Of the nodes at `places` in the graph of `shape`; there is at least one.
Span spanOf(const Shape &shape, const std::vector<std::size_t> &places);

/// Whether everything in `earlier` ends before what is behind `later` begins. Both are frontier()s.
/// May say no if that takes long to find out.
bool isBehind(const Shape &shape, const Nodes &later, const Nodes &earlier);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_SPAN_H

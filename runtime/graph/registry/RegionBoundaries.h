// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// At which boundaries of a graph the regions of a request begin and end.

#ifndef GRAPHPROF_GRAPH_REGISTRY_REGIONBOUNDARIES_H
#define GRAPHPROF_GRAPH_REGISTRY_REGIONBOUNDARIES_H

#include <vector>

#include "graph/registry/TimingRequest.h"
#include "graph/timing/Boundaries.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Shape.h"

namespace graphprof {

/// The boundaries of regions and, if given, of `nodes`.
Boundaries boundariesOf(const Shape &shape, const Extents &extents, const TimedNodes *nodes);
/// Takes the regions of `request`, and adds `nodes` to them, with their numbered boundaries.
std::vector<Region> regionsAt(const Boundaries &boundaries, TimingRequest &request,
                              const TimedNodes *nodes);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REGIONBOUNDARIES_H

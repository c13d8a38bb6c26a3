// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the profiled graph of a program's graph: it does the same, with timing nodes where regions
// and nodes begin and end. Used both for captured graphs and for graphs that were built by hand.
// Does not know execs and launches.

#ifndef GRAPHPROF_GRAPH_REGISTRY_REBUILTTIMING_H
#define GRAPHPROF_GRAPH_REGISTRY_REBUILTTIMING_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clock/Clock.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Services;

class Boundaries;

/// The boundaries of regions and, if given, of `nodes`.
Boundaries boundariesOf(const Shape &shape, const Extents &extents, const TimedNodes *nodes);
/// Takes the regions of `request`, and adds `nodes` to them, with their numbered boundaries.
std::vector<Region> regionsAt(const Boundaries &boundaries, TimingRequest &request,
                              const TimedNodes *nodes);

/// Times a graph that is in use and has this shape in another one, with `clock` or the one that it
/// has for graphs whose work must not wait for kernels. Takes the regions of `request`.
/// `graphNumber`: that of the graph that this one replaces; 0: a new number. Null if the driver
/// refuses; then `why` says why.
std::shared_ptr<const TimedGraph> timeRebuilt(Services &services, GraphClock &clock,
                                              const GraphInUse &use, const Shape &shape,
                                              TimingRequest &request, const TimedNodes *nodes,
                                              std::uint64_t graphNumber, std::string &why);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REBUILTTIMING_H

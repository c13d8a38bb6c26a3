// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which kernels of a graph that is in use run their timed twins in some replays.

#ifndef GRAPHPROF_GRAPH_REGISTRY_TWINCHOICE_H
#define GRAPHPROF_GRAPH_REGISTRY_TWINCHOICE_H

#include "clock/Clock.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/KernelTwins.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Services;

/// Those of the graph of `shape`, with the regions around them. `device` is that of the current
/// context; null: none. Counts the others that have a twin as lost, with the reason.
KernelTwins chooseTwins(const GraphInUse &use, const Shape &shape, const TimingRequest &request,
                        const GraphClock &clock, Device *device, Services &services);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_TWINCHOICE_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the profiled graph of a program's graph: it does the same, with timing nodes where regions
// and nodes begin and end. Used both for captured graphs and for graphs that were built by hand.
// Parts of it, too, for replays that record a part of the regions each. Does not know execs and
// launches.

#ifndef GRAPHPROF_GRAPH_REGISTRY_REBUILTTIMING_H
#define GRAPHPROF_GRAPH_REGISTRY_REBUILTTIMING_H

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "Expected.h"
#include "clock/Clock.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/KernelTwins.h"
#include "graph/timing/OwnEnds.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/topology/JaggedArray.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Services;

/// Times a graph that is in use and has this shape in another one, with `clock` or the one that it
/// has for graphs whose work must not wait for kernels. Takes the regions of `request`.
/// `graphNumber`: that of the graph that this one replaces; 0: a new number. A failure if the
/// driver refuses.
Expected<std::shared_ptr<const TimedGraph>>
timeRebuilt(Services &services, GraphClock &clock, const GraphInUse &use, const Shape &shape,
            TimingRequest &request, const TimedNodes *nodes, std::uint64_t graphNumber);

/// What the parts of a graph are made from later, when the program may have destroyed its graph.
struct PartsSource {
  /// The graph with its nodes, which replays time that stamp ends, if others time regions only.
  struct WithNodes {
    std::vector<Region> regions;
    JaggedArray<std::size_t> boundaries; ///< by places
    Moment ends;
  };
  /// Takes `clone`.
  PartsSource(driver::Graph clone, Device *device, JaggedArray<std::size_t> all, Moment always)
      : copy(clone, device), boundaries(std::move(all)), ends(std::move(always)) {}

  const RebuiltGraph copy;                   ///< of the program's graph
  const JaggedArray<std::size_t> boundaries; ///< of the whole graph, by places in `copy`
  const Moment ends;                         ///< boundaries that every part has
  std::optional<WithNodes> withNodes = std::nullopt;
};

/// What the variant of a graph with kernels' timed twins is made from, likewise.
struct TwinsSource {
  std::shared_ptr<const PartsSource> graph;
  KernelTwins twins; ///< by places in it
};

/// Times the whole graph that `whole` times, which has `twinsFrom`, with its kernels' twins in
/// their places. The result has `twinNodes`. In the current context. Null if the driver refuses.
std::shared_ptr<const TimedGraph> timeTwins(const TimedGraph &whole);

/// Times part `part` of `parts` of the graph that `whole` times (Parts.h); 0 parts: the begin and
/// the end of replays only. `ends`: whose own ends are stamped, too. In the current context. Null
/// if the driver refuses.
std::shared_ptr<const TimedGraph> timePart(const TimedGraph &whole, std::uint32_t part,
                                           std::uint32_t parts, OwnEnds ends);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_REBUILTTIMING_H

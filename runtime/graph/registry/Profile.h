// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the profiled graph of a program's graph: it does the same, with timing nodes where regions
// and nodes begin and end. Used both for captured graphs and for graphs that were built by hand.
// Does not know execs and launches.

#ifndef GRAPHPROF_GRAPH_REGISTRY_PROFILE_H
#define GRAPHPROF_GRAPH_REGISTRY_PROFILE_H

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "clock/Clock.h"
#include "graph/registry/TimedGraph.h"
#include "graph/registry/TimingRequest.h"
#include "graph/timing/RegionTable.h"
#include "graph/timing/TimedNodes.h"
#include "graph/timing/TimingNodes.h"
#include "graph/topology/Shape.h"
#include "graph/topology/Twins.h"

namespace graphprof {

class Services;

class Boundaries;
struct ChildUse;

/// A profiled graph. The owner of this destroys it.
struct Profile {
  GraphClock *clock = nullptr;
  driver::Graph graph = nullptr;
  driver::Node root = nullptr;        ///< the first node of a replay
  std::vector<driver::Node> timing;   ///< by boundary; the first may be the root
  driver::Node final = nullptr;       ///< publishes a replay
  std::vector<StampEdge> edges;       ///< as in RegionTable
  StampLags lags;                     ///< likewise
  std::vector<driver::Node> kernels;  ///< likewise
  std::vector<WaitingKernel> waiting; ///< likewise
  std::vector<unsigned> stampThreads; ///< likewise
  std::uint64_t structure = 0;        ///< as in RegionTable
  std::vector<Region> regions;
  std::shared_ptr<const GraphNodes> drawn; ///< null: no output wants it
  Twins twins;
  std::vector<TimingNodes> children;                         ///< the last ones of `timing`
  std::unordered_map<driver::Node, driver::Node> innerTwins; ///< inside child nodes
};

/// The boundaries of regions and, if given, of `nodes`.
Boundaries boundariesOf(const Shape &shape, const Extents &extents, const TimedNodes *nodes);
/// Takes the regions of `request`, and adds `nodes` to them, with their numbered boundaries.
std::vector<Region> regionsAt(const Boundaries &boundaries, TimingRequest &request,
                              const TimedNodes *nodes);

/// Makes the profiled graph of a graph that is in use and has this shape, with `clock` or the one
/// that it has for graphs whose work must not wait for kernels. Takes the regions of `request`.
/// nullopt if the driver refuses; then `why` says why.
std::optional<Profile> makeProfile(Services &services, GraphClock &clock, const GraphInUse &use,
                                   const Shape &shape, TimingRequest &request,
                                   const TimedNodes *nodes, std::string &why);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_PROFILE_H

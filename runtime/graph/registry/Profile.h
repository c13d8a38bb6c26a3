// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Makes the profiled graph of one of the program's: a graph that does the same, with timing nodes
// where its regions and nodes begin and end. Used for graphs that were captured and that were built
// alike. Knows nothing of execs and launches.

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

class Boundaries;
struct ChildUse;

/// A profiled graph. Whoever has it destroys the graph.
struct Profile {
  driver::Graph graph = nullptr;
  driver::Node root = nullptr;       ///< what a replay begins with
  std::vector<driver::Node> timing;  ///< by boundary; the first may be the root
  driver::Node final = nullptr;      ///< publishes a replay
  std::vector<StampEdge> edges;      ///< as RegionTable's
  StampLags lags;                    ///< likewise
  std::vector<driver::Node> kernels; ///< likewise
  std::uint64_t structure = 0;       ///< as RegionTable's
  std::vector<Region> regions;
  std::shared_ptr<const GraphNodes> drawn; ///< null: nobody wants it
  Twins twins;
  std::vector<TimingNodes> children;                         ///< the last ones of `timing`
  std::unordered_map<driver::Node, driver::Node> innerTwins; ///< inside of child nodes
};

/// The boundaries of regions and, where there are, of `nodes`.
Boundaries boundariesOf(const Shape &shape, const Extents &extents, const TimedNodes *nodes);
/// Takes the regions of `request`, and puts `nodes` among them: with their numbered boundaries.
std::vector<Region> regionsAt(const Boundaries &boundaries, TimingRequest &request,
                              const TimedNodes *nodes);

/// The profiled graph of a graph that is in use, of that shape. Takes the regions of `request`.
/// nullopt where the driver refuses; then `why` says why.
std::optional<Profile> makeProfile(GraphClock &clock, const GraphInUse &use, const Shape &shape,
                                   TimingRequest &request, const TimedNodes *nodes,
                                   std::string &why);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_PROFILE_H

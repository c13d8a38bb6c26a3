// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which child graphs can be timed in the graph around them, and which of them wait for its root.
// Only an exec's graph has a root that opens the replay's entry.

#ifndef GRAPHPROF_GRAPH_REGISTRY_CHILDWAITS_H
#define GRAPHPROF_GRAPH_REGISTRY_CHILDWAITS_H

#include <span>
#include <vector>

#include "graph/registry/Children.h"
#include "graph/timing/Edges.h"
#include "graph/topology/Shape.h"

namespace graphprof {

class Device;
class Services;

/// The children that are timed; those that are lost are counted. What is timed in a child waits for
/// completion: beside event nodes such a stamp would read the wrong time. A child that would have
/// to wait for the root, and may not, could hang the program. `device`: on which an exec is made
/// with stamps; null: none.
[[nodiscard]] std::vector<ChildUse> takenAmong(std::vector<ChildUse> children,
                                               const EdgeSupport &support, const Shape &shape,
                                               const Device *device, Services &services);

/// The stamps in a child graph must come behind the root, which opens the replay's entry. So a
/// child that is behind nothing else that waits for the root waits for it itself.
void putBehindRoot(const Shape &shape, const Device &device, TimingEdges &edges,
                   std::span<const ChildUse> children);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_REGISTRY_CHILDWAITS_H

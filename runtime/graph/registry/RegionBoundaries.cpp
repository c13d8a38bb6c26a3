// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/RegionBoundaries.h"

#include <cstddef>
#include <utility>

namespace graphprof {

Boundaries boundariesOf(const Shape &shape, const Extents &extents, const TimedNodes *nodes) {
  Boundaries boundaries(shape);
  for (const Extent &extent : extents.regions) {
    if (extent.isEmpty)
      continue;
    for (const std::uint32_t begin : extent.begins)
      boundaries.want(extents.frontiers[begin]);
    if (extent.ends())
      boundaries.want(extents.frontiers[extent.end]);
  }
  if (nodes)
    nodes->want(boundaries);
  return boundaries;
}

std::vector<Region> regionsAt(const Boundaries &boundaries, TimingRequest &request,
                              const TimedNodes *nodes) {
  const std::vector<Nodes> &frontiers = request.extents.frontiers;
  for (std::size_t i = 0; i < request.regions.size(); ++i) {
    const Extent &extent = request.extents.regions[i];
    Region &region = request.regions[i];
    region.isEmpty = extent.isEmpty;
    if (extent.isEmpty) {
      region.beginAt({{0}});
      region.endAt({});
      continue;
    }
    std::vector<Moment> begins;
    begins.reserve(extent.begins.size());
    for (const std::uint32_t begin : extent.begins)
      begins.push_back(boundaries.of(frontiers[begin]));
    const Moment end = extent.ends() ? boundaries.of(frontiers[extent.end]) : Moment();
    region.isEmpty = begins.size() == 1 && begins.front() == end; // its nodes were destroyed since
    region.beginAt(std::move(begins));
    region.endAt(region.isEmpty ? Moment() : end);
  }
  return nodes ? nodes->among(std::move(request.regions), request.owners, boundaries)
               : std::move(request.regions);
}

} // namespace graphprof

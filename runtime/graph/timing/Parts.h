// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Divides the regions and nodes of a graph into parts, so that one replay records one part of them.
// Each part is a run of them in capture order with about as many boundaries as the others have, and
// the regions around them. Plain data: knows no driver.

#ifndef GRAPHPROF_GRAPH_TIMING_PARTS_H
#define GRAPHPROF_GRAPH_TIMING_PARTS_H

#include <cstdint>
#include <vector>

#include "graph/timing/RegionTable.h"

namespace graphprof {

/// What one part records.
struct PartOfTable {
  std::vector<Region> regions;           ///< all, with their boundaries numbered anew
  std::vector<std::uint32_t> boundaries; ///< of the whole graph, by number in the part; from the
                                         ///< root on, in order
};

/// Part `part` of `parts` of the regions. `always`: boundaries that every part has.
PartOfTable partOf(const std::vector<Region> &regions, std::uint32_t part, std::uint32_t parts,
                   const Moment &always);
/// A part without any region.
PartOfTable barePart(const std::vector<Region> &regions, const Moment &always);

/// Of all regions of a graph: which of the nodes of its name at its place each is (Places).
[[nodiscard]] std::vector<std::uint32_t> placesInWhole(const std::vector<Region> &regions);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_PARTS_H

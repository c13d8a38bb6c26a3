// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Parts.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include "output/data/Places.h"

namespace graphprof {

namespace {

// Calls `use(boundary)` for each boundary of the region, which it may renumber.
template <class SomeRegion, class Use> void forBoundaries(SomeRegion &region, Use use) {
  use(region.begin);
  if (region.end != Region::unfinished)
    use(region.end);
  for (auto *moment : {&region.alsoBehind, &region.alsoEnds})
    for (auto &boundary : *moment)
      use(boundary);
  for (auto &moment : region.orBehind)
    for (auto &boundary : moment)
      use(boundary);
}

// In which part each region is, by the boundaries that it and those before it need.
std::vector<std::uint32_t> partOfEach(const std::vector<Region> &regions, std::uint32_t parts) {
  std::set<std::uint32_t> seen;
  std::vector<std::size_t> last(regions.size()); // boundary up to which parts are counted
  for (std::size_t i = 0; i < regions.size(); ++i) {
    forBoundaries(regions[i], [&](std::uint32_t boundary) { seen.insert(boundary); });
    last[i] = seen.size() - 1;
  }
  std::vector<std::uint32_t> result(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i)
    result[i] = static_cast<std::uint32_t>(last[i] * parts / seen.size());
  return result;
}

// Regions are in capture order: the ones around a region are before it, and less deep.
void addThoseAround(const std::vector<Region> &regions, std::vector<bool> &isHere) {
  int depth = 0; // a region before this place that is less deep is around one that is here
  for (std::size_t i = regions.size(); i-- > 0;) {
    const int own = regions[i].depth;
    if (own < depth)
      isHere[i] = true;
    if (isHere[i])
      depth = own;
    else
      depth = std::min(depth, own);
  }
}

PartOfTable renumbered(const std::vector<Region> &regions, const std::vector<bool> &isHere,
                       const Moment &always) {
  std::set<std::uint32_t> wanted = {0};
  wanted.insert(always.begin(), always.end());
  PartOfTable part{regions, {}};
  for (std::size_t i = 0; i < regions.size(); ++i)
    if (isHere[i])
      forBoundaries(regions[i], [&](std::uint32_t boundary) { wanted.insert(boundary); });
  part.boundaries.assign(wanted.begin(), wanted.end());
  for (std::size_t i = 0; i < regions.size(); ++i) {
    part.regions[i].isElsewhere = !isHere[i];
    if (isHere[i])
      forBoundaries(part.regions[i], [&](std::uint32_t &boundary) {
        boundary = static_cast<std::uint32_t>(std::ranges::lower_bound(part.boundaries, boundary) -
                                              part.boundaries.begin());
      });
  }
  return part;
}

} // namespace

PartOfTable partOf(const std::vector<Region> &regions, std::uint32_t part, std::uint32_t parts,
                   const Moment &always) {
  const std::vector<std::uint32_t> parting = partOfEach(regions, parts);
  std::vector<bool> isHere(regions.size());
  std::transform(parting.begin(), parting.end(), isHere.begin(),
                 [part](std::uint32_t own) { return own == part; });
  addThoseAround(regions, isHere);
  return renumbered(regions, isHere, always);
}

// Regions are in capture order: the ones around a region are before it, and less deep.
std::vector<std::uint32_t> placesInWhole(const std::vector<Region> &regions) {
  std::vector<std::uint32_t> places;
  places.reserve(regions.size());
  std::vector<Places> open(1); // by depth: those inside the graph, and inside each open region
  for (const Region &region : regions) {
    open.resize(std::min(open.size(), static_cast<std::size_t>(std::max(region.depth, 0)) + 1));
    places.push_back(open.back().next(region.kind, region.name));
    open.emplace_back();
  }
  return places;
}

PartOfTable barePart(const std::vector<Region> &regions, const Moment &always) {
  return renumbered(regions, std::vector<bool>(regions.size(), false), always);
}

} // namespace graphprof

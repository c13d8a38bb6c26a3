// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/RegionTable.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "graph/topology/NodeNames.h"
#include "services/Services.h"

namespace graphprof {

void Region::beginAt(std::vector<Moment> moments) {
  Moment &first = moments.front();
  begin = first.front();
  alsoBehind.assign(first.begin() + 1, first.end());
  orBehind.assign(std::make_move_iterator(moments.begin() + 1),
                  std::make_move_iterator(moments.end()));
}

void Region::endAt(const Moment &moment) {
  end = moment.empty() ? unfinished : moment.front();
  alsoEnds.assign(moment.begin() + (moment.empty() ? 0 : 1), moment.end());
}

void Region::shift(std::uint32_t first) {
  const auto shiftAll = [first](Moment &moment) {
    for (std::uint32_t &boundary : moment)
      boundary += first;
  };
  begin += first;
  if (end != unfinished)
    end += first;
  shiftAll(alsoBehind);
  shiftAll(alsoEnds);
  std::ranges::for_each(orBehind, shiftAll);
}

void RegionTable::setEdges(std::vector<StampEdge> all, std::size_t own, const StampLags &lags) {
  edges = std::move(all);
  toBeginNs.clear();
  if (std::ranges::none_of(edges, [](StampEdge edge) {
        return edge == StampEdge::LaunchCompletion || waitsOnDevice(edge);
      }))
    return;
  for (std::size_t i = 0; i < edges.size(); ++i)
    switch (edges[i]) {
    case StampEdge::LaunchCompletion:
      toBeginNs.push_back(-lags.launchNs);
      break;
    case StampEdge::SharedWithBegin:
    case StampEdge::WaitsBeside:
      toBeginNs.push_back(lags.aroundGapNs - (i + 1 == own ? lags.lastNs : lags.aroundNs));
      break;
    default:
      toBeginNs.push_back(i == 0 ? -lags.rootNs : lags.gapNs - lags.endNs);
      break;
    }
  gapNs = lags.gapNs;
  aroundGapNs = lags.aroundGapNs;
}

std::optional<std::size_t> RegionTable::boundaryAt(driver::Node kernel) const {
  const auto found = std::ranges::find(kernels, kernel);
  return kernel && found != kernels.end()
             ? std::optional(static_cast<std::size_t>(found - kernels.begin()))
             : std::nullopt;
}

std::shared_ptr<RegionTable> RegionTable::withLate(std::size_t boundary, bool isLate) const {
  auto table = std::make_shared<RegionTable>(*this);
  table->late.resize(edges.size(), false);
  table->late[boundary] = isLate;
  return table;
}

std::uint64_t RegionTable::nextLayout() {
  static std::atomic<std::uint64_t> number{0};
  return ++number;
}

std::size_t RegionTable::allRegions() const {
  std::size_t count = regions.size();
  for (const BodyTable &body : bodies)
    count += body.table->allRegions();
  return count;
}

const Region *RegionTable::regionOf(driver::Node node) const {
  const auto found = std::find_if(regions.begin(), regions.end(),
                                  [node](const Region &region) { return region.node == node; });
  return node && found != regions.end() ? &*found : nullptr;
}

std::shared_ptr<RegionTable> RegionTable::changed(const Region &region, const char *kernel,
                                                  Services &services) const {
  const bool isKernel = region.kind == Kind::Kernel;
  std::string name = !isKernel ? region.name : kernel ? kernelName(kernel) : std::string("kernel");
  services.shorten(name);
  if (name == region.name && (isKernel || region.context.empty()))
    return nullptr;
  auto table = std::make_shared<RegionTable>(*this);
  table->layout = nextLayout();
  Region &changed = table->regions[static_cast<std::size_t>(&region - regions.data())];
  changed.site = &siteOf(region.kind, name);
  changed.name = std::move(name);
  changed.context.clear();
  return table;
}

} // namespace graphprof

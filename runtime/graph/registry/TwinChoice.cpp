// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/TwinChoice.h"

#include <string>
#include <string_view>

#include "output/data/Path.h"
#include "services/Services.h"

namespace graphprof {

namespace {

// The names of the regions around a node, from the outermost on.
std::string pathOf(const TimingRequest &request, driver::Node node) {
  const auto owner = request.owners.find(node);
  if (owner == request.owners.end())
    return {};
  std::string path;
  int depth = request.regions[owner->second].depth + 1;
  for (std::size_t i = owner->second + 1; i-- > 0 && depth > 0;)
    if (const Region &region = request.regions[i]; region.depth < depth) {
      path = path.empty() ? region.name : pathInside(region.name, path);
      depth = region.depth;
    }
  return path;
}

} // namespace

KernelTwins chooseTwins(const GraphInUse &use, const Shape &shape, const TimingRequest &request,
                        const GraphClock &clock, Device *device, Services &services) {
  if (use.purpose != Purpose::Exec || !device)
    return {};
  if (!timesInsideKernels(services)) {
    loseUnaskedTwins(shape, services);
    return {};
  }
  std::string_view why;
  if (!clock.takesTwins())
    why = "its graph is timed with events";
  else if (services.recordingBudget.terms().splits())
    why = "its graph is recorded in parts";
  else if (!use.uses.empty())
    why = "its graph holds child graphs with regions";
  if (!why.empty()) {
    loseKernelTwins(shape, why, services);
    return {};
  }
  KernelTwins twins = kernelTwinsIn(shape, *device, services);
  for (const KernelTwin &twin : twins.all)
    twin.inside->path = pathOf(request, shape.created()[twin.place]);
  return twins;
}

} // namespace graphprof

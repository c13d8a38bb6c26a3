// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/InsideKernels.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace graphprof {

namespace {

// The place of each of the run's rows among the regions, which get those that are new.
std::vector<std::size_t> placesOf(std::vector<InsideRegion> &regions, const KernelRun &run) {
  std::vector<std::size_t> places;
  for (const KernelRun::Row &row : run.rows) {
    const InsideOfKernel::Scope &scope = run.kernel->scopes[row.scope];
    const std::size_t parent = row.parent == KernelRun::none ? KernelRun::none : places[row.parent];
    const auto found = std::ranges::find_if(regions, [&](const InsideRegion &region) {
      return region.parent == parent && region.number == row.scope &&
             region.scope.line == scope.line && region.scope.name == scope.name &&
             region.scope.file == scope.file;
    });
    places.push_back(static_cast<std::size_t>(found - regions.begin()));
    if (found == regions.end()) {
      InsideRegion region;
      region.scope = scope;
      region.number = row.scope;
      region.parent = parent;
      region.depth = parent == KernelRun::none ? 0 : regions[parent].depth + 1;
      regions.push_back(std::move(region));
    }
  }
  return places;
}

// `add` adds a duration to one of the distributions.
template <class Add> void addRun(InsideFigures &figures, const KernelRun &run, Add add) {
  if (run.durationNs >= 0)
    add(run.isTwin ? figures.twin : figures.kernel, run.durationNs);
  for (const KernelRun::Warp &warp : run.warps)
    add(figures.warps, warp.durationNs);
  const std::vector<std::size_t> places = placesOf(figures.regions, run);
  for (const KernelRun::Time &time : run.times) {
    InsideRegion &region = figures.regions[places[time.row]];
    add(region.ofWarps, time.ns);
    region.iterations += time.iterations;
  }
}

} // namespace

double InsideRegion::iterationsOfWarp() const {
  return ofWarps.empty() ? 0
                         : static_cast<double>(iterations) / static_cast<double>(ofWarps.count());
}

double InsideFigures::percentOf(const InsideRegion &region) const {
  return warps.sumNs() > 0 ? 100 * static_cast<double>(region.ofWarps.sumNs()) /
                                 static_cast<double>(warps.sumNs())
                           : -1;
}

double InsideFigures::twinRatio() const {
  return kernel.empty() || twin.empty() || kernel.quantileNs(0.5) <= 0
             ? 0
             : twin.quantileNs(0.5) / kernel.quantileNs(0.5);
}

void InsideKernels::add(std::span<const KernelRun> runs) {
  for (const KernelRun &run : runs) {
    const auto [at, isNew] = known_.try_emplace(
        {run.kernel->path, run.kernel->kernel, run.kernel->launch}, kernels_.size());
    if (isNew && kernels_.size() >= maxKernels) {
      known_.erase(at);
      ++leftOut_;
      continue;
    }
    if (isNew)
      kernels_.push_back({run.kernel->kernel, run.kernel->path, run.kernel->launch, {}, {}});
    Kernel &kernel = kernels_[at->second];
    addRun(run.cold ? kernel.cold : kernel.warm, run,
           [this](Distribution &durations, std::int64_t ns) { samples_.add(durations, ns); });
  }
}

std::vector<std::vector<const InsideKernels::Kernel *>> InsideKernels::byKernel() const {
  std::vector<std::vector<const Kernel *>> all;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  for (const Kernel &kernel : kernels_) {
    const auto [place, isNew] = places.try_emplace({kernel.path, kernel.name}, all.size());
    if (isNew)
      all.emplace_back();
    all[place->second].push_back(&kernel);
  }
  return all;
}

LaunchesTogether together(std::span<const InsideKernels::Kernel *const> launches) {
  LaunchesTogether all;
  double weights = 0;
  for (const InsideKernels::Kernel *const launch : launches) {
    const InsideFigures &figures = launch->shown();
    all.kernel.add(figures.kernel);
    all.twin.add(figures.twin);
    if (figures.twinRatio() > 0) {
      const auto runs = static_cast<double>(figures.kernel.count());
      all.ofKernelNs += figures.kernel.quantileNs(0.5) * runs;
      all.ofTwinNs += figures.twin.quantileNs(0.5) * runs;
    }
    if (figures.warps.empty())
      continue;
    const auto weight =
        static_cast<double>(figures.kernel.empty() ? figures.twin.sumNs() : figures.kernel.sumNs());
    weights += weight;
    std::vector<std::size_t> places;
    for (const InsideRegion &region : figures.regions) {
      const std::size_t parent =
          region.parent == KernelRun::none ? KernelRun::none : places[region.parent];
      const auto found = std::ranges::find_if(all.regions, [&](const auto &one) {
        return one.parent == parent && one.number == region.number &&
               one.scope.name == region.scope.name && one.scope.line == region.scope.line &&
               one.scope.file == region.scope.file;
      });
      places.push_back(static_cast<std::size_t>(found - all.regions.begin()));
      if (found == all.regions.end())
        all.regions.push_back({region.scope, region.number, parent, region.depth, 0});
      all.regions[places.back()].percent += weight * std::max(figures.percentOf(region), 0.0);
    }
  }
  for (LaunchesTogether::Region &region : all.regions)
    region.percent = weights > 0 ? region.percent / weights : -1;
  return all;
}

double LaunchesTogether::twinRatio() const { return ofKernelNs > 0 ? ofTwinNs / ofKernelNs : 0; }

InsideFigures figuresOf(const KernelRun &run) {
  InsideFigures figures;
  addRun(figures, run, [](Distribution &durations, std::int64_t ns) { durations.add(ns); });
  return figures;
}

} // namespace graphprof

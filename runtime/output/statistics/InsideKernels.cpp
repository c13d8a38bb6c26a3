// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "output/statistics/InsideKernels.h"

#include <algorithm>
#include <limits>

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
    const auto [at, isNew] =
        known_.try_emplace({run.kernel->path, run.kernel->kernel}, kernels_.size());
    if (isNew && kernels_.size() >= maxKernels) {
      known_.erase(at);
      ++leftOut_;
      continue;
    }
    if (isNew)
      kernels_.push_back({run.kernel->kernel, run.kernel->path, {}, {}});
    Kernel &kernel = kernels_[at->second];
    addRun(run.cold ? kernel.cold : kernel.warm, run,
           [this](Distribution &durations, std::int64_t ns) { samples_.add(durations, ns); });
  }
}

InsideFigures figuresOf(const KernelRun &run) {
  InsideFigures figures;
  addRun(figures, run, [](Distribution &durations, std::int64_t ns) { durations.add(ns); });
  return figures;
}

} // namespace graphprof

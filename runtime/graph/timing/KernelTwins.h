// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Which kernel nodes of a graph may run their timed twins, and why others may not. A twin takes the
// place of its kernel where it fits on the device as the kernel does, and where nothing begins
// before the kernel has ended.

#ifndef GRAPHPROF_GRAPH_TIMING_KERNELTWINS_H
#define GRAPHPROF_GRAPH_TIMING_KERNELTWINS_H

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "clock/Clock.h"
#include "clock/Device.h"
#include "graph/timing/Rebuild.h"
#include "graph/topology/Shape.h"
#include "output/data/KernelRun.h"

namespace graphprof {

class Services;

/// A kernel node that may run its twin.
struct KernelTwin {
  std::size_t place; ///< in Shape::created()
  driver::Function function;
  WarpPlan plan;
  std::shared_ptr<InsideOfKernel> inside; ///< without the path
};

struct KernelTwins {
  std::vector<KernelTwin> all;
  unsigned entriesPerWarp = 0;

  [[nodiscard]] bool empty() const { return all.empty(); }
  [[nodiscard]] Rebuild::KernelTwins byPlace() const;
  [[nodiscard]] std::vector<WarpPlan> plans() const;
  [[nodiscard]] std::vector<std::size_t> places() const;
};

/// Whether any kernel has a twin, and the configuration wants them.
[[nodiscard]] bool timesInsideKernels(const Services &services);

/// Those of the graph of `shape`, in the current context, which is that of `device`. Counts the
/// others that have one as lost, with the reason.
KernelTwins kernelTwinsIn(const Shape &shape, Device &device, Services &services);

/// Whether a kernel in the graph has a twin.
[[nodiscard]] bool holdsKernelTwin(const Shape &shape);
/// Counts so many kernels that have one as lost.
void loseInside(std::size_t kernels, std::string_view why, Services &services) noexcept;
/// Counts all kernels of the graph that have one as lost, also those in its child graphs.
void loseKernelTwins(const Shape &shape, std::string_view why, Services &services);
/// The same if nobody has said whether twins are to run.
void loseUnaskedTwins(const Shape &shape, Services &services);

} // namespace graphprof

#endif // GRAPHPROF_GRAPH_TIMING_KERNELTWINS_H

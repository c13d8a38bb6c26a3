// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Joins.h"

#include <algorithm>

#include "clock/StampLayout.h"
#include "cuda/Driver.h"
#include "cuda/Occupancy.h"

namespace graphprof {

using driver::cu;
using driver::Occupancy;
using driver::ok;

namespace {

// The most threads of a stamp for which the node at `place` may wait; 0: for none.
unsigned threadsBefore(const Shape &shape, std::size_t place, const Device &device) {
  const driver::Node node = shape.created()[place];
  driver::KernelNodeParams params{};
  if (shape.typeOf(place) != driver::NodeType::Kernel ||
      !ok(cu().graphKernelNodeGetParams(node, &params)) ||
      (params.context && params.context != device.context()))
    return 0;
  const unsigned threads = std::min(stampThreads, params.blockX * params.blockY * params.blockZ);
  return Occupancy::coversBlock(node, threads, device.stamps().registers) ? threads : 0;
}

} // namespace

RootJoins joinsOfRoot(const Shape &shape, const Device &device) {
  RootJoins joins;
  for (std::size_t place = 0; place < shape.created().size(); ++place)
    if (shape.placesBefore(place).empty())
      if (const unsigned threads = threadsBefore(shape, place, device); threads > 0) {
        joins.threads = joins.by.empty() ? threads : std::min(joins.threads, threads);
        joins.by.push_back(place);
      }
  return joins;
}

unsigned threadsOfRootBefore(driver::Graph graph, const Device &device) {
  const Shape shape(graph);
  unsigned threads = shape.created().empty() ? 0 : stampThreads;
  for (std::size_t place = 0; place < shape.created().size() && threads > 0; ++place) {
    if (!shape.placesBefore(place).empty())
      continue;
    driver::Graph inner = nullptr;
    const bool isChild = shape.typeOf(place) == driver::NodeType::Graph &&
                         ok(cu().graphChildGraphNodeGetGraph(shape.created()[place], &inner));
    threads = std::min(threads, isChild ? threadsOfRootBefore(inner, device)
                                        : threadsBefore(shape, place, device));
  }
  return threads;
}

bool hasOneBranch(const Shape &shape, const Reduction &reduction) {
  std::optional<std::size_t> last;
  for (std::size_t place = 0; place < shape.created().size(); ++place) {
    if (reduction.isTransparent(place))
      continue;
    if (last ? reduction.onlyBefore(place) != last : !reduction.isRoot(place))
      return false;
    last = place;
  }
  return true;
}

Joins::Joins(const Shape &shape, const Reduction &reduction, const Device &device)
    : threads_(shape.created().size(), 0), isKernel_(shape.created().size(), false),
      reached_(shape.created().size(), Join::nobody) {
  for (std::size_t place = shape.created().size(); place-- > 0;) {
    if (!reduction.isTransparent(place)) {
      reached_[place] = place;
      threads_[place] = threadsBefore(shape, place, device);
      isKernel_[place] = shape.typeOf(place) == driver::NodeType::Kernel;
    }
    for (const std::size_t before : shape.placesBefore(place))
      if (reduction.isTransparent(before))
        reached_[before] = std::min(reached_[before], reached_[place]);
  }
}

Join Joins::behind(std::span<const std::size_t> places, std::optional<std::size_t> anchor) const {
  std::size_t first = anchor ? *anchor + 1 : 0;
  for (const std::size_t place : places) {
    if (reached_[place] == Join::nobody)
      return {};
    first = std::max(first, reached_[place]);
  }
  for (std::size_t place = first; place < threads_.size(); ++place)
    if (const auto join = at(place))
      return *join;
  return {};
}

std::size_t Joins::kernelBehind(std::size_t place) const {
  const auto found =
      std::find(isKernel_.begin() + static_cast<std::ptrdiff_t>(place) + 1, isKernel_.end(), true);
  return found == isKernel_.end() ? Join::nobody
                                  : static_cast<std::size_t>(found - isKernel_.begin());
}

std::optional<Join> Joins::at(std::size_t place) const {
  return threads_[place] > 0 ? std::optional(Join{place, threads_[place]}) : std::nullopt;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/ChildWaits.h"

#include <algorithm>
#include <cstddef>

#include "cuda/Driver.h"
#include "graph/timing/Joins.h"
#include "graph/topology/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Calls `use(place, child)` for each child that is behind none of the nodes that wait for the root
// (`waits(place)`), nor behind a child for which `use` returned that it will wait.
template <class Waits, class Use>
void forChildrenInFront(const Shape &shape, std::span<const ChildUse> children, Waits waits,
                        Use use) {
  std::vector<bool> isBehind(shape.created().size(), false);
  for (std::size_t place = 0; place < isBehind.size(); ++place) {
    isBehind[place] =
        waits(place) || std::ranges::any_of(shape.placesBefore(place),
                                            [&](std::size_t from) { return isBehind[from]; });
    const auto child = std::ranges::find(children, shape.created()[place], &ChildUse::node);
    if (child != children.end() && !isBehind[place])
      isBehind[place] = use(place, *child);
  }
}

// The most threads of a root for which the child may wait; 0: it may not, because it begins with a
// copy, for example (Joins.h).
unsigned threadsOfRootBefore(const ChildUse &child, const Device &device) {
  driver::Graph inner = nullptr;
  return ok(cu().graphChildGraphNodeGetGraph(child.node, &inner))
             ? threadsOfRootBefore(inner, device)
             : 0;
}

// Those that would have to wait for the root, and may not: the program could hang.
std::vector<driver::Node> mayNotWait(const Shape &shape, const Device &device,
                                     std::span<const ChildUse> children) {
  std::vector<driver::Node> found;
  if (children.empty())
    return found;
  const RootJoins joins = joinsOfRoot(shape, device);
  const auto waits = [&](std::size_t place) { return std::ranges::binary_search(joins.by, place); };
  forChildrenInFront(shape, children, waits, [&](std::size_t, const ChildUse &child) {
    const bool mayWait = threadsOfRootBefore(child, device) > 0;
    if (!mayWait)
      found.push_back(child.node);
    return mayWait;
  });
  return found;
}

} // namespace

void putBehindRoot(const Shape &shape, const Device &device, TimingEdges &edges,
                   std::span<const ChildUse> children) {
  if (children.empty() || edges.boundaries[0].edge != StampEdge::Completion)
    return; // a root on a kernel's launch is over long before what is behind that kernel begins
  const auto waits = [&](std::size_t place) {
    return std::ranges::binary_search(edges.behindRoot, place) || edges.joins[0].by == place;
  };
  forChildrenInFront(shape, children, waits, [&](std::size_t place, const ChildUse &child) {
    const unsigned threads = threadsOfRootBefore(child, device);
    const bool isFirst = edges.behindRoot.empty() && edges.joins[0].by == Join::nobody;
    edges.joins[0].threads =
        std::max(1U, isFirst ? threads : std::min(edges.joins[0].threads, threads));
    edges.behindRoot.insert(std::ranges::upper_bound(edges.behindRoot, place), place);
    return true;
  });
}

std::vector<ChildUse> takenAmong(std::vector<ChildUse> children, const EdgeSupport &support,
                                 const Shape &shape, const Device *device, Services &services) {
  const auto loseIf = [&](auto isLost) {
    std::erase_if(children, [&](const ChildUse &child) {
      const bool lost = isLost(child);
      if (lost)
        loseChildren({&child, 1}, services);
      return lost;
    });
  };
  loseIf([&](const ChildUse &child) {
    return child.edited || (support.launchCompletion && holdsEventNodes(child.node));
  });
  if (device)
    loseIf([&, nodes = mayNotWait(shape, *device, children)](const ChildUse &child) {
      return std::ranges::find(nodes, child.node) != nodes.end();
    });
  return children;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/TimingNodes.h"

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

void TimingNodes::setHolder(driver::Node node, int regionsAround, std::uint64_t structureOfGraph) {
  holder = node;
  depth = regionsAround;
  structure = structureOfGraph;
}

std::uint32_t TimingNodes::size() const {
  auto count = static_cast<std::uint32_t>(own.size());
  for (const TimingNodes &child : children)
    count += child.size();
  return count;
}

std::optional<TimingNodes> TimingNodes::in(driver::Graph clone) const {
  TimingNodes found;
  for (const driver::Node node : own)
    if (!ok(cu().graphNodeFindInClone(&found.own.emplace_back(), node, clone)))
      return std::nullopt;
  for (const TimingNodes &child : children) {
    driver::Node holderInClone = nullptr;
    driver::Graph held = nullptr;
    if (!ok(cu().graphNodeFindInClone(&holderInClone, child.holder, clone)) ||
        !ok(cu().graphChildGraphNodeGetGraph(holderInClone, &held)))
      return std::nullopt;
    auto inChild = child.in(held);
    if (!inChild)
      return std::nullopt;
    inChild->setHolder(holderInClone, child.depth, child.structure);
    found.children.push_back(std::move(*inChild));
  }
  return found;
}

void TimingNodes::appendTo(std::vector<driver::Node> &nodes) const {
  nodes.insert(nodes.end(), own.begin(), own.end());
  for (const TimingNodes &child : children)
    child.appendTo(nodes);
}

} // namespace graphprof

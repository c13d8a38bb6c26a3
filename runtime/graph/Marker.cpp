// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Marker.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"

namespace graphprof {

using driver::cu;
using driver::ok;

bool Marker::addRoot() {
  const driver::Node root = clock_.addRoot(into_.graph);
  if (!root)
    return false;
  into_.timing.push_back(root);
  Nodes first;
  for (const driver::Node node : shape_.order())
    if (shape_.before(node).empty())
      first.push_back(into_.twins.at(node));
  return link(root, first);
}

bool Marker::link(driver::Node from, const Nodes &to) {
  const Nodes sources(to.size(), from);
  const std::vector<driver::EdgeData> whole(to.size(), driver::EdgeData{});
  return to.empty() || ok(cu().graphAddDependencies(into_.graph, sources.data(), to.data(),
                                                    whole.data(), to.size()));
}

std::uint32_t Marker::indexOf(const Nodes &behind) const {
  const auto found = index_.find(behind);
  return found != index_.end() ? found->second : behind.empty() ? 0 : Region::unfinished;
}

// The same in every graph of this shape: one may be updated from the other.
std::vector<const Nodes *> Marker::missing() const {
  using Positions = std::vector<std::size_t>; // latest first
  std::vector<std::pair<Positions, const Nodes *>> found;
  for (const auto &[behind, index] : index_) {
    if (index != Region::unfinished)
      continue;
    Positions positions;
    for (const driver::Node node : behind)
      positions.push_back(shape_.position(node));
    std::sort(positions.rbegin(), positions.rend());
    found.emplace_back(std::move(positions), &behind);
  }
  std::sort(found.begin(), found.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<const Nodes *> inOrder;
  inOrder.reserve(found.size());
  for (const auto &[positions, behind] : found)
    inOrder.push_back(behind);
  return inOrder;
}

bool Marker::addLeaves() {
  const auto wanted = missing();
  return std::all_of(wanted.begin(), wanted.end(),
                     [this](const Nodes *behind) { return add(*behind); });
}

bool Marker::add(const Nodes &behind) {
  Nodes twins;
  for (const driver::Node node : behind)
    twins.push_back(into_.twins.at(node));
  const driver::Node made = clock_.addBoundary(into_.graph, twins);
  if (!made)
    return false;
  index_.at(behind) = static_cast<std::uint32_t>(into_.timing.size());
  into_.timing.push_back(made);
  return !clock_.holdsUp() || link(made, waitingForAll(behind));
}

Nodes Marker::waitingForAll(const Nodes &behind) const {
  Nodes found;
  for (const driver::Node node : shape_.after(behind.front())) {
    const Nodes &before = shape_.before(node);
    if (std::all_of(behind.begin(), behind.end(), [&](driver::Node one) {
          return std::find(before.begin(), before.end(), one) != before.end();
        }))
      found.push_back(into_.twins.at(node));
  }
  return found;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/CaptureBoundaries.h"

#include <algorithm>

#include "cuda/Driver.h"
#include "graph/timing/HiddenNodes.h"
#include "graph/timing/InPlace.h"
#include "graph/topology/Nodes.h"

namespace graphprof {

using driver::cu;
using driver::ok;

std::optional<std::uint32_t> CaptureBoundaries::boundary(driver::Stream stream,
                                                         const Frontier &frontier) {
  // Nothing precedes this boundary: the replay begins here.
  if (frontier.nodes.empty())
    return 0;
  std::uint32_t &last = last_[stream]; // a stream without a boundary has the root
  if (last > 0 && noted_[last].behind == frontier.nodes)
    return last;
  if (!marked() && mayMark_ && (unique_ || isUniqueUpTo(frontier.nodes)))
    begin(stream, frontier);

  // Allocate before the node is made: a node that exists must not be forgotten.
  Noted noted{frontier.nodes, last};
  makeRoom();
  if (marked()) {
    const driver::ContextOf current(stream);
    const driver::Node node = clock_.captureBoundary(stream, frontier, timing_[last]);
    if (!node)
      return std::nullopt;
    timing_.push_back(node);
  }
  last = static_cast<std::uint32_t>(noted_.size());
  noted_.push_back(std::move(noted));
  return last;
}

// Looks at each node once in a capture.
bool CaptureBoundaries::isUniqueUpTo(std::vector<driver::Node> pending) {
  while (!pending.empty()) {
    const driver::Node node = pending.back();
    pending.pop_back();
    if (!upstream_.insert(node).second)
      continue;
    if (isUnique(node))
      return true;
    if (const auto before = neighboursOf(node, Side::Before))
      pending.insert(pending.end(), before->nodes.begin(), before->nodes.end());
  }
  return false;
}

void CaptureBoundaries::begin(driver::Stream stream, const Frontier &frontier) {
  HiddenNodes::come();
  const driver::ContextOf current(stream);
  std::vector<driver::Node> marks;
  marks.reserve(noted_.size());
  for (const Noted &noted : noted_) {
    const driver::Node node = marks.empty()
                                  ? clock_.captureRoot(stream, frontier)
                                  : clock_.captureBoundary(stream, frontier, marks[noted.previous]);
    if (!node) { // the nodes made so far do nothing; others are added after the capture
      mayMark_ = false;
      return;
    }
    marks.push_back(node);
  }
  timing_ = std::move(marks);
}

// Its handle may be reused.
void CaptureBoundaries::nodeGoes(driver::Node node) {
  upstream_.erase(node);
  std::optional<Neighbours> before;
  for (Noted &noted : noted_) {
    if (std::erase(noted.behind, node) == 0)
      continue;
    if (!before)
      before = neighboursOf(node, Side::Before);
    if (before)
      noted.behind.insert(noted.behind.end(), before->nodes.begin(), before->nodes.end());
    noted.behind = frontier(std::move(noted.behind));
  }
}

// Tries each node twice: a node that stays would change the program's graph.
void CaptureBoundaries::remove() {
  const auto remove = [](driver::Node node) { return ok(cu().graphDestroyNode(node)); };
  for (auto node = timing_.rbegin(); node != timing_.rend(); ++node)
    if (!remove(*node))
      remove(*node);
  timing_.clear();
}

void CaptureBoundaries::makeRoom() {
  constexpr std::size_t fewest = 16;
  const std::size_t room = std::max(fewest, 2 * noted_.size());
  if (noted_.size() == noted_.capacity())
    noted_.reserve(room);
  if (marked() && timing_.size() == timing_.capacity())
    timing_.reserve(room);
}

std::optional<std::vector<Nodes>> CaptureBoundaries::takeFrontiers(const Shape &shape) {
  std::vector<Nodes> frontiers;
  frontiers.reserve(noted_.size());
  for (Noted &noted : noted_) {
    if (!std::all_of(noted.behind.begin(), noted.behind.end(),
                     [&](driver::Node node) { return shape.has(node); }))
      return std::nullopt;
    frontiers.push_back(frontier(std::move(noted.behind)));
  }
  return frontiers;
}

void CaptureBoundaries::forget() {
  noted_ = {};
  upstream_ = {};
  last_ = {};
}

} // namespace graphprof

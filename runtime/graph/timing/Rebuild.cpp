// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/timing/Rebuild.h"

#include <algorithm>
#include <utility>

#include "clock/StampLayout.h"
#include "cuda/Driver.h"
#include "graph/topology/NodeCopy.h"

namespace graphprof {

using driver::cu;
using driver::isWhole;
using driver::ok;

Rebuild::Rebuild(GraphClock &clock, Device &device, const Shape &shape,
                 const JaggedArray<std::size_t> &boundaries, const TimingEdges &edges,
                 const Children &children, const KernelTwins &kernelTwins, driver::Graph graph)
    : clock_(clock), device_(device), shape_(shape), boundaries_(boundaries), edges_(edges),
      holdsUp_(clock.blocksFollowers()), chains_(!clock.blocksFollowers() && !edges.isJoined),
      children_(children), kernelTwins_(kernelTwins), graph_(graph),
      timing_(boundaries.size(), nullptr), first_(shape.created().size(), 0),
      next_(boundaries.size(), 0), creation_(boundaries.size(), 0),
      taken_(boundaries.size(), false), isClosed_(boundaries.size(), false),
      beginOf_(shape.created().size(), 0), at_(shape.created().size(), SideChain::begin()),
      source_(shape.created().size(), false), timingSource_(boundaries.size(), false),
      before_(shape.created().size(), SIZE_MAX), covered_(shape.created().size(), SIZE_MAX),
      waitedFor_(boundaries.size(), 0) {
  twins_.reserve(shape.created().size());
  for (auto boundary = static_cast<std::uint32_t>(boundaries.size()) - 1; boundary > 0; --boundary)
    next_[boundary] = std::exchange(first_[boundaries[boundary].front()], boundary);
}

std::size_t Rebuild::anchorOf(std::uint32_t boundary) const {
  return isAt(boundary, StampEdge::Completion) ? boundaries_[boundary].back()
                                               : edges_.boundaries[boundary].at;
}

bool Rebuild::run() {
  std::vector<std::uint32_t> due; // in the order of creation
  const bool beginsAtLaunch = isAt(0, StampEdge::LaunchCompletion);
  for (std::uint32_t boundary = beginsAtLaunch ? 0 : 1; boundary < boundaries_.size(); ++boundary)
    due.push_back(boundary);
  std::ranges::sort(due, {}, [this](std::uint32_t it) { return std::pair(anchorOf(it), it); });
  if (!beginsAtLaunch) {
    root_ = clock_.addRoot(device_, graph_, edges_.joins[0].threads);
    if (root_)
      timing_[0] =
          chains_ && !edges_.behindRoot.empty() ? clock_.addFirst(device_, graph_, root_) : root_;
    if (!timing_[0])
      return false;
    if (edges_.isJoined)
      unjoined_.push_back(0);
  }
  created_.push_back(0);
  auto next = due.begin();
  for (std::size_t place = 0; place < shape_.created().size(); ++place) {
    if (!addNode(place))
      return false;
    for (; next != due.end() && anchorOf(*next) == place; ++next)
      if (!addBoundary(*next))
        return false;
  }
  return addLateEdges();
}

template <class Use> void Rebuild::forAllBefore(std::size_t place, Use use) {
  const auto before = shape_.placesBefore(place);
  for (const std::size_t from : before)
    before_[from] = place;
  for (const std::size_t from : before)
    for (std::uint32_t boundary = first_[from]; boundary != 0; boundary = next_[boundary])
      if (timing_[boundary] && waitsForAll(place, boundary))
        use(boundary);
}

bool Rebuild::waitsForAll(std::size_t place, std::uint32_t boundary) const {
  return std::ranges::all_of(boundaries_[boundary],
                             [&](std::size_t other) { return before_[other] == place; });
}

driver::Node Rebuild::made(std::size_t place, const Nodes &behind) const {
  const driver::Node node = shape_.created()[place];
  const auto child = children_.find(node);
  if (const auto twin = kernelTwins_.find(place); twin != kernelTwins_.end())
    return copyAsTwin(node, twin->second.function, twin->second.parameters, graph_, behind);
  if (child == children_.end()) {
    const auto type = shape_.typeOf(place);
    return type ? copyOf(node, *type, graph_, behind) : nullptr;
  }
  driver::Node twin = nullptr;
  return ok(cu().graphAddChildGraphNode(&twin, graph_, behind.data(), behind.size(), child->second))
             ? twin
             : nullptr;
}

// If boundaries hold up what comes behind them, they replace the edges around them.
bool Rebuild::addNode(std::size_t place) {
  const auto before = shape_.placesBefore(place);
  const auto edges = shape_.edgesTo(place);
  const bool whole = std::all_of(edges.begin(), edges.end(), isWhole);
  dependencies_.clear();
  ++addition_;
  joined_.clear();
  if (holdsUp_ ? before.empty() : std::ranges::binary_search(edges_.behindRoot, place)) {
    dependencies_.push_back(root_);
    timingSource_[0] = timingSource_[0] || root_ == timing_[0];
  }
  forAllBefore(place, [&](std::uint32_t boundary) {
    if (chains_) {
      joined_.push_back(chain_.behind(creation_[boundary]));
    } else if (holdsUp_ && whole) {
      waitFor(boundary);
      for (const std::size_t from : boundaries_[boundary])
        covered_[from] = place;
    }
  });
  join(place);
  const bool isEvent = isEventNode(shape_.typeOf(place));

  Nodes sources; // of edges with data, which are added after the node
  std::vector<driver::EdgeData> data;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t from = before[i];
    source_[from] = true;
    if (from >= place) {
      late_.push_back({from, place, edges[i]});
      continue;
    }
    joined_.push_back(at_[from]);
    if (isEvent && edges_.isJoined && beginOf_[from] != 0) {
      waitFor(beginOf_[from] - 1);
      taken_[beginOf_[from] - 1] = true;
    }
    if (covered_[from] == place)
      continue;
    if (whole) {
      dependencies_.push_back(twins_[from]);
    } else {
      sources.push_back(twins_[from]);
      data.push_back(edges[i]);
    }
  }
  at_[place] = chain_.join(joined_);
  driver::Node twin = made(place, dependencies_);
  if (!twin)
    return false;
  twins_.push_back(twin);
  const Nodes targets(sources.size(), twin);
  return sources.empty() || ok(cu().graphAddDependencies(graph_, sources.data(), targets.data(),
                                                         data.data(), sources.size()));
}

// A stamp at completion replaces the edges around it if they are the node's own.
void Rebuild::join(std::size_t place) {
  std::erase_if(unjoined_, [&](std::uint32_t boundary) {
    if (edges_.joins[boundary].by != place)
      return false;
    if (!taken_[boundary] || before_[edges_.boundaries[boundary].at] == place)
      waitFor(boundary); // otherwise an event node on the only way does so
    isClosed_[boundary] = true;
    if (isAt(boundary, StampEdge::Completion) && waitsForAll(place, boundary))
      for (const std::size_t from : boundaries_[boundary])
        covered_[from] = place;
    return true;
  });
}

void Rebuild::waitFor(std::uint32_t boundary) {
  timingSource_[boundary] = true;
  if (std::exchange(waitedFor_[boundary], addition_) != addition_)
    dependencies_.push_back(timing_[boundary]);
}

driver::Node Rebuild::atBeginOf(std::size_t place) {
  const std::uint32_t boundary = beginOf_[place] - 1;
  timingSource_[boundary] = source_[place] = true; // it comes after both
  return timing_[boundary];
}

driver::Node Rebuild::makeBoundary(std::uint32_t boundary) {
  const StampEdge edge = edges_.boundaries[boundary].edge;
  const std::size_t at = edges_.boundaries[boundary].at;
  const bool maybeLast = boundary + 1 == boundaries_.size(); // then it copies (StampLayout.h)
  const Join &join = edges_.joins[boundary];
  const unsigned threads = maybeLast && join.by == Join::nobody ? stampThreads : join.threads;
  if (edge == StampEdge::Completion || edge == StampEdge::BeforeSuccessor)
    return clock_.addBoundary(device_, graph_, dependencies_, threads);
  if (edge == StampEdge::SharedWithBegin)
    return atBeginOf(at);
  if (edge == StampEdge::WaitsBeside)
    source_[at] = true; // it comes after that kernel's end
  if (boundary > 0)
    return clock_.addAt(device_, graph_, edge, edges_.isJoined, twins_[at], dependencies_, threads);
  return root_ = clock_.addRootAt(device_, graph_, edges_.isJoined, twins_[at], threads);
}

bool Rebuild::addBoundary(std::uint32_t boundary) {
  const StampEdge edge = edges_.boundaries[boundary].edge;
  const std::size_t at = edges_.boundaries[boundary].at;
  const auto frontier = boundaries_[boundary];
  const bool isAtLaunch = edge == StampEdge::LaunchCompletion;
  joined_.clear();
  if (isAtLaunch)
    joined_.push_back(at_[at]);
  dependencies_.clear();
  ++addition_;
  const auto waitForWork = [this](std::size_t place) {
    dependencies_.push_back(twins_[place]);
    source_[place] = true;
  };
  for (const std::size_t place : frontier) {
    joined_.push_back(at_[place]);
    if (edge == StampEdge::Completion)
      waitForWork(place); // otherwise it does not see its end, or waits on another edge
  }
  const SideChain::Front previous = chain_.join(joined_);
  if (edge == StampEdge::BeforeSuccessor)
    waitForWork(at);
  if (chains_ && boundary > 0) // otherwise the nodes before it have waited for those
    for (const std::uint32_t before : chain_.boundaries(previous))
      if (!isClosed_[created_[before]])
        waitFor(created_[before]);
  if (edges_.isJoined)
    for (const std::uint32_t before : unjoined_)
      waitFor(before);
  timing_[boundary] = makeBoundary(boundary);
  if (!timing_[boundary])
    return false;
  if (edges_.isJoined && edge != StampEdge::BeforeSuccessor) {
    std::erase_if(unjoined_, [this](std::uint32_t before) { // this one waits for them
      return edges_.joins[before].by == Join::nobody;
    });
    unjoined_.push_back(boundary);
  } else if (chains_ && edges_.joins[boundary].by != Join::nobody) {
    unjoined_.push_back(boundary);
  }
  if (isAtLaunch)
    beginOf_[at] = boundary + 1;
  if (boundary == 0)
    return true;
  creation_[boundary] = static_cast<std::uint32_t>(created_.size());
  created_.push_back(boundary);
  chain_.add(previous);
  if (frontier.size() == 1)
    at_[frontier.front()] = chain_.behind(creation_[boundary]);
  if (isAtLaunch)
    at_[at] = chain_.behind(creation_[boundary]);
  return true;
}

bool Rebuild::addLateEdges() {
  Nodes from, to;
  std::vector<driver::EdgeData> data;
  for (std::size_t boundary = 0; boundary < boundaries_.size(); ++boundary)
    if (isAt(static_cast<std::uint32_t>(boundary), StampEdge::BeforeSuccessor)) {
      timingSource_[boundary] = true;
      from.push_back(timing_[boundary]);
      to.push_back(twins_[edges_.boundaries[boundary].next]);
      data.push_back({driver::portProgrammatic, 0, driver::edgeProgrammatic, {}});
    }
  for (const LateEdge &edge : late_) {
    from.push_back(twins_[edge.from]);
    to.push_back(twins_[edge.to]);
    data.push_back(edge.data);
    forStampsBehind(edge, [&](std::uint32_t earlier, std::uint32_t later) {
      timingSource_[earlier] = true;
      from.push_back(timing_[earlier]);
      to.push_back(timing_[later]);
      data.push_back({});
    });
  }
  return from.empty() ||
         ok(cu().graphAddDependencies(graph_, from.data(), to.data(), data.data(), from.size()));
}

// The stamp behind the node that was created first does not wait for the other's by itself, so it
// might read the end of a region before its begin is read.
template <class Use> void Rebuild::forStampsBehind(const LateEdge &edge, Use use) const {
  const auto isAlone = [this](std::uint32_t boundary) {
    return boundaries_[boundary].size() == 1 && isAt(boundary, StampEdge::Completion);
  };
  if (!chains_)
    return;
  for (std::uint32_t earlier = first_[edge.from]; earlier != 0; earlier = next_[earlier])
    for (std::uint32_t later = first_[edge.to]; later != 0; later = next_[later])
      if (isAlone(earlier) && isAlone(later))
        use(earlier, later);
}

Nodes Rebuild::sinks() const {
  Nodes found;
  for (std::size_t i = 0; i < twins_.size(); ++i)
    if (!source_[i])
      found.push_back(twins_[i]);
  const auto isClosed =
      [this](std::size_t boundary) { // also through the boundary that has its node
        const BoundaryEdge &edge = edges_.boundaries[boundary];
        return edge.edge == StampEdge::SharedWithBegin && isClosed_[beginOf_[edge.at] - 1];
      };
  for (std::size_t i = 0; i < timing_.size(); ++i)
    if (!timingSource_[i] && !isClosed(i))
      found.push_back(timing_[i]);
  return found;
}

} // namespace graphprof

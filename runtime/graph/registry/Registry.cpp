// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/registry/Registry.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "cuda/Driver.h"
#include "graph/registry/Children.h"
#include "graph/registry/ExplicitGraph.h"
#include "graph/registry/InPlaceTiming.h"
#include "graph/registry/RebuiltTiming.h"
#include "graph/timing/Choice.h"
#include "graph/timing/Drawing.h"
#include "graph/timing/InPlace.h"
#include "graph/timing/KernelTwins.h"
#include "graph/timing/TimedNodes.h"
#include "services/Services.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

std::atomic<bool> anyTimed{false};

// Of a graph that is not to be timed, which is a loss only if there is a reason.
Expected<void> untimed(const Choice &choice) {
  if (choice.why.empty())
    return {};
  return Failure{std::string(choice.why)};
}

} // namespace

bool Registry::anyTimedChild() { return anyTimed; }

Registry::Registry(Services &services, GraphClock &clock, std::shared_ptr<Capture> capture)
    : services_(services), clock_(clock), capture_(std::move(capture)),
      state_(capture_->isTimed() ? State::Recording : State::Untimed),
      recorder_(capture_->isTimed() ? capture_ : nullptr) {}

Registry::Registry(Services &services, GraphClock &clock, std::shared_ptr<ExplicitGraph> built)
    : services_(services), clock_(clock), recorder_(std::move(built)) {}

Registry::Registry(Services &services, GraphClock &clock, std::shared_ptr<const TimedGraph> timed,
                   Extents extents)
    : services_(services), clock_(clock), state_(State::Timed), timed_(std::move(timed)),
      extents_(std::move(extents)) {}

bool Registry::marked() const {
  const MutexLock lock(mutex_);
  return recorder_ && recorder_->isMarked();
}

std::size_t Registry::regionCount() const {
  const MutexLock lock(mutex_);
  return recorder_ ? recorder_->regionCount() : 0;
}

std::size_t Registry::unused() const {
  const MutexLock lock(mutex_);
  if (used_)
    return 0;
  if (!timed_)
    return recorder_ ? recorder_->regionCount() : 0;
  return static_cast<std::size_t>(
      std::count_if(timed_->table->regions.begin(), timed_->table->regions.end(),
                    [](const Region &region) { return region.kind == Kind::Region; }));
}

GraphFacts Registry::factsOf(const GraphInUse &use, const Recorder &recorder,
                             const Services &services) {
  GraphFacts facts;
  facts.isBody = use.isBody;
  facts.holdsBodies = use.holdsBodies;
  facts.isBuilt = !recorder.isCapture();
  facts.isMarked = recorder.isMarked();
  facts.mayBeRecaptured = recorder.mayBeRecaptured();
  facts.hasRegions = recorder.hasRegions();
  facts.hasTimedChildren = !use.uses.empty();
  facts.hasTimedBodies = !use.bodies.empty();
  facts.hasTimedNodes = facts.isBuilt && (services.config().nodes || timesInsideKernels(services));
  return facts;
}

Expected<void> Registry::time(const GraphInUse &use) {
  const MutexLock lock(mutex_);
  if (state_ != State::Recording)
    return {};
  state_ = State::Untimed;
  const std::shared_ptr<Recorder> recorder = std::exchange(recorder_, nullptr);

  const driver::CurrentContext current(device_ ? device_->context() : driver::currentContext());
  GraphFacts facts = factsOf(use, *recorder, services_);
  Choice choice = chooseTiming(facts, clock_); // as far as is known
  if (choice.way == Way::Untimed) {
    recorder->giveUp();
    if (use.isBody || use.holdsBodies)
      loseChildren(use.uses, services_);
    return untimed(choice);
  }
  const Shape shape(use.graph);
  auto request = recorder->request(shape);
  if (!request) {
    if (choice.way != Way::Rebuilt)
      loseChildren(use.uses, services_);
    return request.failure();
  }
  request->serves = recorder->serves();
  facts.hasRegions = !request->regions.empty();
  facts.hasTimedNodes =
      facts.hasTimedNodes && (services_.config().nodes ? holdsWork(shape) : holdsKernelTwin(shape));
  facts.isUnique = choice.way == Way::Rebuilt && isUnique(shape);
  facts.keepsNodes = facts.isUnique && facts.mayBeRecaptured && keepsNodes(shape);
  choice = chooseTiming(facts, clock_);
  switch (choice.way) {
  case Way::Untimed:
    if (timesInsideKernels(services_))
      loseKernelTwins(shape, "its graph cannot be timed", services_);
    return untimed(choice);
  case Way::Rebuilt: {
    auto made = set(rebuild(use, shape, *request, 0));
    if (made)
      extents_ = std::move(request->extents);
    return made;
  }
  case Way::InPlace:
  case Way::Body:
    break;
  }
  if (timesInsideKernels(services_))
    loseKernelTwins(shape, "its graph is timed in place", services_);
  return set(InPlaceTiming(services_, clock_, use).run(std::move(*request)));
}

Expected<std::shared_ptr<const TimedGraph>> Registry::rebuild(const GraphInUse &use,
                                                              const Shape &shape,
                                                              TimingRequest &request,
                                                              std::uint64_t graphNumber) const {
  std::optional<TimedNodes> nodes;
  if (services_.config().nodes)
    nodes.emplace(TimedNodes::beside(request.regions.size(), shape, services_));
  return timeRebuilt(services_, clock_, use, shape, request, nodes ? &*nodes : nullptr,
                     graphNumber);
}

Expected<void> Registry::set(Expected<std::shared_ptr<const TimedGraph>> made) {
  if (!made)
    return made.failure();
  timed_ = std::move(*made);
  if (!timed_->rebuilt() && !timed_->children.empty())
    anyTimed = true;
  state_ = State::Timed;
  return {};
}

std::shared_ptr<const TimedGraph> Registry::timed() const {
  const MutexLock lock(mutex_);
  return timed_;
}

std::shared_ptr<const TimedGraph> Registry::usable() const {
  const MutexLock lock(mutex_);
  return edited_ ? nullptr : timed_;
}

std::shared_ptr<const RegionTable> Registry::table() const {
  const MutexLock lock(mutex_);
  return timed_ ? timed_->table : nullptr;
}

void Registry::abandonBuffer() {
  const MutexLock lock(mutex_);
  if (const auto buffer = timed_ ? timed_->inPlace() : nullptr)
    buffer->abandon();
}

driver::Node Registry::twin(driver::Node node) const {
  const MutexLock lock(mutex_);
  return timed_ && !gone_.contains(node) ? timed_->twin(node) : nullptr;
}

driver::Node Registry::changing(driver::Node node) {
  const MutexLock lock(mutex_);
  const driver::Node twin = timed_ && !edited_ && !used_ ? timed_->twin(node) : nullptr;
  // They would be made from the node as it was.
  if (twin && (timed_->parts || timed_->twinsFrom)) {
    auto timed = std::make_shared<TimedGraph>(*timed_);
    timed->parts.reset();
    if (timed->twinsFrom)
      loseInside(timed->table->twinned.size(), "a node of its graph was changed after its capture",
                 services_);
    timed->twinsFrom.reset();
    timed_ = std::move(timed);
  }
  return twin;
}

// CUDA may have made a new graph for the node; then the timing nodes are new, too.
bool Registry::setChild(driver::Node holder, const TimingNodes &timing, const Registry *child) {
  const MutexLock lock(mutex_);
  const TimedChild *const before = timed_ ? timed_->timedChild(holder) : nullptr;
  if (!before)
    return !child;
  auto changed = std::make_shared<TimedGraph>(*timed_);
  driver::Graph held = nullptr;
  if (!before->isThere() && ok(cu().graphChildGraphNodeGetGraph(holder, &held)))
    if (auto now = timing.in(held)) {
      now->setHolder(holder, before->range.depth, before->range.structure);
      auto children = std::make_shared<TimedChildren>(*timed_->timedChildren);
      auto place = children->begin() + (before - timed_->timedChildren->data());
      for (TimedChild &each : ChildPlan::listed(before->plan, *now, before->range.first)) {
        each.bodies = before->bodies;
        *place++ = std::move(each);
      }
      changed->timedChildren = std::move(children);
    }
  const bool followed = exchangeIn(changed->table, *before, child, device_);
  timed_ = std::move(changed);
  return followed;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Graphs.h"

#include <algorithm>
#include <cstddef>

#include "clock/Devices.h"
#include "cuda/Driver.h"
#include "graph/timing/Choice.h"
#include "graph/timing/KernelTwins.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

namespace {

Clocks::Allowed allowedBy(const Config &config) {
  return {.stamps = config.clock != ClockChoice::Event,
          .coarseStamps = config.clock == ClockChoice::Stamp,
          .beginsOfKernels = config.edges != EdgeChoice::Completion,
          .events = config.clock != ClockChoice::Stamp};
}

} // namespace

Graphs::Graphs(Services &services, Devices &devices) noexcept
    : services_(services), devices_(devices), built_(services, devices), children_(services),
      clocks_(devices, allowedBy(services.config()), services.config().ringDepth) {}

GraphClock *Graphs::chooseClock() {
  Device *device = devices_.current();
  if (!device)
    return nullptr;
  GraphClock *const clock = clocks_.choose(*device);
  if (services_.config().clock == ClockChoice::Stamp && (!clock || clock->kind() != Clock::Stamp))
    services_.say("GRAPHPROF_CLOCK=stamp: the timestamp kernels do not load on this device; "
                  "events are used instead; build graphprof where nvcc is");
  return clock;
}

void Graphs::prepareContext() {
  const Config &config = services_.config();
  if (!services_.recording() && !config.window && !config.schedule && !config.control)
    return; // nobody can start a recording from outside
  Device *const device = devices_.current();
  if (!device || device->isPrepared())
    return; // threads may change between contexts often
  const driver::RelaxedCapture relaxed;
  if (GraphClock *const clock = relaxed ? chooseClock() : nullptr) {
    static_cast<void>(clock->edges(*device));
    if (clock->kind() == Clock::Stamp && (config.control || config.stuckNs > 0))
      device->peek().prepare();
    device->prepared();
  }
}

namespace {

bool isOf(const Registry &registry, std::uint64_t captureId) {
  const auto &capture = registry.capture();
  return capture && capture->id() == captureId && !capture->hasEnded();
}

} // namespace

std::shared_ptr<Capture> Graphs::capturing(driver::Stream stream, const Frontier &frontier,
                                           Target target) {
  if (auto known = registryOf(frontier.graph); known && isOf(*known, frontier.captureId))
    return known->capture();
  const MutexLock making(makingMutex_);
  bool isBody = false;
  {
    const MutexLock lock(mutex_);
    isBody = bodies_.isBody(frontier.graph);
    if (auto capture = resumed(stream, frontier, isBody && target != Target::SameNodes))
      return capture;
  }
  const driver::ContextOf current(stream);
  GraphClock *const clock = chooseClock();
  if (!clock)
    return nullptr;
  auto registry = std::make_shared<Registry>(services_, *clock,
                                             makeCapture(*clock, stream, frontier, target, isBody));
  const MutexLock lock(mutex_);
  if (target == Target::ExistingGraph || target == Target::SameNodes || isBody) {
    intoExisting_.insert(frontier.graph);
  } else {
    intoExisting_.erase(frontier.graph);
    forgetNodesOf(frontier.graph); // they belong to a former graph with this handle
  }
  nodes_.isNew(frontier.graph);
  return registries_.try_emplace(frontier.graph, std::move(registry)).first->second->capture();
}

std::shared_ptr<Capture> Graphs::resumed(driver::Stream stream, const Frontier &frontier,
                                         bool mayResume) {
  const auto found = registries_.find(frontier.graph);
  if (found == registries_.end())
    return nullptr;
  const auto &before = found->second->capture();
  if (isOf(*found->second, frontier.captureId)) // another thread was faster
    return before;
  if (mayResume && before && before->resume(stream, frontier.captureId))
    return before; // a body may be captured in pieces
  // Captured into again; or the handle was reused, and the destruction of its former graph was not
  // seen.
  forget(frontier.graph);
  registries_.erase(found);
  nodes_.forget(frontier.graph);
  return nullptr;
}

std::shared_ptr<Capture> Graphs::makeCapture(GraphClock &clock, driver::Stream stream,
                                             const Frontier &frontier, Target target, bool isBody) {
  const bool isRecapture = target == Target::SameNodes;
  const CaptureBegin begun = target == Target::NotSeen ? CaptureBegin::NotSeen : CaptureBegin::Seen;
  if (begun == CaptureBegin::NotSeen)
    Seen::note(services_.seen.othersCapture);
  const Choice choice =
      chooseTiming({.isBody = isBody,
                    .mayBeRecaptured = Recaptures::arePossible(services_.config(), begun),
                    .hasRegions = true},
                   clock);
  const bool timed = choice.way != Way::Untimed && !(isBody && isRecapture);
  if (!timed)
    services_.lose(&Counters::notInstantiated, 1,
                   isBody && isRecapture
                       ? "the body of a conditional node is not timed: it was captured once more, "
                         "which leaves no place for timing nodes"
                       : choice.why);
  using Kind = Capture::Kind;
  return std::make_shared<Capture>(services_, clock, stream, frontier,
                                   !timed        ? Kind::Untimed
                                   : isBody      ? Kind::Body
                                   : isRecapture ? Kind::Recapture
                                                 : Kind::Graph,
                                   begun);
}

void Graphs::forget(driver::Graph graph) {
  const auto found = registries_.find(graph);
  if (intoExisting_.erase(graph) == 0 || found == registries_.end())
    return;
  services_.lose(
      &Counters::incomplete, found->second->unused(),
      "regions of a capture into an existing graph were never measured: no exec was made of it, "
      "or of the graph around it, or it was captured into again; instantiate it after the "
      "capture");
}

void Graphs::forgetAll(driver::Graph graph) {
  forget(graph);
  registries_.erase(graph);
  nodes_.forget(graph);
  built_.forget(graph);
  forgetNodesOf(graph);
}

void Graphs::forgetStale(driver::Graph graph) {
  const MutexLock lock(mutex_);
  forgetAll(graph);
}

void Graphs::onGraphCreated(driver::Graph graph) {
  const MutexLock lock(mutex_);
  forgetAll(graph);
  built_.add(graph);
}

namespace {

// Whether kernels of the graph have annotated statements that are to be timed.
bool hasRegionsInside(driver::Graph graph, const Services &services) {
  if (!timesInsideKernels(services))
    return false;
  const driver::Context own = contextOfKernels(graph);
  const driver::CurrentContext current(own ? own : driver::currentContext());
  return holdsKernelTwin(Shape(graph));
}

} // namespace

Expected<std::shared_ptr<Registry>> Graphs::profile(driver::Graph graph, Purpose purpose) {
  auto built = built_.of(graph);
  const bool nodeMode = services_.config().nodes;
  const std::vector<ChildUse> uses = children_.in(graph);
  if (!nodeMode && uses.empty() && !(built && built->hasRegions()) &&
      !(purpose == Purpose::Exec && hasRegionsInside(graph, services_)))
    return std::shared_ptr<Registry>();
  if (!built) // in node mode any graph is timed, with all its nodes and without regions
    built = std::make_shared<ExplicitGraph>(services_, devices_);
  // If the graph has no regions of its own, its first child with regions tells the device. A graph
  // that others made is on the device of its kernels.
  const Device *device = built->device();
  if (!device && !uses.empty())
    device = uses.front().child->device();
  driver::Context context = device ? device->context() : contextOfKernels(graph);
  if (!context)
    context = driver::currentContext();
  const driver::CurrentContext current(context);
  GraphClock *clock = chooseClock();
  if (!clock)
    return Failure{"no clock works here"};
  auto registry = std::make_shared<Registry>(services_, *clock, std::move(built));
  if (const auto timed = registry->time(GraphInUse(graph, uses, purpose)); !timed)
    return timed.failure();
  return registry->table() ? registry : nullptr;
}

// Also tells captures that are not used yet, because they know nodes as places of their regions.
void Graphs::nodeDestroyed(driver::Node node) {
  std::vector<Captured> captured = registriesWith(node);
  {
    const MutexLock lock(mutex_);
    for (const auto &[graph, said] : nodes_.news())
      if (const auto found = registries_.find(graph); found != registries_.end())
        captured.push_back({graph, found->second});
    forgetBodies(bodies_.forget(node));
    children_.forget(node);
  }
  for (const auto &built : built_.with(node))
    built->remove(node);
  for (const Captured &one : captured)
    one.registry->nodeGoes(node);
}

void Graphs::indexNodes() {
  struct New {
    Captured captured;
    std::uint64_t said;
  };
  std::vector<New> news;
  {
    const MutexLock lock(mutex_);
    for (const auto &[graph, said] : nodes_.news())
      if (const auto found = registries_.find(graph);
          found != registries_.end() && found->second->state() != Registry::State::Recording)
        news.push_back({{graph, found->second}, said});
  }
  for (const auto &[captured, said] : news) {
    const auto timed = captured.registry->timed();
    const std::vector<driver::Node> nodes = timed ? timed->nodes() : std::vector<driver::Node>();
    const MutexLock lock(mutex_);
    nodes_.put(captured.graph, said, nodes);
  }
}

std::vector<Graphs::Captured> Graphs::registriesWith(driver::Node node) {
  indexNodes();
  std::vector<Captured> found;
  const MutexLock lock(mutex_);
  for (const driver::Graph graph : nodes_.graphsOf(node))
    if (const auto registry = registries_.find(graph); registry != registries_.end())
      found.push_back({graph, registry->second});
  return found;
}

void Graphs::forgetNodesOf(driver::Graph graph) {
  forgetBodies(bodies_.forget(graph));
  children_.forgetIn(graph);
}

std::vector<Graphs::Captured> Graphs::registriesTiming(driver::Node child) {
  std::vector<Captured> found;
  if (!Registry::anyTimedChild())
    return found;
  found = registriesWith(child);
  std::erase_if(found, [child](const Captured &one) {
    const auto timed = one.registry->timed();
    return !timed || !timed->timedChild(child);
  });
  return found;
}

void Graphs::reindex(driver::Graph graph) {
  const MutexLock lock(mutex_);
  if (registries_.contains(graph))
    nodes_.isNew(graph);
}

void Graphs::countUnused() {
  const MutexLock lock(mutex_);
  built_.forgetAll();
  while (!intoExisting_.empty())
    forget(*intoExisting_.begin());
}

namespace {

bool isOfCapture(const Registry &registry, std::uint64_t captureId) {
  const auto &capture = registry.capture();
  return registry.state() == Registry::State::Recording && capture && !capture->hasEnded() &&
         (captureId == 0 || capture->id() == captureId);
}

} // namespace

// Finds the newest one, because the ends of older captures may not have been seen.
Graphs::Registries::iterator Graphs::findCapture(driver::Stream stream, std::uint64_t captureId) {
  auto found = registries_.end();
  for (auto entry = registries_.begin(); entry != registries_.end(); ++entry) {
    const Registry &registry = *entry->second;
    if (isOfCapture(registry, captureId) && registry.capture()->origin() == stream &&
        (found == registries_.end() || found->second->capture()->id() < registry.capture()->id()))
      found = entry;
  }
  return found;
}

std::shared_ptr<Registry> Graphs::capturedIn(driver::Stream stream) {
  const MutexLock lock(mutex_);
  const auto found = findCapture(stream, 0);
  return found == registries_.end() ? nullptr : found->second;
}

Graphs::Captured Graphs::captureEnded(driver::Stream stream, driver::Graph graph,
                                      std::uint64_t captureId) {
  const MutexLock lock(mutex_);
  const auto found = graph ? registries_.find(graph) : findCapture(stream, captureId);
  if (found == registries_.end())
    return {};
  // An Untimed registry may belong to this capture or not; it is empty anyway.
  if (!isOfCapture(*found->second, captureId)) {
    const driver::Graph handle = found->first;
    forget(handle);
    registries_.erase(found);
    nodes_.forget(handle);
    return {};
  }
  Captured captured{found->first, std::move(found->second)};
  registries_.erase(found);
  nodes_.forget(captured.graph);
  return captured;
}

void Graphs::setRegistry(driver::Graph graph, const std::shared_ptr<Registry> &registry) {
  const MutexLock lock(mutex_);
  try {
    nodes_.isNew(graph);
    registries_.insert_or_assign(graph, registry);
  } catch (...) { // no memory; if the graph is timed in place, it still writes to its buffer
    registry->abandonBuffer();
    throw;
  }
}

std::shared_ptr<Registry> Graphs::registryOf(driver::Graph graph) {
  const MutexLock lock(mutex_);
  const auto found = registries_.find(graph);
  return found == registries_.end() ? nullptr : found->second;
}

std::shared_ptr<Registry> Graphs::registryOf(driver::Node node) {
  for (Captured &one : registriesWith(node))
    if (one.registry->twin(node))
      return std::move(one.registry);
  return nullptr;
}

void Graphs::graphDestroyed(driver::Graph graph) {
  std::shared_ptr<Registry> registry;
  {
    const MutexLock lock(mutex_);
    built_.forget(graph);
    forgetNodesOf(graph);
    const auto found = registries_.find(graph);
    if (found == registries_.end())
      return;
    forget(graph);
    registry = std::move(found->second);
    registries_.erase(found);
    nodes_.forget(graph);
  }
  registry->life().destroyed(); // may destroy rebuilt graphs, which calls the driver
}

bool Graphs::mayTime(driver::Graph graph) {
  if (services_.config().nodes || timesInsideKernels(services_))
    return true;
  const MutexLock lock(mutex_);
  return registries_.contains(graph) || built_.hasRegions(graph) || bodies_.hold(graph) ||
         children_.anyIn(graph);
}

void Graphs::invalidate() noexcept {
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[graph, registry] : registries_)
    if (const auto timed = registry->timed(); !timed || !timed->inPlace())
      registry->edited();
  bodies_.clear();
  children_.forgetAll();
  built_.forgetAll();
}

void Graphs::abandonBuffers() noexcept {
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[graph, registry] : registries_)
    registry->abandonBuffer();
}

void Graphs::forgetOn(std::span<Device *const> devices) {
  std::vector<driver::Graph> graphs = built_.on(devices);
  const MutexLock lock(mutex_);
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): they are independent
  for (const auto &[graph, registry] : registries_)
    if (std::ranges::find(devices, registry->device()) != devices.end())
      graphs.push_back(graph);
  for (const driver::Graph graph : graphs)
    forgetAll(graph);
}

} // namespace graphprof

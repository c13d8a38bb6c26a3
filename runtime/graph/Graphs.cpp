// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Graphs.h"

#include <algorithm>
#include <cstddef>

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

Graphs::Graphs(Services &services, Harvester &harvester) noexcept
    : services_(services), harvester_(harvester),
      clocks_(allowedBy(services.config()), services.config().ringDepth),
      limit_(services.config().maxExecs) {}

GraphClock *Graphs::chooseClock() {
  Device *device = Device::current();
  if (!device)
    return nullptr;
  GraphClock *const clock = clocks_.choose(*device);
  if (services_.config().clock == ClockChoice::Stamp && (!clock || clock->kind() != Clock::Stamp))
    services_.say("GRAPHPROF_CLOCK=stamp: the timestamp kernels do not load on this device; "
                  "events are used instead; build graphprof where nvcc is");
  return clock;
}

std::shared_ptr<Capture> Graphs::capturing(driver::Stream stream, const Frontier &frontier,
                                           Target target) {
  const auto isOfIt = [&](const Registry &registry) {
    const auto &capture = registry.capture();
    return capture && capture->id() == frontier.captureId && !capture->hasEnded();
  };
  if (auto known = registryOf(frontier.graph); known && isOfIt(*known))
    return known->capture();
  const MutexLock making(makingMutex_);
  bool isBody = false;
  const bool isRecapture = target == Target::SameNodes;
  bool intoExistingGraph = isRecapture || target == Target::ExistingGraph;
  const CaptureBegin begun = target == Target::NotSeen ? CaptureBegin::NotSeen : CaptureBegin::Seen;
  {
    const MutexLock lock(registriesMutex_);
    isBody = bodies_.isBody(frontier.graph);
    intoExistingGraph = intoExistingGraph || isBody;
    const auto found = registries_.find(frontier.graph);
    if (found != registries_.end()) {
      if (isOfIt(*found->second))
        return found->second->capture(); // another thread was faster
      const auto &before = found->second->capture();
      if (isBody && !isRecapture && before && before->resume(stream, frontier.captureId))
        return before; // a body may be captured in pieces
      // Captured into again; or the handle was reused, and the destruction of its former graph was
      // not seen.
      forget(frontier.graph);
      registries_.erase(found);
      nodes_.forget(frontier.graph);
    }
  }
  const driver::ContextOf current(stream);
  GraphClock *clock = chooseClock();
  if (!clock)
    return nullptr;
  const Choice choice =
      chooseTiming({.isBody = isBody,
                    .mayBeRecaptured = Recaptures::arePossible(services_.config(), begun),
                    .hasRegions = true},
                   *clock);
  const bool timed = choice.way != Way::Untimed && !(isBody && isRecapture);
  if (!timed)
    services_.lose(&Counters::notInstantiated, 1,
                   isBody && isRecapture
                       ? "the body of a conditional node is not timed: it was captured once more, "
                         "which leaves no place for timing nodes"
                       : choice.why);
  using Kind = Capture::Kind;
  auto capture = std::make_shared<Capture>(services_, *clock, stream, frontier,
                                           !timed        ? Kind::Untimed
                                           : isBody      ? Kind::Body
                                           : isRecapture ? Kind::Recapture
                                                         : Kind::Graph,
                                           begun);
  auto registry = std::make_shared<Registry>(services_, *clock, std::move(capture));
  const MutexLock lock(registriesMutex_);
  if (intoExistingGraph) {
    intoExisting_.insert(frontier.graph);
  } else {
    intoExisting_.erase(frontier.graph);
    forgetNodesOf(frontier.graph); // they belong to a former graph with this handle
  }
  nodes_.isNew(frontier.graph);
  return registries_.try_emplace(frontier.graph, std::move(registry)).first->second->capture();
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
  forgetBuilt(graph);
  forgetNodesOf(graph);
}

void Graphs::forgetStale(driver::Graph graph) {
  const MutexLock lock(registriesMutex_);
  forgetAll(graph);
}

void Graphs::onGraphCreated(driver::Graph graph) {
  const MutexLock lock(registriesMutex_);
  forgetAll(graph);
  built_.emplace(graph, std::make_shared<ExplicitGraph>(services_));
  anyBuilt_ = true;
}

std::shared_ptr<ExplicitGraph> Graphs::explicitGraphOf(driver::Graph graph) {
  const MutexLock lock(registriesMutex_);
  const auto found = built_.find(graph);
  return found == built_.end() ? nullptr : found->second;
}

void Graphs::setExplicitGraph(driver::Graph graph, std::shared_ptr<ExplicitGraph> built) {
  const std::vector<driver::Node> nodes = built->nodes();
  const MutexLock lock(registriesMutex_);
  built_.insert_or_assign(graph, std::move(built));
  anyBuilt_ = true;
  for (const driver::Node node : nodes)
    builtNodes_.add(graph, node);
}

void Graphs::nodeBuilt(driver::Graph graph, driver::Node node) {
  const MutexLock lock(registriesMutex_);
  builtNodes_.add(graph, node);
}

Expected<std::shared_ptr<Registry>> Graphs::profile(driver::Graph graph, Purpose purpose) {
  auto built = explicitGraphOf(graph);
  const bool nodeMode = services_.config().nodes;
  const std::vector<ChildUse> uses = usesIn(graph);
  if (!nodeMode && uses.empty() && !(built && built->hasRegions()) &&
      !(purpose == Purpose::Exec && hasRegionsInside(graph)))
    return std::shared_ptr<Registry>();
  if (!built) // in node mode any graph is timed, with all its nodes and without regions
    built = std::make_shared<ExplicitGraph>(services_);
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
  std::vector<std::shared_ptr<ExplicitGraph>> built;
  {
    const MutexLock lock(registriesMutex_);
    for (const auto &[graph, said] : nodes_.news())
      if (const auto found = registries_.find(graph); found != registries_.end())
        captured.push_back({graph, found->second});
    for (const driver::Graph graph : builtNodes_.graphsOf(node))
      if (const auto found = built_.find(graph); found != built_.end())
        built.push_back(found->second);
    forgetBodies(bodies_.forget(node));
    std::erase_if(uses_, [node](const ChildUse &use) { return use.node == node; });
  }
  for (const auto &one : built)
    one->remove(node);
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
    const MutexLock lock(registriesMutex_);
    for (const auto &[graph, said] : nodes_.news())
      if (const auto found = registries_.find(graph);
          found != registries_.end() && found->second->state() != Registry::State::Recording)
        news.push_back({{graph, found->second}, said});
  }
  for (const auto &[captured, said] : news) {
    const auto timed = captured.registry->timed();
    const std::vector<driver::Node> nodes = timed ? timed->nodes() : std::vector<driver::Node>();
    const MutexLock lock(registriesMutex_);
    nodes_.put(captured.graph, said, nodes);
  }
}

std::vector<Graphs::Captured> Graphs::registriesWith(driver::Node node) {
  indexNodes();
  std::vector<Captured> found;
  const MutexLock lock(registriesMutex_);
  for (const driver::Graph graph : nodes_.graphsOf(node))
    if (const auto registry = registries_.find(graph); registry != registries_.end())
      found.push_back({graph, registry->second});
  return found;
}

void Graphs::forgetNodesOf(driver::Graph graph) {
  forgetBodies(bodies_.forget(graph));
  std::erase_if(uses_, [graph](const ChildUse &use) { return use.graph == graph; });
}

void Graphs::childAdded(ChildUse use) {
  const MutexLock lock(registriesMutex_);
  uses_.push_back(std::move(use));
}

std::vector<ChildUse> Graphs::usesIn(driver::Graph graph) {
  const MutexLock lock(registriesMutex_);
  std::vector<ChildUse> uses;
  for (const ChildUse &use : uses_)
    if (use.graph == graph)
      uses.push_back(use);
  return uses;
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
  const MutexLock lock(registriesMutex_);
  if (registries_.contains(graph))
    nodes_.isNew(graph);
}

bool Graphs::childExchanged(driver::Node node, const std::shared_ptr<Registry> &child) {
  driver::Graph held = nullptr;
  const auto profiled = child ? child->usable() : nullptr;
  const bool timed = profiled && profiled->rebuilt() &&
                     driver::ok(driver::cu().graphChildGraphNodeGetGraph(node, &held));
  const TimedGraph::Pairs pairs = timed ? profiled->twinsOf(held) : TimedGraph::Pairs();
  const MutexLock lock(registriesMutex_);
  const auto use = std::find_if(uses_.begin(), uses_.end(),
                                [node](const ChildUse &each) { return each.node == node; });
  if (use == uses_.end())
    return !child;
  if (!timed) {
    uses_.erase(use);
    return !child;
  }
  child->used();
  use->child = child;
  use->profiled = profiled;
  use->nodes = pairs;
  use->held = std::make_shared<ChildContents>(node);
  use->edited = false;
  return true;
}

std::vector<driver::Graph> Graphs::heldEdited(driver::Graph graph, driver::Node node) {
  std::vector<driver::Graph> around;
  const MutexLock lock(registriesMutex_);
  for (ChildUse &use : uses_)
    if (use.held->graphs.contains(graph) || use.held->nodes.contains(node)) {
      use.edited = true;
      around.push_back(use.graph);
    }
  return around;
}

void Graphs::childrenCloned(driver::Graph graph, driver::Graph clone) {
  for (ChildUse &use : usesIn(graph)) {
    use.graph = clone;
    use.nodes.clear(); // the clone contains other nodes
    if (driver::Node node = nullptr;
        driver::ok(driver::cu().graphNodeFindInClone(&node, use.node, clone))) {
      use.node = node;
      use.held = std::make_shared<ChildContents>(node);
      childAdded(std::move(use));
    } else {
      services_.lose(&Counters::incomplete, use.profiled->table->regions.size(),
                     "regions of a child graph are not measured: its node was not found in a clone "
                     "of the graph around it; build that again instead of cloning it");
    }
  }
}

void Graphs::forgetBuilt(driver::Graph graph) {
  const auto found = built_.find(graph);
  if (found == built_.end())
    return;
  services_.lose(&Counters::incomplete, found->second->unused(),
                 "regions of a graph that was built by hand were never measured: no "
                 "exec was made of it, or it is a conditional node's body, which "
                 "takes no events; instantiate it, or use the stamp clock");
  built_.erase(found);
  builtNodes_.forget(graph);
  anyBuilt_ = !built_.empty();
}

void Graphs::countUnused() {
  const MutexLock lock(registriesMutex_);
  while (!built_.empty())
    forgetBuilt(built_.begin()->first);
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
  const MutexLock lock(registriesMutex_);
  const auto found = findCapture(stream, 0);
  return found == registries_.end() ? nullptr : found->second;
}

Graphs::Captured Graphs::captureEnded(driver::Stream stream, driver::Graph graph,
                                      std::uint64_t captureId) {
  const MutexLock lock(registriesMutex_);
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
  const MutexLock lock(registriesMutex_);
  try {
    nodes_.isNew(graph);
    registries_.insert_or_assign(graph, registry);
  } catch (...) { // no memory; if the graph is timed in place, it still writes to its buffer
    registry->abandonBuffer();
    throw;
  }
}

std::shared_ptr<Registry> Graphs::registryOf(driver::Graph graph) {
  const MutexLock lock(registriesMutex_);
  const auto found = registries_.find(graph);
  return found == registries_.end() ? nullptr : found->second;
}

std::shared_ptr<Registry> Graphs::registryOf(driver::Node node) {
  for (Captured &one : registriesWith(node))
    if (one.registry->twin(node))
      return std::move(one.registry);
  return nullptr;
}

std::shared_ptr<Registry> Graphs::graphDestroyed(driver::Graph graph) {
  const MutexLock lock(registriesMutex_);
  forgetBuilt(graph);
  forgetNodesOf(graph);
  const auto found = registries_.find(graph);
  if (found == registries_.end())
    return nullptr;
  forget(graph);
  std::shared_ptr<Registry> registry = std::move(found->second);
  registries_.erase(found);
  nodes_.forget(graph);
  return registry;
}

bool Graphs::mayTime(driver::Graph graph) {
  if (services_.config().nodes || timesInsideKernels(services_))
    return true;
  const MutexLock lock(registriesMutex_);
  const auto built = built_.find(graph);
  return registries_.contains(graph) || (built != built_.end() && built->second->hasRegions()) ||
         bodies_.hold(graph) ||
         std::any_of(uses_.begin(), uses_.end(),
                     [graph](const ChildUse &use) { return use.graph == graph; });
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "graph/Follower.h"

#include <algorithm>
#include <utility>

#include "cuda/Driver.h"
#include "graph/harvest/Harvester.h"
#include "graph/registry/InPlaceTiming.h"
#include "services/Services.h"

namespace graphprof {

namespace {

constexpr std::string_view unprofiled = "a graph runs unprofiled: ";

} // namespace

// Captures

std::shared_ptr<Capture> Follower::captureOf(driver::Stream stream) {
  Frontier frontier;
  if (Frontier::readCapture(stream, frontier) != Frontier::Status::Capturing)
    return nullptr;
  const auto registry = graphs_.registryOf(frontier.graph);
  const auto capture = registry ? registry->capture() : nullptr;
  return capture && capture->id() == frontier.captureId ? capture : nullptr;
}

void Follower::captureBegan(driver::Stream stream, Graphs::Target target) {
  Frontier frontier;
  if (Frontier::read(stream, frontier) != Frontier::Status::Capturing)
    return;
  if (target == Graphs::Target::ExistingGraph || target == Graphs::Target::SameNodes)
    changedAround(graphs_.children().edited(frontier.graph, nullptr));
  else
    graphs_.forgetStale(frontier.graph);
  // Makes the registry now, so that its root comes before everything else.
  graphs_.capturing(stream, frontier, target);
}

Follower::Ending Follower::captureEnding(driver::Stream stream) {
  Ending ending;
  Frontier frontier;
  const bool known = Frontier::read(stream, frontier) == Frontier::Status::Capturing;
  ending.id = known ? frontier.captureId : 0;
  ending.registry = known ? graphs_.registryOf(frontier.graph) : graphs_.capturedIn(stream);
  const auto capture = ending.registry ? ending.registry->capture() : nullptr;
  if (!capture)
    ending.registry = nullptr;
  else if (known && capture->origin() == stream)
    capture->ending();
  return ending;
}

void Follower::captureEnded(driver::Stream stream, driver::Graph graph, bool succeeded,
                            const Ending &ending) {
  // A failed capture has no graph to find its registry by. It is the one that captureEnding() saw,
  // not an older one of this stream whose end was missed.
  const std::uint64_t id =
      !succeeded && ending.registry ? ending.registry->capture()->id() : ending.id;
  auto [target, registry] = graphs_.captureEnded(stream, graph, id);
  if (!succeeded && !registry && ending.registry && !ending.registry->capture()->hasEnded())
    registry = ending.registry;
  if (!registry)
    return;
  registry->capture()->ended(succeeded ? target : nullptr);
  if (!succeeded) {
    if (registry->hasRegions())
      services_.lose(&Counters::invalidated, 1, "a capture with regions failed: ",
                     "the program's cudaStreamEndCapture returned an error; check its status");
    return;
  }
  if (registry->hasRegions())
    ++services_.seen.captured;
  // A graph that will be copied is copied when it is used, in its state at that time. A graph that
  // already holds timing nodes gets the remaining ones now.
  const std::vector<ChildUse> uses = graphs_.children().in(target);
  const bool copied = !registry->marked() && (registry->hasRegions() || !uses.empty());
  if (copied || graphs_.isDeferred(target, *registry))
    return graphs_.setRegistry(target, registry);
  if (const auto timed = registry->time(GraphInUse(target, uses, Purpose::Exec)); !timed)
    services_.lose(&Counters::notInstantiated, 1, unprofiled, timed.why());
  if (registry->usable())
    graphs_.setRegistry(target, registry);
}

void Follower::recapturing(driver::Stream stream, driver::Graph graph) {
  driver::CaptureStatus status{};
  const auto registry = graphs_.registryOf(graph);
  if (!registry || !driver::ok(driver::cu().streamIsCapturing(stream, &status)) ||
      status != driver::CaptureStatus::None)
    return;
  const auto timed = registry->timed();
  // With events each launch names the nodes of the program's graph.
  if (timed && timed->inPlace() && timed->table->clock->kind() != Clock::Stamp) {
    registry->abandonBuffer();
    services_.say("a graph that is timed in place with events is captured once more: execs of it "
                  "run untimed from now on; use the stamp clock");
  }
  if (registry->marked() || (timed && !timed->rebuilt() && !removeTiming(*timed, graph))) {
    registry->edited();
    return services_.lose(
        &Counters::notMirrored, 1,
        "a graph that is timed in place is captured once more, which CUDA refuses while "
        "graphprof's nodes are in it, and they cannot be taken out of a graph with memory or "
        "conditional nodes: unset GRAPHPROF_IN_PLACE, and load code that captures graphs once more "
        "before they are captured first");
  }
  if (timed && !timed->rebuilt())
    graphs_.forgetStale(graph);
}

// Graphs

Expected<std::shared_ptr<Registry>>
Follower::renewed(driver::Graph graph, const std::shared_ptr<Registry> &registry, Purpose purpose) {
  if (const auto timed = registry->timed(); timed && timed->inPlace()) {
    if (timed->standsIn(graph))
      return registry;
    return Failure{"its handle now belongs to another graph, without timing nodes; instrument the "
                   "code that destroys graphs"};
  }
  if (!registry->mayBeStale())
    return registry;
  auto other = registry->rebuilt(GraphInUse(graph, graphs_.children().in(graph), purpose));
  if (other)
    graphs_.setRegistry(graph, *other);
  return other;
}

std::shared_ptr<Registry>
Follower::fresh(driver::Graph graph, const std::shared_ptr<Registry> &registry, Purpose purpose) {
  auto found = renewed(graph, registry, purpose);
  if (found)
    return *found;
  services_.lose(&Counters::notMirrored, 1, "a graph with regions runs unprofiled: ", found.why());
  if (!registry->usable())
    return registry;
  graphs_.forgetStale(graph);
  return nullptr;
}

std::shared_ptr<Registry> Follower::timed(driver::Graph graph, Purpose purpose, bool isRenewed) {
  auto registry = graphs_.registryOf(graph);
  if (!registry || registry->state() == Registry::State::Recording)
    if (auto settled = graphs_.timeDeferred(graph))
      return settled;
  if (!registry || registry->state() == Registry::State::Untimed)
    return registry;
  if (registry->state() == Registry::State::Timed)
    return isRenewed ? fresh(graph, registry, purpose) : registry;
  const std::vector<ChildUse> uses = graphs_.children().in(graph);
  if (const auto timed = registry->time(GraphInUse(graph, uses, purpose)); !timed)
    services_.lose(&Counters::notInstantiated, 1, unprofiled, timed.why());
  return registry;
}

void Follower::use(driver::Graph graph, Purpose purpose) { timed(graph, purpose, true); }

std::shared_ptr<Registry> Follower::registryFor(driver::Graph graph, Purpose purpose) {
  if (auto captured = timed(graph, purpose, false); // use() has renewed it
      captured && captured->table() && (captured->usable() || !services_.config().nodes))
    return captured;
  auto built = graphs_.profile(graph, purpose);
  if (built)
    return *built;
  services_.lose(&Counters::notInstantiated, 1, unprofiled, built.why());
  return nullptr;
}

std::shared_ptr<Registry> Follower::registryForChild(driver::Graph child) {
  auto registry = registryFor(child, Purpose::Copies);
  if (!registry)
    return nullptr;
  const auto table = registry->table();
  const bool annotated =
      std::any_of(table->regions.begin(), table->regions.end(),
                  [](const Region &region) { return region.kind == Kind::Region; });
  return annotated ? registry : nullptr;
}

void Follower::cloned(driver::Graph graph, driver::Graph clone) {
  graphs_.forgetStale(clone);
  if (const auto built = graphs_.built().of(graph);
      built && (built->hasRegions() || graphs_.children().anyIn(graph))) {
    if (auto copy = built->cloned(clone)) {
      graphs_.built().set(clone, std::move(copy));
      return graphs_.children().cloned(graph, clone);
    }
    return services_.lose(
        &Counters::notInstantiated, 1, unprofiled,
        "a node was not found in its clone; build the graph again instead of cloning it");
  }
  const auto registry = graphs_.registryOf(graph); // use() has renewed it
  if (!registry || !registry->table())
    return;
  if (auto copy = registry->usable() ? registry->cloned(clone) : nullptr) {
    graphs_.setRegistry(clone, copy);
    return graphs_.children().cloned(graph, clone);
  }
  services_.lose(&Counters::notMirrored, 1, unprofiled,
                 "its clone could not be repeated; capture the graph again instead of cloning it");
}

void Follower::changed(const std::shared_ptr<Registry> &registry) {
  if (registry && registry->edited())
    services_.lose(&Counters::notMirrored, 1,
                   "a graph with regions was changed after its capture: ",
                   "its regions are not timed in execs made from it from now on; capture it again");
}

// If a graph around it is timed in place, its timing nodes are in what was edited; the program may
// edit that.
void Follower::changedAround(const std::vector<driver::Graph> &around) {
  for (const driver::Graph graph : around)
    if (const auto registry = graphs_.registryOf(graph); registry)
      if (const auto timed = registry->timed(); !timed || !timed->inPlace())
        changed(registry);
}

void Follower::edited(driver::Graph graph) {
  changed(graphs_.registryOf(graph));
  changedAround(graphs_.children().edited(graph, nullptr));
}

void Follower::edited(driver::Node node) {
  changed(graphs_.registryOf(node));
  changedAround(graphs_.children().edited(nullptr, node));
}

void Follower::nodeDestroying(driver::Node node) {
  graphs_.nodeDestroyed(node);
  changedAround(graphs_.children().edited(nullptr, node)); // while it can still be found
}

driver::Node Follower::changing(driver::Node node) {
  const auto registry = graphs_.registryOf(node);
  const auto around = graphs_.children().edited(nullptr, node);
  if (registry)
    return registry->changing(node);
  changedAround(around);
  return nullptr;
}

void Follower::childSet(driver::Node node, const std::shared_ptr<Registry> &child,
                        const TimingNodes *timing) {
  bool followed = graphs_.children().exchanged(node, child);
  for (const auto &[graph, around] : graphs_.registriesTiming(node)) {
    followed = timing && around->setChild(node, *timing, child.get());
    graphs_.reindex(graph);
  }
  edited(node);
  if (!followed)
    services_.lose(
        &Counters::notMirrored, 1, "a child graph is not timed: ",
        "its node got it later, or another one with other regions before; add a new child node "
        "with it");
}

// Execs

std::shared_ptr<ExecLifetime> Follower::lifetimeFor(driver::Graph graph) {
  const bool isTimed = graph && services_.recording() && graphs_.mayTime(graph);
  return isTimed ? ExecLifetime::make() : nullptr;
}

void Follower::pairUp(driver::Exec exec, const std::shared_ptr<Registry> &registry,
                      unsigned long long flags, Pair::LaunchHistory past,
                      std::shared_ptr<ExecLifetime> lifetime) {
  if (!registry->usable()) {
    registry->abandonBuffer();
    services_.lose(&Counters::notMirrored, 1, unprofiled,
                   "it was changed after its capture; capture it again");
    return;
  }
  auto pair = execs_.makePair(exec, flags, past, std::move(lifetime));
  if (const auto made = pair->make(registry, execs_.switched(exec)); !made) {
    registry->abandonBuffer();
    services_.lose(&Counters::notInstantiated, 1, unprofiled, made.why());
    return;
  }
  try {
    harvester_.add(pair);
    execs_.add(exec, pair);
  } catch (...) {
    pair->destroy(); // no launch will find it
    throw;
  }
}

void Follower::leaves(const std::shared_ptr<Pair> &pair) {
  pair->destroy();
  harvester_.leaving(pair);
}

void Follower::handleIsNew(driver::Exec exec) {
  std::vector<std::shared_ptr<Pair>> gone = execs_.takeGone();
  if (auto pair = execs_.destroyed(exec))
    gone.push_back(std::move(pair));
  for (const auto &pair : gone)
    leaves(pair);
  if (!gone.empty())
    harvester_.wake();
}

void Follower::instantiated(driver::Exec exec, driver::Graph graph, unsigned long long flags,
                            std::shared_ptr<ExecLifetime> lifetime) {
  if (const auto registry = registryFor(graph, Purpose::Exec))
    pairUp(exec, registry, flags, Pair::LaunchHistory::New, std::move(lifetime));
  else
    execs_.madeUntimed(exec, services_.config().nodes || graphs_.registryOf(graph) != nullptr);
}

void Follower::updated(driver::Exec exec, const std::shared_ptr<Pair> &pair, driver::Graph graph,
                       std::shared_ptr<ExecLifetime> lifetime) {
  const auto registry = registryFor(graph, Purpose::Exec);
  if (!pair) {
    if (registry)
      pairUp(exec, registry, 0, Pair::LaunchHistory::MayRun, std::move(lifetime));
    return;
  }
  const auto updated = pair->update(registry, execs_.switched(exec));
  if (updated)
    return;
  if (registry)
    registry->abandonBuffer();
  services_.lose(&Counters::notMirrored, 1, "an updated graph runs unprofiled: ", updated.why());
}

void Follower::notFollowed(driver::Graph graph) noexcept {
  if (const auto registry = graphs_.registryOf(graph))
    registry->abandonBuffer();
}

void Follower::destroying(driver::Exec exec) {
  if (const auto pair = execs_.destroyed(exec)) {
    leaves(pair);
    harvester_.wake();
  }
}

void Follower::forgetOn(std::span<Device *const> devices) {
  for (const auto &pair : execs_.takeOn(devices))
    leaves(pair);
  graphs_.forgetOn(devices);
  harvester_.wake();
}

void Follower::invalidateAll() noexcept {
  execs_.dropRepeating();
  graphs_.invalidate();
}

void Follower::unknownCalled(const char *name) {
  const std::size_t timed = execs_.invalidate();
  invalidateAll();
  graphs_.abandonBuffers();
  services_.lose(&Counters::notMirrored, timed,
                 "execs that were made before run unprofiled from now on: the program called a "
                 "function of graphs that this graphprof does not know; use a newer one, or "
                 "instantiate the graphs after that call: ",
                 name);
}

} // namespace graphprof

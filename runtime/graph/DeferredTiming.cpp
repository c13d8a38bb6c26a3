// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Graphs with conditional nodes: decides, before an exec is made, how they and their bodies are
// timed. They cannot be cloned, so their timing nodes stay in them.

#include <algorithm>

#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/timing/Choice.h"
#include "graph/topology/Nodes.h"
#include "services/Services.h"

namespace graphprof {

void Graphs::bodiesAdded(Conditional conditional) {
  const MutexLock lock(mutex_);
  for (const driver::Graph body : conditional.bodies) {
    forgetBodies({body}); // it belongs to a former graph with this handle
    built_.add(body);
  }
  if (const auto around = registries_.find(conditional.graph); around != registries_.end())
    if (const auto &capture = around->second->capture())
      capture->cannotBeCopied();
  bodies_.add(std::move(conditional));
}

void Graphs::forgetBodies(const std::vector<driver::Graph> &bodies) {
  for (const driver::Graph body : bodies) {
    forget(body);
    built_.forget(body);
    registries_.erase(body);
    nodes_.forget(body);
    children_.forgetIn(body);
  }
}

bool Graphs::isDeferred(driver::Graph graph, const Registry &registry) {
  const MutexLock lock(mutex_);
  return bodies_.hold(graph) ||
         (bodies_.isBody(graph) && (registry.hasRegions() || children_.anyIn(graph)));
}

std::shared_ptr<Registry> Graphs::timeDeferred(driver::Graph graph) {
  {
    const MutexLock lock(mutex_);
    if (!bodies_.hold(graph))
      return nullptr;
  }
  return timeDeferred(graph, false, 0);
}

std::shared_ptr<Registry> Graphs::timeDeferred(driver::Graph graph, bool isBody, int depth) {
  const std::vector<ChildUse> uses = children_.takeFrom(graph);
  auto registry = registryOf(graph);
  if (registry && registry->state() != Registry::State::Recording) {
    loseChildren(uses,
                 services_); // a body under the event clock, or the children were added too late
    return registry;
  }
  std::vector<Conditional> conditionals;
  {
    const MutexLock lock(mutex_);
    conditionals = bodies_.of(graph);
  }
  const auto nodes = nodesOf(graph);
  std::vector<TimedBody> bodies;
  Device *deviceOfBodies = nullptr;
  for (const Conditional &conditional : conditionals) {
    // A conditional node whose destruction was not seen took its bodies along.
    if (!nodes || std::find(nodes->begin(), nodes->end(), conditional.node) == nodes->end())
      continue;
    for (const driver::Graph graphOfBody : conditional.bodies) {
      const auto body = timeDeferred(graphOfBody, true, depth + conditional.depth);
      const auto timed = body ? body->timed() : nullptr;
      if (!timed || !timed->ring())
        continue;
      bodies.push_back({conditional.node,
                        {timed->table, timed->ring(), conditional.position},
                        timed->timedChildren});
      deviceOfBodies = body->device();
    }
  }
  GraphInUse use(graph, uses, Purpose::Exec);
  use.holdsBodies = !conditionals.empty();
  use.isBody = isBody;
  use.depth = depth;
  use.bodies = bodies;
  if (!registry) {
    registry = registryOfBuilt(use, deviceOfBodies);
    if (!registry) {
      loseChildren(uses, services_);
      return nullptr;
    }
    setRegistry(graph, registry);
  }
  if (const auto timed = registry->time(use); !timed) {
    services_.lose(&Counters::notInstantiated, 1,
                   "a graph or a conditional node's body is not timed: ", timed.why());
    return nullptr;
  }
  if (isBody)
    registry->used(); // every exec of the graph around it uses the body
  return registry->table() ? registry : nullptr;
}

std::shared_ptr<Registry> Graphs::registryOfBuilt(const GraphInUse &use,
                                                  const Device *deviceOfBodies) {
  auto built = built_.of(use.graph);
  const bool hasRegions = built && built->hasRegions();
  if (!hasRegions && use.bodies.empty() && use.uses.empty())
    return nullptr;
  const Device *device = hasRegions ? built->device() : deviceOfBodies;
  if (!device && !use.uses.empty())
    device = use.uses.front().child->device();
  if (!built)
    built = std::make_shared<ExplicitGraph>(services_, devices_);
  const driver::CurrentContext current(device ? device->context() : driver::currentContext());
  GraphClock *clock = chooseClock();
  // If the graph is not timed, its regions are counted when it is forgotten.
  const bool timed =
      clock && chooseTiming(Registry::factsOf(use, *built, services_), *clock).way != Way::Untimed;
  return timed ? std::make_shared<Registry>(services_, *clock, std::move(built)) : nullptr;
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/detail/graph_calls.h: what the program's graph calls set off. Each function is a few
// sentences on registries and pairs; what is lost on the way is counted and said once.

#include "graphprof/detail/graph_calls.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "api/Lifetime.h"
#include "api/OpenRegions.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/Harvester.h"
#include "graphprof/control.h"
#include "graphprof/step.h"
#include "session/HostSpans.h"
#include "session/Session.h"
#include "session/Steps.h"

namespace graphprof::detail {

namespace {

Session &session() { return Session::instance(); }

// The edge to the program: nothing of ours is thrown into it. What was not followed is counted.
template <class Work> void contained(Work work) noexcept {
  try {
    work();
  } catch (const std::exception &failure) {
    ++session().counters.notMirrored;
    session().say(std::string("out of order: ") + failure.what());
  } catch (...) {
    ++session().counters.notMirrored;
    session().say("out of order");
  }
}

template <class Work> void guarded(Work work) noexcept {
  if (active() && driver::functions())
    contained(work);
}

void lost(std::atomic<std::uint64_t> &counter, const char *what, const std::string &why) {
  ++counter;
  session().say(std::string(what) + ": " + why);
}

// An exec without a pair was made or updated from a graph with regions.
void pairUp(driver::Exec exec, const std::shared_ptr<Registry> &registry, unsigned long long flags,
            Pair::Past past) {
  if (!registry->usable()) {
    registry->spoil();
    lost(session().counters.notMirrored, "a graph runs unprofiled",
         "it was changed after its capture");
    return;
  }
  auto pair = std::make_shared<Pair>(exec, flags, past);
  std::string why;
  if (!pair->make(registry, why, Graphs::instance().switched(exec))) {
    registry->spoil();
    lost(session().counters.notInstantiated, "a graph runs unprofiled", why);
    return;
  }
  Graphs::instance().addPair(exec, pair);
  Harvester::instance().add(std::move(pair));
}

// The registry of a captured graph as it is now: the program may have changed it since.
std::shared_ptr<Registry> fresh(driver::Graph graph, std::shared_ptr<Registry> registry) {
  if (!registry || !registry->isStale())
    return registry;
  std::string why;
  auto other = registry->anew(graph, Graphs::instance().usesIn(graph), why);
  if (!other) {
    lost(session().counters.notMirrored, "a graph with regions was changed after its capture", why);
    return registry;
  }
  Graphs::instance().captured(graph, other);
  return other;
}

// The registry of `graph`, split at the latest now: its capture may have ended in code that was not
// instrumented.
std::shared_ptr<Registry> splitRegistry(driver::Graph graph) {
  std::string why;
  auto registry = Graphs::instance().registryOf(graph);
  if (!registry || registry->state() == Registry::State::Capturing) {
    const auto settled = Graphs::instance().settle(graph, why);
    if (!why.empty())
      lost(session().counters.notInstantiated, "a graph or a conditional node's body is not timed",
           why);
    if (settled)
      return settled;
  }
  if (!registry || registry->state() != Registry::State::Capturing)
    return fresh(graph, std::move(registry));
  if (!registry->split(graph, Graphs::instance().usesIn(graph), why))
    lost(session().counters.notInstantiated, "a graph runs unprofiled", why);
  return registry;
}

// The registry for an exec of `graph`, which was captured or built.
std::shared_ptr<Registry> registryFor(driver::Graph graph) {
  const bool nodeMode = session().config().nodes;
  if (auto captured = splitRegistry(graph);
      captured && captured->table() && (captured->usable() || !nodeMode))
    return captured;
  std::string why;
  auto built = Graphs::instance().profile(graph, why);
  if (!why.empty())
    lost(session().counters.notInstantiated, "a graph runs unprofiled", why);
  return built;
}

// The registry of a graph that becomes a child, where it has regions: in node mode a child without
// them is one node of the graph around it.
std::shared_ptr<Registry> registryForChild(driver::Graph child) {
  auto registry = registryFor(child);
  if (!registry)
    return nullptr;
  const std::vector<Region> &regions = registry->table()->regions;
  const bool annotated = std::any_of(regions.begin(), regions.end(), [](const Region &region) {
    return region.kind == Kind::Region;
  });
  return annotated ? registry : nullptr;
}

// Where the next node of `graph` stands among its regions: how many are open around it, on this
// thread, and how many began before it.
struct Place {
  int depth = 0;
  std::size_t position = 0;
};
Place endOf(driver::Graph graph) {
  const auto registry = Graphs::instance().registryOf(graph);
  const auto built = registry ? nullptr : Graphs::instance().builtOf(graph);
  const auto &stack = OpenRegions::ofThisThread().stack;
  const auto around = std::count_if(stack.begin(), stack.end(), [&](const auto &open) {
    if (registry)
      return open->registry == registry;
    return built && open->building && !open->left.load() && built->isWithin(*open->building);
  });
  return {static_cast<int>(around), registry ? registry->regionCount()
                                    : built  ? built->regionCount()
                                             : 0};
}

void changed(const std::shared_ptr<Registry> &registry) {
  if (registry && registry->edited())
    lost(session().counters.notMirrored, "a graph with regions was changed after its capture",
         "its regions are not timed in execs made from it from now on");
}

// What a child node holds was edited. Where the graph around it is timed in place, its timing nodes
// stand in what was edited.
void changedAround(const std::vector<driver::Graph> &around) {
  for (const driver::Graph graph : around)
    if (const auto registry = Graphs::instance().registryOf(graph);
        registry && !registry->inPlace())
      changed(registry);
}

void forget(std::vector<driver::Stream> &streams, driver::Stream stream) {
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end())
    streams.erase(found);
}

} // namespace

void captureBegan(CUstream_st *stream, CaptureInto target) noexcept {
  guarded([&] {
    used();
    OpenRegions::ofThisThread().capturing.push_back(stream);
    Frontier frontier;
    if (Frontier::read(stream, frontier) != Frontier::Status::Capturing)
      return;
    const bool intoExisting = target == CaptureInto::ExistingGraph;
    if (intoExisting)
      changedAround(Graphs::instance().heldEdited(frontier.graph, nullptr));
    // Now, so that its root stands before everything else.
    Graphs::instance().capturing(stream, frontier, intoExisting);
  });
}

void captureEnded(CUstream_st *stream, bool succeeded, CUgraph_st *graph) noexcept {
  guarded([&] {
    forget(OpenRegions::ofThisThread().capturing, stream);
    const auto [target, registry] = Graphs::instance().captureEnded(stream, graph);
    if (!registry)
      return;
    if (!succeeded) {
      if (registry->hasRegions())
        lost(session().counters.invalidated, "a capture with regions failed",
             "the program's cudaStreamEndCapture returned an error");
      return;
    }
    if (Graphs::instance().waits(target, *registry))
      return Graphs::instance().captured(target, registry);
    std::string why;
    if (!registry->split(target, Graphs::instance().usesIn(target), why))
      lost(session().counters.notInstantiated, "a graph runs unprofiled", why);
    if (registry->usable())
      Graphs::instance().captured(target, registry);
  });
}

void graphUsing(CUgraph_st *graph) noexcept {
  guarded([&] { splitRegistry(graph); });
}

void instantiated(CUgraphExec_st *exec, CUgraph_st *graph, unsigned long long flags) noexcept {
  guarded([&] {
    if (const auto gone = Graphs::instance().execDestroyed(exec)) // unseen: the handle is another's
      gone->destroy();
    if (const auto registry = registryFor(graph))
      pairUp(exec, registry, flags, Pair::Past::New);
  });
}

void updated(CUgraphExec_st *exec, CUgraph_st *graph) noexcept {
  guarded([&] {
    const auto registry = registryFor(graph);
    const auto pair = Graphs::instance().pairOf(exec);
    if (!pair) {
      if (registry)
        pairUp(exec, registry, 0, Pair::Past::MayRun);
      return;
    }
    std::string why;
    if (pair->update(registry, why, Graphs::instance().switched(exec)))
      return;
    if (registry)
      registry->spoil();
    lost(session().counters.notMirrored, "an updated graph runs unprofiled", why);
  });
}

void uploaded(CUgraphExec_st *exec, CUstream_st *stream) noexcept {
  guarded([&] {
    if (const auto pair = Graphs::instance().pairOf(exec))
      pair->upload(stream);
  });
}

void execDestroying(CUgraphExec_st *exec) noexcept {
  guarded([&] {
    if (const auto pair = Graphs::instance().execDestroyed(exec)) {
      pair->destroy();
      Harvester::instance().wake();
    }
  });
}

namespace {

// GRAPHPROF_STEP=launches: this launch begins a step.
void countAsStep(Pair &pair) {
  const Config &config = session().config();
  if (config.stepsAreLaunches && (config.stepGraph == 0 || config.stepGraph == pair.graph()))
    Steps::instance().next();
}

// A launch that the program's own call makes, where it is shown; beginNs is 0 where it is not.
thread_local HostLaunch ownLaunch;

void push(const HostLaunch &launch) {
  HostEvent event;
  event.kind = HostKind::Launch;
  event.beginNs = launch.beginNs;
  event.endNs = launch.endNs;
  event.step = currentStep();
  event.graph = launch.graph;
  event.exec = launch.exec;
  event.replay = launch.number;
  HostSpans::instance().push(std::move(event));
}

// Of an exec that is not timed only the host's side is shown, if anything: the program's call makes
// the launch.
Launch launchUntimed() {
  if (!session().recordingSwitch.hostSpans())
    return Launch::Plain;
  ownLaunch = {};
  ownLaunch.beginNs = hostNowNs();
  return Launch::PlainThenMark;
}

} // namespace

Launch launch(CUgraphExec_st *exec, CUstream_st *stream) noexcept {
  Launch result = Launch::Plain;
  guarded([&] {
    const auto pair = Graphs::instance().pairOf(exec);
    if (!pair) {
      result = launchUntimed();
      return;
    }
    countAsStep(*pair);
    HostLaunch shown;
    result = pair->launch(stream, currentStep(), session(),
                          session().recordingSwitch.hostSpans() ? &shown : nullptr);
    if (result == Launch::PlainThenMark)
      ownLaunch = shown;
    else if (shown.endNs)
      push(shown);
    if (session().recording())
      Harvester::instance().wake();
  });
  return result;
}

void launchedPlain(CUgraphExec_st *exec, CUstream_st *stream) noexcept {
  guarded([&] {
    HostLaunch shown = std::exchange(ownLaunch, {});
    shown.endNs = shown.beginNs ? hostNowNs() : 0;
    if (const auto pair = Graphs::instance().pairOf(exec))
      pair->launchedPlain(stream);
    if (shown.endNs)
      push(shown);
  });
}

void deviceResetting() noexcept {
  guarded([&] {
    constexpr std::int64_t patienceMs = 1000;
    if (!Harvester::instance().flush(patienceMs))
      Harvester::instance().abandon(session());
    Graphs::instance().clear();
  });
}

void graphCreated(CUgraph_st *graph) noexcept {
  guarded([&] { Graphs::instance().created(graph); });
}

void nodeAdded(CUgraph_st *graph, CUgraphNode_st *node) noexcept {
  guarded([&] {
    Graphs &graphs = Graphs::instance();
    changedAround(graphs.heldEdited(graph, nullptr));
    if (const auto registry = graphs.registryOf(graph))
      return changed(registry);
    const auto built = graphs.builtOf(graph);
    if (!built)
      return;
    int depth = 0;
    for (const auto &open : OpenRegions::ofThisThread().stack) {
      if (!open->building || open->left.load() || !built->isWithin(*open->building))
        continue;
      open->isOfGraph = true;
      built->add(*open->building, depth++, node);
    }
  });
}

void bodiesAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *const *bodies,
                 unsigned count) noexcept {
  guarded([&] {
    used();
    const auto [depth, position] = endOf(graph);
    Graphs::instance().bodiesAdded(
        {graph, node, std::vector<driver::Graph>(bodies, bodies + count), depth, position});
  });
}

void childAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *child) noexcept {
  guarded([&] {
    used();
    const auto registry = registryForChild(child);
    if (!registry)
      return;
    driver::Graph copy = nullptr;
    if (!registry->usable() || !registry->profiled() ||
        !driver::ok(driver::cu().graphChildGraphNodeGetGraph(node, &copy)))
      return lost(session().counters.notInstantiated, "a child graph is not timed",
                  "it was changed after its capture, or the driver does not show its copy");
    registry->used();
    const auto [depth, position] = endOf(graph);
    Graphs::instance().childAdded({graph, node, registry, registry->twinsOf(copy), depth, position,
                                   std::make_shared<Held>(node)});
  });
}

void graphDestroying(CUgraph_st *graph) noexcept {
  guarded([&] { Graphs::instance().graphDestroyed(graph); });
}

void graphCloned(CUgraph_st *clone, CUgraph_st *graph) noexcept {
  guarded([&] {
    if (const auto built = Graphs::instance().builtOf(graph);
        built && (built->hasRegions() || !Graphs::instance().usesIn(graph).empty())) {
      if (auto cloned = built->cloned(clone)) {
        Graphs::instance().built(clone, std::move(cloned));
        return Graphs::instance().childrenCloned(graph, clone);
      }
      return lost(session().counters.notInstantiated, "a graph runs unprofiled",
                  "a node was not found in its clone");
    }
    const auto registry = fresh(graph, Graphs::instance().registryOf(graph));
    if (!registry || !registry->table())
      return;
    if (auto cloned = registry->usable() ? registry->cloned(clone) : nullptr)
      Graphs::instance().captured(clone, std::move(cloned));
    else
      lost(session().counters.notMirrored, "a graph runs unprofiled",
           "its clone could not be repeated");
  });
}

void graphEdited(CUgraph_st *graph) noexcept {
  guarded([&] {
    changed(Graphs::instance().registryOf(graph));
    changedAround(Graphs::instance().heldEdited(graph, nullptr));
  });
}

void graphEdited(CUgraphNode_st *node) noexcept {
  guarded([&] {
    changed(Graphs::instance().registryOf(node));
    changedAround(Graphs::instance().heldEdited(nullptr, node));
  });
}

void nodeDestroying(CUgraphNode_st *node) noexcept {
  guarded([&] {
    Graphs::instance().nodeDestroyed(node);
    changedAround(Graphs::instance().heldEdited(nullptr, node)); // who holds it can still be said
  });
}

CUgraphNode_st *twin(CUgraphNode_st *node) noexcept {
  CUgraphNode_st *result = nullptr;
  guarded([&] {
    const auto registry = Graphs::instance().registryOf(node);
    result = registry && registry->usable() ? registry->twin(node) : nullptr;
    if (registry)
      Graphs::instance().childEdited(registry);
    const auto around = Graphs::instance().heldEdited(nullptr, node);
    if (!result)
      changedAround(around);
  });
  return result;
}

void nodeChanged(CUgraphNode_st *node) noexcept {
  guarded([&] {
    if (const auto registry = Graphs::instance().registryOf(node))
      registry->nodeChanged(node);
  });
}

void nodeChanged(CUgraphExec_st *exec, CUgraphNode_st *node, const char *kernel) noexcept {
  guarded([&] {
    if (const auto pair = Graphs::instance().pairOf(exec))
      pair->nodeChanged(node, kernel);
  });
}

Twin twin(CUgraphExec_st *exec, CUgraphNode_st *node) noexcept {
  Twin result{nullptr, nullptr, false};
  guarded([&] {
    if (const auto pair = Graphs::instance().pairOf(exec))
      result = pair->twin(node);
  });
  return result;
}

namespace {

// What the program's exec is given instead of its graph, while it is.
thread_local std::unique_ptr<ChildCopy> givenChild;

void dropGivenChild() {
  if (!givenChild)
    return;
  const driver::RelaxedCapture relaxed;
  givenChild.reset();
}

} // namespace

// Also where nothing is timed any more: the exec has the timing nodes.
CUgraph_st *childSetting(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraph_st *child) noexcept {
  if (!Registry::anyTimedChild() || inForkedChild())
    return child;
  CUgraph_st *given = child;
  contained([&] {
    const driver::RelaxedCapture relaxed;
    const auto registries = Graphs::instance().registriesTiming(node);
    const auto found = std::find_if(registries.begin(), registries.end(), [&](const auto &each) {
      return each->device() && each->timedChild(node)->isThere();
    });
    if (!relaxed || found == registries.end())
      return;
    Registry &registry = **found;
    const driver::CurrentContext current(registry.device()->context());
    auto copy = std::make_unique<ChildCopy>(child, *registry.timedChild(node)->plan,
                                            registry.clock(), *registry.device());
    if (!copy->timing())
      return; // not of that shape: the driver refuses it, and that is the program's to see
    if (!exec)
      registry.bindChild(node, *copy->timing());
    else if (const auto pair = Graphs::instance().pairOf(exec))
      pair->bindChild(node, *copy->timing());
    given = copy->graph();
    givenChild = std::move(copy);
  });
  return given;
}

void childSet(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraph_st *child,
              bool succeeded) noexcept {
  dropGivenChild();
  if (!succeeded)
    return;
  guarded([&] {
    const auto registry = registryForChild(child);
    const auto pair = Graphs::instance().pairOf(exec);
    if (pair ? pair->setChild(node, child, registry) : !registry)
      return;
    if (pair && pair->isTimedInPlace())
      return lost(session().counters.notMirrored, "a child graph is not timed from now on",
                  "its node got one with other regions");
    if (pair)
      pair->drop();
    lost(session().counters.notMirrored, "an exec runs unprofiled from now on",
         "one of its child nodes got a graph with other regions");
  });
}

void childSet(CUgraphNode_st *node, CUgraph_st *child, bool succeeded) noexcept {
  if (!succeeded)
    return dropGivenChild();
  guarded([&] {
    const auto registry = registryForChild(child);
    bool followed = Graphs::instance().childExchanged(node, registry);
    for (const auto &timing : Graphs::instance().registriesTiming(node))
      followed = givenChild && timing->setChild(node, *givenChild->levels(), registry.get());
    changed(Graphs::instance().registryOf(node));
    changedAround(Graphs::instance().heldEdited(nullptr, node));
    if (!followed)
      lost(session().counters.notMirrored, "a child graph is not timed",
           "its node got it later, or another one with other regions before");
  });
  dropGivenChild();
}

void nodeSwitching(CUgraphExec_st *exec) noexcept {
  guarded([&] { Graphs::instance().nodeSwitching(exec); });
}

void notMirrored(CUgraphExec_st *exec) noexcept {
  guarded([&] {
    const auto pair = Graphs::instance().pairOf(exec);
    if (pair && pair->drop())
      lost(session().counters.notMirrored, "an exec runs unprofiled from now on",
           "a change of one of its nodes could not be repeated");
  });
}

} // namespace graphprof::detail

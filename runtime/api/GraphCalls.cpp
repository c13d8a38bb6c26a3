// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/detail/graph_calls.h: captures, graphs and execs. Launches, nodes and child graphs have
// files of their own beside this one; what they share is in Following.h. Each function is a few
// sentences on registries and pairs.

#include "graphprof/detail/graph_calls.h"

#include <algorithm>
#include <utility>

#include "api/Following.h"
#include "api/Lifetime.h"
#include "api/OpenRegions.h"
#include "graph/Graphs.h"
#include "graph/Harvester.h"

namespace graphprof::detail {

namespace {

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

void forget(std::vector<driver::Stream> &streams, driver::Stream stream) {
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end())
    streams.erase(found);
}

} // namespace

// Following.h

void lost(std::atomic<std::uint64_t> &counter, const char *what, const std::string &why) {
  ++counter;
  session().say(std::string(what) + ": " + why);
}

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

} // namespace graphprof::detail

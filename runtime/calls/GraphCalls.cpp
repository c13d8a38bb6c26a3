// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: captures, graphs and execs. The begin of captures, launches,
// nodes, child graphs and memory have their own files beside this one; Guarded.h has what they
// share.

#include "graphprof/detail/seam.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "ThreadOwned.h"
#include "calls/Guarded.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graph/topology/InProgress.h"
#include "nvtx/Nvtx.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

namespace graphprof::internal {

namespace {

// Makes a pair for an exec that was made or updated from a graph with regions.
void pairUp(driver::Exec exec, const std::shared_ptr<Registry> &registry, unsigned long long flags,
            Pair::LaunchHistory past, std::shared_ptr<ExecLifetime> lifetime) {
  if (!registry->usable()) {
    registry->abandonBuffer();
    session().lose(&Counters::notMirrored, 1, "a graph runs unprofiled: ",
                   "it was changed after its capture; capture it again");
    return;
  }
  auto pair = process().execs.makePair(exec, flags, past, std::move(lifetime));
  if (const auto made = pair->make(registry, process().execs.switched(exec)); !made) {
    registry->abandonBuffer();
    session().lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", made.why());
    return;
  }
  try {
    process().harvester.add(pair);
    process().execs.add(exec, pair);
  } catch (...) {
    pair->destroy(); // no launch will find it
    throw;
  }
}

// The registry of a captured graph as the graph is now, because the program may have changed it.
Expected<std::shared_ptr<Registry>> renewed(driver::Graph graph, std::shared_ptr<Registry> registry,
                                            Purpose purpose) {
  if (const auto timed = registry->timed(); timed && timed->inPlace()) {
    if (timed->standsIn(graph))
      return registry;
    return Failure{"its handle now belongs to another graph, without timing nodes; instrument the "
                   "code that destroys graphs"};
  }
  if (!registry->mayBeStale())
    return registry;
  auto other = registry->rebuilt(GraphInUse(graph, process().graphs.children().in(graph), purpose));
  if (other)
    process().graphs.setRegistry(graph, *other);
  return other;
}

// Null if the handle seems to belong to another graph now; that graph is not timed.
std::shared_ptr<Registry> fresh(driver::Graph graph, const std::shared_ptr<Registry> &registry,
                                Purpose purpose) {
  auto found = renewed(graph, registry, purpose);
  if (found)
    return *found;
  session().lose(&Counters::notMirrored, 1, "a graph with regions runs unprofiled: ", found.why());
  if (!registry->usable())
    return registry;
  process().graphs.forgetStale(graph);
  return nullptr;
}

// The registry of `graph`. Times the graph if it was not timed yet. If `isRenewed`, brings a timed
// one up to date.
std::shared_ptr<Registry> timedRegistry(driver::Graph graph, Purpose purpose, bool isRenewed) {
  auto registry = process().graphs.registryOf(graph);
  if (!registry || registry->state() == Registry::State::Recording)
    if (auto settled = process().graphs.timeDeferred(graph))
      return settled;
  if (!registry || registry->state() == Registry::State::Untimed)
    return registry;
  if (registry->state() == Registry::State::Timed)
    return isRenewed ? fresh(graph, registry, purpose) : registry;
  const std::vector<ChildUse> uses = process().graphs.children().in(graph);
  if (const auto timed = registry->time(GraphInUse(graph, uses, purpose)); !timed)
    session().lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", timed.why());
  return registry;
}

// An exec without a pair was made or updated from `graph`. If the graph is timed in place, that
// exec writes times, too.
void abandonTimesOf(driver::Graph graph) noexcept {
  if (const auto registry = process().graphs.registryOf(graph))
    registry->abandonBuffer();
}

// This thread's last graphUsing() failed.
thread_local bool isUnprepared = false;

void forget(std::vector<driver::Stream> &streams, driver::Stream stream) {
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end())
    streams.erase(found);
}

} // namespace

// Declared in Guarded.h.

// A graph that is timed in place has its timing nodes before the program uses it; adding them here
// would be too late.
std::shared_ptr<Registry> registryFor(driver::Graph graph, Purpose purpose) {
  if (isUnprepared)
    throw std::bad_alloc();
  const bool nodeMode = session().config().nodes;
  if (auto captured = timedRegistry(graph, purpose, false); // graphUsing() has renewed it
      captured && captured->table() && (captured->usable() || !nodeMode))
    return captured;
  auto built = process().graphs.profile(graph, purpose);
  if (built)
    return *built;
  session().lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", built.why());
  return nullptr;
}

std::shared_ptr<Registry> registryForChild(driver::Graph child) {
  auto registry = registryFor(child, Purpose::Copies);
  if (!registry)
    return nullptr;
  const auto table = registry->table();
  const bool annotated =
      std::any_of(table->regions.begin(), table->regions.end(),
                  [](const Region &region) { return region.kind == Kind::Region; });
  return annotated ? registry : nullptr;
}

Place endOf(driver::Graph graph) {
  const auto registry = process().graphs.registryOf(graph);
  const auto built = registry ? nullptr : process().graphs.built().of(graph);
  const auto &stack = OpenRegions::ofThisThread().stack;
  const auto around = std::count_if(stack.begin(), stack.end(), [&](const auto &open) {
    if (registry)
      return open->capture && open->capture == registry->capture();
    return built && open->building && !open->left.load() && built->isWithin(*open->building);
  });
  return {static_cast<int>(around), registry ? registry->regionCount()
                                    : built  ? built->regionCount()
                                             : 0};
}

void changed(const std::shared_ptr<Registry> &registry) {
  if (registry && registry->edited())
    session().lose(&Counters::notMirrored, 1,
                   "a graph with regions was changed after its capture: ",
                   "its regions are not timed in execs made from it from now on; capture it again");
}

// The content of a child node was edited. If a graph around it is timed in place, its timing nodes
// are in what was edited; the program may edit that.
void changedAround(const std::vector<driver::Graph> &around) {
  for (const driver::Graph graph : around)
    if (const auto registry = process().graphs.registryOf(graph); registry)
      if (const auto timed = registry->timed(); !timed || !timed->inPlace())
        changed(registry);
}

namespace {

// The capture that this thread is ending (ofThisThread<Ending>()), kept between the calls before
// and after the program's. If the capture fails, CUDA destroys its graph, and another thread's
// capture may get the handle before captureEnded() runs.
struct Ending {
  std::uint64_t id = 0;
  std::shared_ptr<Registry> registry; // that has a capture, or null
};

// What the program's new exec takes along, kept likewise (ofThisThread<Instantiating>()).
struct Instantiating {
  std::shared_ptr<ExecLifetime> lifetime;
  std::unique_ptr<ExecLifetime::UserObjectRef> reference; // null: the driver refused
};

// Prepares what an exec that is made or updated from `graph` takes along. Does nothing if `graph`
// is null, if no graph with its handle is timed, or if graphprof is not recording: CUDA takes
// microseconds longer to launch an exec that holds a user object. (The profiled exec holds none.)
void beginInstantiate(driver::Graph graph, std::shared_ptr<ExecLifetime> lifetime) {
  Instantiating *const instantiating = ofThisThread<Instantiating>();
  if (!instantiating)
    throw std::bad_alloc();
  *instantiating = {};
  if (!lifetime && graph && session().recording() && process().graphs.mayTime(graph))
    lifetime = ExecLifetime::make();
  if (!lifetime)
    return;
  auto reference = lifetime->attachTo(graph);
  *instantiating = {std::move(lifetime), std::move(reference)};
}

// Releases the graph's reference. `taken`: the exec was made or updated.
std::shared_ptr<ExecLifetime> endInstantiate(bool taken) {
  Instantiating *const instantiating = ofThisThread<Instantiating>();
  if (!instantiating)
    return nullptr;
  const Instantiating mine = std::exchange(*instantiating, {});
  if (mine.lifetime && taken)
    mine.lifetime->taken(mine.reference != nullptr);
  return mine.lifetime;
}

} // namespace

} // namespace graphprof::internal

using namespace graphprof;
using namespace graphprof::internal;

namespace {

// The capture that `stream` is in, or null outside captures.
std::shared_ptr<Capture> captureOf(driver::Stream stream) {
  Frontier frontier;
  if (Frontier::readCapture(stream, frontier) != Frontier::Status::Capturing)
    return nullptr;
  const auto registry = process().graphs.registryOf(frontier.graph);
  const auto capture = registry ? registry->capture() : nullptr;
  return capture && capture->id() == frontier.captureId ? capture : nullptr;
}

// This thread, which did not begin `capture`, adds to it.
void joins(const std::shared_ptr<Capture> &capture) {
  OpenRegions &regions = OpenRegions::ofThisThread();
  if (!regions.capturing.empty())
    return; // it has a capture of its own
  if (regions.newestJoined() == capture)
    return; // its ranges are regions of the capture already
  regions.join(capture);
  nvtx::joined(capture);
}

} // namespace

void graphprof_seam_waited(CUstream_st *stream) noexcept {
  if (!InProgress::any())
    return;
  ifTracking([&] {
    if (const auto capture = captureOf(stream)) {
      capture->forked();
      joins(capture);
    }
  });
}

void internal::joinsWith(driver::Stream stream) noexcept {
  if (!stream || !InProgress::any()) // the legacy stream is in no capture
    return;
  ifTracking([&] {
    if (!OpenRegions::ofThisThread().capturing.empty())
      return;
    if (const auto capture = captureOf(stream))
      joins(capture);
  });
}

void graphprof_seam_captureEnding(CUstream_st *stream) noexcept {
  nvtx::captureEnds(stream);
  ifTracking([&] {
    Ending *const ending = ofThisThread<Ending>();
    if (!ending)
      throw std::bad_alloc();
    Frontier frontier;
    const bool known = Frontier::read(stream, frontier) == Frontier::Status::Capturing;
    ending->id = known ? frontier.captureId : 0;
    ending->registry =
        known ? process().graphs.registryOf(frontier.graph) : process().graphs.capturedIn(stream);
    const auto capture = ending->registry ? ending->registry->capture() : nullptr;
    if (!capture)
      ending->registry = nullptr;
    else if (known && capture->origin() == stream)
      capture->ending();
  });
}

void graphprof_seam_captureEnded(CUstream_st *stream, int succeeded, CUgraph_st *graph) noexcept {
  ifTracking([&] {
    forget(OpenRegions::ofThisThread().capturing, stream);
    Ending *const known = ofThisThread<Ending>();
    const Ending ending = known ? std::exchange(*known, {}) : Ending();
    // A failed capture has no graph to find its registry by. It is the one that captureEnding()
    // saw, not an older one of this stream whose end was missed.
    const std::uint64_t id =
        !succeeded && ending.registry ? ending.registry->capture()->id() : ending.id;
    auto [target, registry] = process().graphs.captureEnded(stream, graph, id);
    if (!succeeded && !registry && ending.registry && !ending.registry->capture()->hasEnded())
      registry = ending.registry;
    if (!registry)
      return;
    registry->capture()->ended(succeeded ? target : nullptr);
    if (!succeeded) {
      if (registry->hasRegions())
        session().lose(&Counters::invalidated, 1, "a capture with regions failed: ",
                       "the program's cudaStreamEndCapture returned an error; check its status");
      return;
    }
    if (registry->hasRegions())
      ++session().seen.captured;
    // A graph that will be copied is copied when it is used, in its state at that time. A graph
    // that already holds timing nodes gets the remaining ones now.
    const std::vector<ChildUse> uses = process().graphs.children().in(target);
    const bool copied = !registry->marked() && (registry->hasRegions() || !uses.empty());
    if (copied || process().graphs.isDeferred(target, *registry))
      return process().graphs.setRegistry(target, registry);
    if (const auto timed = registry->time(GraphInUse(target, uses, Purpose::Exec)); !timed)
      session().lose(&Counters::notInstantiated, 1, "a graph runs unprofiled: ", timed.why());
    if (registry->usable())
      process().graphs.setRegistry(target, registry);
  });
}

void graphprof_seam_unknownCalled(const char *name) noexcept {
  ifTracking([&] {
    const std::size_t timed = process().execs.invalidate();
    invalidateAll();
    process().graphs.abandonBuffers();
    session().lose(&Counters::notMirrored, timed,
                   "execs that were made before run unprofiled from now on: the program called a "
                   "function of graphs that this graphprof does not know; use a newer one, or "
                   "instantiate the graphs after that call: ",
                   name);
  });
}

void graphprof_seam_graphUsing(CUgraph_st *graph) noexcept {
  isUnprepared = !ifTracking([&] { timedRegistry(graph, Purpose::Copies, true); });
}

void graphprof_seam_instantiating(CUgraph_st *graph, unsigned long long flags) noexcept {
  isUnprepared = !ifTracking([&] {
    timedRegistry(graph, Purpose::Exec, true);
    // Graphs for launches from the device are not timed.
    beginInstantiate(flags & driver::instantiateDeviceLaunch ? nullptr : graph, nullptr);
  });
}

void graphprof_seam_instantiated(CUgraphExec_st *exec, CUgraph_st *graph,
                                 unsigned long long flags) noexcept {
  const bool followed = ifTracking([&] {
    auto lifetime = endInstantiate(exec != nullptr);
    if (!exec)
      return;
    // Their destruction was not seen: the handle now belongs to another exec.
    std::vector<std::shared_ptr<Pair>> gone = process().execs.takeGone();
    if (auto pair = process().execs.destroyed(exec))
      gone.push_back(std::move(pair));
    for (const auto &pair : gone) {
      pair->destroy();
      process().harvester.leaving(pair);
    }
    if (!gone.empty())
      process().harvester.wake();
    if (const auto registry = registryFor(graph))
      pairUp(exec, registry, flags, Pair::LaunchHistory::New, std::move(lifetime));
    else
      process().execs.madeUntimed(exec, session().config().nodes ||
                                            process().graphs.registryOf(graph) != nullptr);
  });
  if (!followed)
    abandonTimesOf(graph);
}

void graphprof_seam_updating(CUgraphExec_st *exec, CUgraph_st *graph) noexcept {
  isUnprepared = !ifTracking([&] {
    timedRegistry(graph, Purpose::Exec, true);
    const auto pair = process().execs.pairOf(exec);
    // A pair that was made without a lifetime stays without one: nothing would use it.
    const bool without = pair && !pair->lifetime();
    beginInstantiate(without ? nullptr : graph, pair ? pair->lifetime() : nullptr);
  });
}

void graphprof_seam_updated(CUgraphExec_st *exec, CUgraph_st *graph, int succeeded) noexcept {
  const auto pair = tracks() ? process().execs.pairOf(exec) : nullptr;
  const bool followed = ifTracking([&] {
    auto lifetime = endInstantiate(succeeded != 0);
    if (!succeeded)
      return;
    const auto registry = registryFor(graph);
    if (!pair) {
      if (registry)
        pairUp(exec, registry, 0, Pair::LaunchHistory::MayRun, std::move(lifetime));
      return;
    }
    const auto updated = pair->update(registry, process().execs.switched(exec));
    if (updated)
      return;
    if (registry)
      registry->abandonBuffer();
    session().lose(&Counters::notMirrored, 1, "an updated graph runs unprofiled: ", updated.why());
  });
  if (followed)
    return;
  if (pair) // its contents belong to the graph before the update
    pair->invalidate();
  abandonTimesOf(graph);
}

void graphprof_seam_uploaded(CUgraphExec_st *exec, CUstream_st *stream) noexcept {
  ifTracking([&] {
    if (const auto pair = process().execs.pairOf(exec))
      pair->upload(stream);
  });
}

void graphprof_seam_execDestroying(CUgraphExec_st *exec) noexcept {
  guardedChange([&] {
    if (const auto pair = process().execs.destroyed(exec)) {
      pair->destroy();
      process().harvester.leaving(pair);
      process().harvester.wake();
    }
  });
}

void graphprof_seam_graphCreated(CUgraph_st *graph) noexcept {
  guardedChange([&] { process().graphs.onGraphCreated(graph); });
}

void graphprof_seam_graphDestroying(CUgraph_st *graph) noexcept {
  guardedChange([&] { process().graphs.graphDestroyed(graph); });
}

void graphprof_seam_graphCloned(CUgraph_st *clone, CUgraph_st *graph) noexcept {
  guardedChange([&] {
    process().graphs.forgetStale(clone);
    if (const auto built = process().graphs.built().of(graph);
        built && (built->hasRegions() || process().graphs.children().anyIn(graph))) {
      if (auto cloned = built->cloned(clone)) {
        process().graphs.built().set(clone, std::move(cloned));
        return process().graphs.children().cloned(graph, clone);
      }
      return session().lose(
          &Counters::notInstantiated, 1, "a graph runs unprofiled: ",
          "a node was not found in its clone; build the graph again instead of cloning it");
    }
    const auto registry = process().graphs.registryOf(graph); // renewed by graphUsing()
    if (!registry || !registry->table())
      return;
    if (auto cloned = registry->usable() ? registry->cloned(clone) : nullptr) {
      process().graphs.setRegistry(clone, cloned);
      return process().graphs.children().cloned(graph, clone);
    }
    session().lose(
        &Counters::notMirrored, 1, "a graph runs unprofiled: ",
        "its clone could not be repeated; capture the graph again instead of cloning it");
  });
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: captures, graphs and execs. Keeps what a thread needs between
// the calls before and after the program's; what follows from them is Follower's. The begin of
// captures, launches, nodes, child graphs and memory have their own files beside this one;
// Guarded.h has what they share.

#include "graphprof/detail/seam.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "ThreadOwned.h"
#include "calls/GraphCheck.h"
#include "calls/Guarded.h"
#include "calls/MeasuredMemory.h"
#include "graph/Follower.h"
#include "graph/topology/InProgress.h"
#include "nvtx/Nvtx.h"
#include "process/OpenRegions.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

// This thread's last graphUsing() failed.
thread_local bool isUnprepared = false;

void prepare(driver::Graph graph, Purpose purpose) noexcept {
  isUnprepared = !ifTracking([&](Process &own) { own.follower.use(graph, purpose); });
}

// What the program's new exec takes along (ofThisThread<Instantiating>()).
struct Instantiating {
  std::shared_ptr<ExecLifetime> lifetime;
  std::unique_ptr<ExecLifetime::UserObjectRef> reference; // null: the driver refused
};

// An exec is about to be made or updated from `graph`. `lifetime` may be null.
void beginInstantiate(driver::Graph graph, std::shared_ptr<ExecLifetime> lifetime) {
  Instantiating *const instantiating = ofThisThread<Instantiating>();
  if (!instantiating)
    throw std::bad_alloc();
  *instantiating = {};
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

void forget(std::vector<driver::Stream> &streams, driver::Stream stream) {
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found != streams.end())
    streams.erase(found);
}

} // namespace

// Declared in Guarded.h.

void internal::needPrepared() {
  if (isUnprepared)
    throw std::bad_alloc();
}

internal::Place internal::endOf(Graphs &graphs, driver::Graph graph) {
  const auto registry = graphs.registryOf(graph);
  const auto built = registry ? nullptr : graphs.built().of(graph);
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

void graphprof_seam_waited(CUstream_st *stream) noexcept {
  if (!InProgress::any())
    return;
  ifTracking([&](Process &own) {
    if (const auto capture = own.follower.captureOf(stream)) {
      capture->forked();
      joins(capture);
    }
  });
}

void internal::joinsWith(driver::Stream stream) noexcept {
  if (!stream || !InProgress::any()) // the legacy stream is in no capture
    return;
  ifTracking([&](Process &own) {
    if (!OpenRegions::ofThisThread().capturing.empty())
      return;
    if (const auto capture = own.follower.captureOf(stream))
      joins(capture);
  });
}

void graphprof_seam_captureEnding(CUstream_st *stream) noexcept {
  const CaptureEndingMemory memory(stream);
  nvtx::captureEnds(stream);
  ifTracking([&](Process &own) {
    auto *const ending = ofThisThread<Follower::Ending>();
    if (!ending)
      throw std::bad_alloc();
    *ending = own.follower.captureEnding(stream);
  });
}

void graphprof_seam_captureEnded(CUstream_st *stream, int succeeded, CUgraph_st *graph) noexcept {
  const CaptureEndMemory memory(stream, succeeded != 0);
  ifTracking([&](Process &own) {
    forget(OpenRegions::ofThisThread().capturing, stream);
    auto *const known = ofThisThread<Follower::Ending>();
    const Follower::Ending ending = known ? std::exchange(*known, {}) : Follower::Ending();
    own.follower.captureEnded(stream, graph, succeeded != 0, ending);
  });
}

void graphprof_seam_unknownCalled(const char *name) noexcept {
  ifTracking([&](Process &own) { own.follower.unknownCalled(name); });
}

void graphprof_seam_graphUsing(CUgraph_st *graph) noexcept { prepare(graph, Purpose::Copies); }

void graphprof_seam_instantiating(CUgraph_st *graph, unsigned long long flags) noexcept {
  const CallBeginMemory memory;
  isUnprepared = !ifTracking([&](Process &own) {
    own.follower.use(graph, Purpose::Exec);
    // Graphs for launches from the device are not timed.
    const bool isTimed = !(flags & driver::instantiateDeviceLaunch);
    beginInstantiate(graph, isTimed ? own.follower.lifetimeFor(graph) : nullptr);
  });
}

void graphprof_seam_instantiated(CUgraphExec_st *exec, CUgraph_st *graph,
                                 unsigned long long flags) noexcept {
  const CallEndMemory memory(GraphMemory::What::Instantiate, exec, graph);
  const bool followed = ifTracking([&](Process &own) {
    auto lifetime = endInstantiate(exec != nullptr);
    if (!exec)
      return;
    own.follower.handleIsNew(exec);
    checkInstantiated(exec, graph);
    needPrepared();
    own.follower.instantiated(exec, graph, flags, std::move(lifetime));
  });
  if (!followed)
    process().follower.notFollowed(graph);
}

void graphprof_seam_updating(CUgraphExec_st *exec, CUgraph_st *graph) noexcept {
  const CallBeginMemory memory;
  isUnprepared = !ifTracking([&](Process &own) {
    own.follower.use(graph, Purpose::Exec);
    // A pair that was made without a lifetime stays without one: nothing would use it.
    const auto pair = own.execs.pairOf(exec);
    beginInstantiate(graph, pair ? pair->lifetime() : own.follower.lifetimeFor(graph));
  });
}

void graphprof_seam_updated(CUgraphExec_st *exec, CUgraph_st *graph, int succeeded) noexcept {
  const CallEndMemory memory(GraphMemory::What::Update, succeeded ? exec : nullptr, graph);
  const auto pair = tracks() ? process().execs.pairOf(exec) : nullptr;
  const bool followed = ifTracking([&](Process &own) {
    auto lifetime = endInstantiate(succeeded != 0);
    if (!succeeded)
      return;
    checkInstantiated(exec, graph);
    needPrepared();
    own.follower.updated(exec, pair, graph, std::move(lifetime));
  });
  if (followed)
    return;
  if (pair) // its contents belong to the graph before the update
    pair->invalidate();
  process().follower.notFollowed(graph);
}

void graphprof_seam_uploading(CUgraphExec_st * /*exec*/, CUstream_st * /*stream*/) noexcept {
  const CallBeginMemory memory;
}

void graphprof_seam_uploaded(CUgraphExec_st *exec, CUstream_st *stream, int succeeded) noexcept {
  const CallEndMemory memory(GraphMemory::What::Upload, succeeded ? exec : nullptr, nullptr);
  if (!succeeded)
    return;
  ifTracking([&](Process &own) {
    if (const auto pair = own.execs.pairOf(exec))
      pair->upload(stream);
  });
}

void graphprof_seam_execDestroying(CUgraphExec_st *exec) noexcept {
  if (GraphMemory *const memory = measuredMemory())
    memory->execGoes(exec);
  checkChanged(exec);
  guardedChange([&](Process &own) { own.follower.destroying(exec); });
}

void graphprof_seam_graphCreated(CUgraph_st *graph) noexcept {
  guardedChange([&](Process &own) { own.graphs.onGraphCreated(graph); });
}

void graphprof_seam_graphDestroying(CUgraph_st *graph) noexcept {
  if (GraphMemory *const memory = measuredMemory()) {
    memory->graphGoes(graph);
    memory->handOn();
  }
  guardedChange([&](Process &own) { own.graphs.graphDestroyed(graph); });
}

void graphprof_seam_graphCloned(CUgraph_st *clone, CUgraph_st *graph) noexcept {
  guardedChange([&](Process &own) { own.follower.cloned(graph, clone); });
}

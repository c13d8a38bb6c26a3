// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: captures that begin, into a new graph or an existing one.

#include "graphprof/detail/seam.h"

#include "calls/Guarded.h"
#include "graph/Graphs.h"
#include "graph/registry/InPlaceTiming.h"
#include "graph/registry/Recaptures.h"
#include "graph/topology/CommandLists.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

void captureBegan(driver::Stream stream, Graphs::Target target) {
  guardedChange([&] {
    used();
    OpenRegions::ofThisThread().capturing.push_back(stream);
    Frontier frontier;
    if (Frontier::read(stream, frontier) != Frontier::Status::Capturing)
      return;
    if (target == Graphs::Target::ExistingGraph || target == Graphs::Target::SameNodes)
      changedAround(process().graphs.children().edited(frontier.graph, nullptr));
    else
      process().graphs.forgetStale(frontier.graph);
    // Makes the registry now, so that its root comes before everything else.
    process().graphs.capturing(stream, frontier, target);
  });
}

} // namespace

void graphprof_seam_captureBegan(CUstream_st *stream, int intoExisting) noexcept {
  captureBegan(stream, intoExisting ? Graphs::Target::ExistingGraph : Graphs::Target::NewGraph);
}

// Also while nothing is tracked: recording may begin before the list ends.
void graphprof_seam_commandListBegan(CUstream_st *stream) noexcept {
  CommandLists::begun(stream);
  ifTracking([&] {
    if (session().recording())
      session().say("a stream is captured into a command list of a graphics API: its regions are "
                    "not timed, and graphs that are launched in it are not recorded");
  });
}

void graphprof_seam_commandListEnded(CUstream_st *stream) noexcept { CommandLists::ended(stream); }

void graphprof_seam_recaptures() noexcept { Recaptures::mayCome(); }

// An exec that was made before is another copy, and stays timed with stamps. Where the call cannot
// succeed anyway, the graph stays as it is.
void graphprof_seam_recapturing(CUstream_st *stream, CUgraph_st *graph) noexcept {
  ifTracking([&] {
    driver::CaptureStatus status{};
    const auto registry = process().graphs.registryOf(graph);
    if (!registry || !driver::ok(driver::cu().streamIsCapturing(stream, &status)) ||
        status != driver::CaptureStatus::None)
      return;
    const auto timed = registry->timed();
    // With events each launch names the nodes of the program's graph.
    if (timed && timed->inPlace() && timed->table->clock->kind() != Clock::Stamp) {
      registry->abandonBuffer();
      session().say("a graph that is timed in place with events is captured once more: execs of "
                    "it run untimed from now on; use the stamp clock");
    }
    if (registry->marked() || (timed && !timed->rebuilt() && !removeTiming(*timed, graph))) {
      registry->edited();
      return session().lose(
          &Counters::notMirrored, 1,
          "a graph that is timed in place is captured once more, which CUDA refuses while "
          "graphprof's nodes are in it, and they cannot be taken out of a graph with memory or "
          "conditional nodes: unset GRAPHPROF_IN_PLACE, and load code that captures graphs once "
          "more before they are captured first");
    }
    if (timed && !timed->rebuilt())
      process().graphs.forgetStale(graph);
  });
}

void graphprof_seam_recaptureBegan(CUstream_st *stream) noexcept {
  captureBegan(stream, Graphs::Target::SameNodes);
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: captures that begin, into a new graph or an existing one.

#include "graphprof/detail/seam.h"

#include "calls/CaptureCheck.h"
#include "calls/Guarded.h"
#include "calls/MeasuredMemory.h"
#include "graph/Graphs.h"
#include "graph/registry/Recaptures.h"
#include "graph/topology/CommandLists.h"
#include "process/Lifetime.h"
#include "process/OpenRegions.h"
#include "process/Process.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

void captureBegan(driver::Stream stream, Graphs::Target target) {
  const CaptureBeginMemory memory(stream);
  guardedChange([&](Process &own) {
    used();
    OpenRegions::ofThisThread().capturing.push_back(stream);
    checkCaptureBegan();
    own.follower.captureBegan(stream, target);
  });
}

} // namespace

void graphprof_seam_captureBegan(CUstream_st *stream, int intoExisting) noexcept {
  captureBegan(stream, intoExisting ? Graphs::Target::ExistingGraph : Graphs::Target::NewGraph);
}

// Also while nothing is tracked: recording may begin before the list ends.
void graphprof_seam_commandListBegan(CUstream_st *stream) noexcept {
  CommandLists::begun(stream);
  ifTracking([&](Process &own) {
    if (own.session.recording())
      own.session.say("a stream is captured into a command list of a graphics API: its regions are "
                      "not timed, and graphs that are launched in it are not recorded");
  });
}

void graphprof_seam_commandListEnded(CUstream_st *stream) noexcept { CommandLists::ended(stream); }

void graphprof_seam_recaptures() noexcept { Recaptures::mayCome(); }

void graphprof_seam_recapturing(CUstream_st *stream, CUgraph_st *graph) noexcept {
  ifTracking([&](Process &own) { own.follower.recapturing(stream, graph); });
}

void graphprof_seam_recaptureBegan(CUstream_st *stream) noexcept {
  captureBegan(stream, Graphs::Target::SameNodes);
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: launches.

#include "graphprof/detail/seam.h"

#include <utility>

#include "calls/Guarded.h"
#include "calls/MeasuredMemory.h"
#include "clock/HostClock.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "graphprof/step.h"
#include "host/HostSpans.h"
#include "process/Process.h"
#include "process/Signals.h"
#include "services/Steps.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

void countAsStep(Process &own, Pair &pair) {
  const Config &config = own.session.config();
  if (config.stepsAreLaunches && (config.stepGraph == 0 || config.stepGraph == pair.graph()))
    own.steps.next();
}

// A launch that the program's own call makes. beginNs is 0 if it is not shown.
thread_local HostLaunch ownLaunch;

void push(Process &own, const HostLaunch &launch) {
  HostEvent event;
  event.kind = HostKind::Launch;
  event.beginNs = launch.beginNs;
  event.endNs = launch.endNs;
  event.step = current_step();
  event.graph = launch.graph;
  event.exec = launch.exec;
  event.replay = launch.number;
  own.hostSpans.push(std::move(event));
}

// For an exec that is not timed: the program's call makes the launch, and at most the host's side
// is shown, or its memory measured.
Launch launchUntimed(Process &own, driver::Exec exec, driver::Stream stream) {
  GraphMemory *const memory = own.watchesLaunches ? measuredMemory() : nullptr;
  const bool isMeasured = memory && memory->launches(exec, stream);
  const bool isShown = own.session.recordingSwitch.hostSpans();
  if (!isShown && !isMeasured)
    return Launch::Plain;
  ownLaunch = {};
  ownLaunch.beginNs = isShown ? hostNowNs() : 0;
  return Launch::PlainThenMark;
}

// With GRAPHPROF_STEP=launches, this launch begins a step. With GRAPHPROF_GRAPH_MEMORY, the first
// of an exec is that of the program's own, and measured.
Launch launchWatched(Process &own, Pair &pair, Edge &edge, driver::Exec exec, driver::Stream stream,
                     HostLaunch *shown) {
  countAsStep(own, pair);
  GraphMemory *const memory = measuredMemory();
  const bool isMeasured = memory && memory->launches(exec, stream);
  if (isMeasured && own.session.recording())
    ++own.session.counters.notSampled;
  const Launch result = pair.launch(edge, stream, current_step(), shown,
                                    isMeasured ? Pair::Records::Never : Pair::Records::AsAsked);
  if (isMeasured && result == Launch::Done)
    memory->launched(exec);
  if (memory) {
    memory->ownExecUsed();
    memory->handOn();
  }
  return result;
}

enum graphprof_seam_launch forSeam(Launch launch) {
  switch (launch) {
  case Launch::Done:
    return graphprof_seam_done;
  case Launch::PlainThenMark:
    return graphprof_seam_plainThenMark;
  case Launch::Plain:
    break;
  }
  return graphprof_seam_plain;
}

// A program may have a driver that graphprof cannot use. Reports why, once.
void sayWhyNot() noexcept {
  static const bool said = guarded(
      [] { session().say(driver::whyNot() + ": CUDA graphs are not timed; see graphprof info"); });
  (void)said;
}

} // namespace

// The driver may run the program's host functions on this thread, and with them what they throw.
enum graphprof_seam_launch graphprof_seam_launch(CUgraphExec_st *exec, CUstream_st *stream) {
  Launch result = Launch::Plain;
  if (!tracks()) [[unlikely]] {
    if (active())
      sayWhyNot();
    return forSeam(result);
  }
  guardedAround([&](Edge &edge) {
    Process &own = process();
    Session &session = own.session;
    const auto pair = own.execs.pairOf(exec);
    if (!pair) {
      session.launches.noteUntimed();
      if (session.recording())
        own.execs.launchedUntimed(exec);
      result = launchUntimed(own, exec, stream);
      return;
    }
    Seen::note(session.seen.timedLaunch);
    HostLaunch shown;
    HostLaunch *const whereShown = session.recordingSwitch.hostSpans() ? &shown : nullptr;
    result = own.watchesLaunches ? launchWatched(own, *pair, edge, exec, stream, whereShown)
                                 : pair->launch(edge, stream, current_step(), whereShown);
    if (result == Launch::PlainThenMark)
      ownLaunch = shown;
    else if (shown.endNs)
      push(own, shown);
    if (session.recording()) {
      // A launch that a sample leaves out has nothing to be read.
      if (result != Launch::Plain)
        own.harvester.wake();
      watchSignals();
    }
    own.windows.launched();
  });
  return forSeam(result);
}

void graphprof_seam_profiling(int starts) noexcept {
  if (!active())
    return;
  using Opener = WindowArguments::Opener;
  Windows &windows = process().windows;
  starts ? windows.open(Opener::CudaProfiler) : windows.close(Opener::CudaProfiler);
}

void graphprof_seam_launchedPlain(CUgraphExec_st *exec, CUstream_st *stream) noexcept {
  ifTracking([&](Process &own) {
    if (own.watchesLaunches)
      if (GraphMemory *const memory = measuredMemory()) {
        memory->launched(exec);
        memory->handOn();
      }
    HostLaunch shown = std::exchange(ownLaunch, {});
    shown.endNs = shown.beginNs ? hostNowNs() : 0;
    if (const auto pair = own.execs.pairOf(exec))
      pair->launchedPlain(stream);
    if (shown.endNs)
      push(own, shown);
  });
}

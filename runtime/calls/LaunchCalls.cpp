// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: launches.

#include "graphprof/detail/seam.h"

#include <utility>

#include "calls/Guarded.h"
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

// With GRAPHPROF_STEP=launches, this launch begins a step.
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
// is shown.
Launch launchUntimed(const Session &session) {
  if (!session.recordingSwitch.hostSpans())
    return Launch::Plain;
  ownLaunch = {};
  ownLaunch.beginNs = hostNowNs();
  return Launch::PlainThenMark;
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
      result = launchUntimed(session);
      return;
    }
    Seen::note(session.seen.timedLaunch);
    countAsStep(own, *pair);
    HostLaunch shown;
    result = pair->launch(edge, stream, current_step(),
                          session.recordingSwitch.hostSpans() ? &shown : nullptr);
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
    HostLaunch shown = std::exchange(ownLaunch, {});
    shown.endNs = shown.beginNs ? hostNowNs() : 0;
    if (const auto pair = own.execs.pairOf(exec))
      pair->launchedPlain(stream);
    if (shown.endNs)
      push(own, shown);
  });
}

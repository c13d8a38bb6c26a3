// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "api/Lifetime.h"

#include <cstdlib>
#include <mutex>
#include <pthread.h>

#include "api/Facts.h"
#include "api/OpenRegions.h"
#include "api/StepSpans.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/Harvester.h"
#include "graphprof/control.h"
#include "session/HostSpans.h"
#include "session/Saver.h"
#include "session/ScheduledOutputs.h"
#include "session/Session.h"
#include "session/Steps.h"

namespace graphprof {

std::atomic<bool> detail::activeFlag{true};

namespace {

// Traces are written beside the rest of the ending, or not at all.
constexpr std::int64_t saverPatienceMs = 2000;

std::atomic<bool> forked{false};
std::atomic<ScheduledOutputs *> scheduled{nullptr};

// Waits for what was launched, within the bound, and closes the outputs. Runs once, though
// registered twice. Other threads may go on: while what they launched is out, the launches of an
// exec are still kept in order.
void finish() {
  if (!active())
    return;
  static std::once_flag once;
  std::call_once(once, [] {
    Session &session = Session::instance();
    Harvester &harvester = Harvester::instance();
    Steps::instance().ending();
    session.recordingSwitch.permit(false);
    OpenRegions::endOfThread();
    if (ScheduledOutputs *const outputs = scheduledOutputs()) {
      Steps::instance().tell(nullptr);
      outputs->leave();
    }
    const bool all = harvester.flush(session.config().exitTimeoutMs);
    detail::activeFlag.store(false);
    if (!all)
      harvester.abandon(session);
    Graphs::instance().countUnused();
    if (!saver().flush(saverPatienceMs))
      session.say("a trace is not written: what on_trace_ready calls does not return");
    session.close();
  });
}

// A forked child has no harvest thread and no right to the parent's outputs.
void inChild() {
  detail::activeFlag.store(false);
  forked.store(true);
}

// Before main: one switch for the whole process.
const bool loaded = [] {
  const Config &config = Session::instance().config();
  detail::activeFlag.store(config.enabled);
  if (config.enabled) {
    Steps::instance().show(new StepSpans);
    HostSpans::instance().wakeWith([]() noexcept { Harvester::instance().wake(); });
    Session::instance().factsFrom(facts);
    if (config.schedule) {
      auto *const outputs =
          new ScheduledOutputs(Session::instance(), saver(), OpenRegions::handOnEnded, hostNowNs);
      scheduled.store(outputs);
      Steps::instance().tell(outputs);
    }
    std::atexit(finish);
    pthread_atfork(nullptr, nullptr, inChild);
  }
  return true;
}();

} // namespace

Saver &saver() {
  static Saver *const saver =
      new Saver([](std::int64_t hostNs) { return Harvester::instance().handedOn(hostNs); });
  return *saver;
}

ScheduledOutputs *scheduledOutputs() noexcept { return scheduled.load(std::memory_order_acquire); }

bool inForkedChild() noexcept { return forked.load(std::memory_order_relaxed); }

void used() noexcept {
  static const bool registered = [] {
    if (!driver::functions())
      Session::instance().say(driver::whyNot());
    return std::atexit(finish) == 0;
  }();
  (void)registered;
  (void)loaded;
}

} // namespace graphprof

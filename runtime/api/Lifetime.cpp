// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "api/Lifetime.h"

#include <cstdlib>
#include <mutex>
#include <pthread.h>

#include "api/OpenRegions.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/Harvester.h"
#include "graphprof/control.h"
#include "session/Session.h"

namespace graphprof {

std::atomic<bool> detail::activeFlag{true};

namespace {

std::atomic<bool> forked{false};

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
    session.setRecording(false);
    OpenRegions::endOfThread();
    const bool all = harvester.flush(session.config().exitTimeoutMs);
    detail::activeFlag.store(false);
    if (!all)
      harvester.abandon(session);
    Graphs::instance().countUnused();
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
    std::atexit(finish);
    pthread_atfork(nullptr, nullptr, inChild);
  }
  return true;
}();

} // namespace

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

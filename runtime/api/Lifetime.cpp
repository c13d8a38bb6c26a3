// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "api/Lifetime.h"

#include <cstdlib>
#include <mutex>
#include <pthread.h>

#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/Harvester.h"
#include "graphprof/control.h"
#include "session/Session.h"

namespace graphprof {

std::atomic<bool> detail::activeFlag{true};

namespace {

// Waits for what was launched, within the bound, and closes the outputs. Runs once, though
// registered twice.
void finish() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!detail::activeFlag.exchange(false))
      return;
    Session &session = Session::instance();
    Harvester &harvester = Harvester::instance();
    if (!harvester.flush(session.config().exitTimeoutMs))
      harvester.abandon(session);
    Graphs::instance().countUnused();
    session.close();
  });
}

// A forked child has no harvest thread and no right to the parent's outputs.
void inChild() { detail::activeFlag.store(false); }

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

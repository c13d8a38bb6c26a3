// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/control.h

#include "graphprof/control.h"

#include "graph/Harvester.h"
#include "session/Session.h"

namespace graphprof {

void start() noexcept { Session::instance().recordingSwitch.permit(true); }
void stop() noexcept { Session::instance().recordingSwitch.permit(false); }
bool recording() noexcept { return active() && Session::instance().recording(); }
bool flush(std::int64_t timeoutMs) noexcept {
  Harvester &harvester = Harvester::instance();
  return active() ? harvester.flush(timeoutMs) : harvester.idle();
}
Losses losses() noexcept { return Session::instance().losses(); }

} // namespace graphprof

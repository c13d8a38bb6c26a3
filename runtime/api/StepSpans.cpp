// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "api/StepSpans.h"

#include <utility>

#include "clock/HostClock.h"
#include "session/HostSpans.h"
#include "session/Session.h"

namespace graphprof {

void StepSpans::begun(std::int64_t /*step*/) noexcept try {
  thread_.reset();
  if (!Session::instance().recordingSwitch.hostSpans())
    return;
  thread_ = HostSpans::instance().thisThread();
  beginNs_ = hostNowNs();
} catch (...) { // no memory: it is not shown
  ++Session::instance().counters.hostSpans;
}

void StepSpans::ended(std::int64_t step) noexcept {
  if (!thread_)
    return;
  HostEvent event;
  event.kind = HostKind::Step;
  event.thread = std::exchange(thread_, nullptr);
  event.beginNs = beginNs_;
  event.endNs = hostNowNs();
  event.step = step;
  HostSpans::instance().push(std::move(event));
}

} // namespace graphprof

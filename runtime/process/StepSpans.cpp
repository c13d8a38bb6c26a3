// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/StepSpans.h"

#include <utility>

#include "clock/HostClock.h"
#include "host/HostSpans.h"
#include "nvtx/Nvtx.h"
#include "services/StepName.h"
#include "session/Session.h"

namespace graphprof {

void StepSpans::begun(std::int64_t step) noexcept try {
  if (nvtx::listens())
    nvtx_ = nvtx::start(stepName(step).c_str());
  thread_.reset();
  if (!session_.recordingSwitch.hostSpans())
    return;
  thread_ = spans_.thisThread();
  beginNs_ = hostNowNs();
} catch (...) { // no memory: the step is not shown
  ++session_.counters.hostSpans;
}

void StepSpans::ended(std::int64_t step) noexcept {
  if (nvtx_ != 0)
    nvtx::end(std::exchange(nvtx_, 0));
  if (!thread_)
    return;
  HostEvent event;
  event.kind = HostKind::Step;
  event.thread = std::exchange(thread_, nullptr);
  event.beginNs = beginNs_;
  event.endNs = hostNowNs();
  event.step = step;
  spans_.push(std::move(event));
}

} // namespace graphprof

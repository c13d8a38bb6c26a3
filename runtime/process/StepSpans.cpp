// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "process/StepSpans.h"

#include <utility>

#include "clock/HostClock.h"
#include "host/HostSpans.h"
#include "nvtx/Nvtx.h"
#include "process/Process.h"
#include "services/StepName.h"
#include "session/Session.h"

namespace graphprof {

void StepSpans::begun(std::int64_t step) noexcept try {
  if (nvtx::listens())
    nvtx_ = nvtx::start(stepName(step).c_str());
  thread_.reset();
  if (!process().session.recordingSwitch.hostSpans())
    return;
  thread_ = process().hostSpans.thisThread();
  beginNs_ = hostNowNs();
} catch (...) { // no memory: the step is not shown
  ++process().session.counters.hostSpans;
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
  process().hostSpans.push(std::move(event));
}

} // namespace graphprof

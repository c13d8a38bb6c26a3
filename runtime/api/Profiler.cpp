// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/profiler.h.

#include "graphprof/profiler.h"

#include <memory>
#include <string>
#include <utility>

#include "Edge.h"
#include "output/formats/callback/Callback.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "session/Session.h"
#include "session/cycles/ScheduledOutputs.h"

namespace graphprof {

namespace {

// If the environment has a schedule, the schedule decides what is recorded. Otherwise a callback
// gets everything, even beside a graphprof::profile that records only some steps.
Output *attached(Profiler::DumpFunction &dump) noexcept {
  const Edge edge;
  Session &session = process().session;
  Output *output = nullptr;
  try {
    auto callback = std::make_unique<Callback>(
        std::move(dump), session.config().maxRecords,
        [&session](const std::string &why) { session.outputs.sayFailed("callback", why); });
    if (const ScheduledOutputs *const scheduled = scheduledOutputs())
      return session.outputs.attach(scheduled->gated(std::move(callback)));
    output = session.outputs.attach(std::move(callback));
    if (output)
      session.recordingSwitch.request(output, {.device = true, .host = true});
  } catch (...) {
    session.say("a profiler gets nothing: no memory");
    if (output)
      session.outputs.detach(output);
    return nullptr;
  }
  return output;
}

} // namespace

Profiler::Profiler(DumpFunction dump) : output_(active() ? attached(dump) : nullptr) {
  if (output_)
    used();
}

Profiler::~Profiler() {
  if (!output_ || inForkedChild())
    return;
  const Edge edge;
  flush();
  process().session.recordingSwitch.withdraw(output_);
  process().session.outputs.detach(static_cast<Output *>(output_));
}

} // namespace graphprof

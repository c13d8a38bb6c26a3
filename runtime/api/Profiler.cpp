// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/profiler.h

#include "graphprof/profiler.h"

#include <memory>
#include <utility>

#include "api/Lifetime.h"
#include "output/Callback.h"
#include "session/ScheduledOutputs.h"
#include "session/Session.h"

namespace graphprof {

namespace {

// Where the environment has a schedule it says what is recorded; else a callback gets everything,
// also beside a graphprof::profile that records only some steps.
Output *attached(std::unique_ptr<Output> callback) {
  if (const ScheduledOutputs *const scheduled = scheduledOutputs())
    return Session::instance().attach(scheduled->gated(std::move(callback)));
  Output *const output = Session::instance().attach(std::move(callback));
  if (output)
    Session::instance().recordingSwitch.want(output, {.device = true, .host = true});
  return output;
}

} // namespace

Profiler::Profiler(DumpFunction dump)
    : output_(active() ? attached(std::make_unique<Callback>(std::move(dump))) : nullptr) {
  if (output_)
    used();
}

Profiler::~Profiler() {
  if (!output_ || inForkedChild())
    return;
  flush();
  Session::instance().recordingSwitch.forget(output_);
  Session::instance().detach(static_cast<Output *>(output_));
}

} // namespace graphprof

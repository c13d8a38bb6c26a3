// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/schedule.h: makes schedules.

#include "graphprof/schedule.h"

#include <stdexcept>

#include <fmt/format.h>

#include "graphprof/control.h"
#include "process/Process.h"
#include "session/cycles/Transitions.h"

namespace graphprof {

Schedule v1::schedule(const ScheduleArguments &of) {
  if (!of.valid())
    throw std::invalid_argument(fmt::format(
        "graphprof::schedule: active must be at least 1 and the others at least 0; got wait={}, "
        "warmup={}, active={}, repeat={}, skip_first={}, skip_first_wait={}",
        of.wait, of.warmup, of.active, of.repeat, of.skip_first, of.skip_first_wait));
  if (of.warmup == 0 && active())
    process().session.say(withoutWarmup);
  return Schedule(of);
}

Schedule v1::schedule(int wait, int warmup, int active, int repeat, int skip_first,
                      int skip_first_wait) {
  return schedule(ScheduleArguments{wait, warmup, active, repeat, skip_first, skip_first_wait});
}

} // namespace graphprof

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What a schedule says about a step. api/Schedule.cpp makes one.

#include "graphprof/schedule.h"

namespace graphprof {

bool ScheduleArguments::valid() const noexcept {
  return wait >= 0 && warmup >= 0 && active > 0 && repeat >= 0 && skip_first >= 0 &&
         skip_first_wait >= 0;
}

ProfilerAction Schedule::operator()(std::int64_t step) const noexcept {
  const ScheduleArguments &of = arguments_;
  if (step < of.skip_first)
    return ProfilerAction::NONE;
  const std::int64_t wait = of.wait, recordFrom = wait + of.warmup, length = recordFrom + of.active;
  // Without the first wait, the cycle is that many steps further on.
  const std::int64_t since = step - of.skip_first + (of.skip_first_wait != 0 ? wait : 0);
  if (of.repeat > 0 && since / length >= of.repeat)
    return ProfilerAction::NONE;
  const std::int64_t within = since % length;
  if (within < wait)
    return ProfilerAction::NONE;
  if (within < recordFrom)
    return ProfilerAction::WARMUP;
  return within < length - 1 ? ProfilerAction::RECORD : ProfilerAction::RECORD_AND_SAVE;
}

} // namespace graphprof

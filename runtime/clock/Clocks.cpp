// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

#include "clock/Clocks.h"

#include <cstdint>

namespace graphprof {

namespace {

// A device timer with larger steps is too coarse for stamps. Known timers step by 32 ns or by about
// a microsecond. The bound is well above 32 ns, because what was measured is a multiple of the
// step.
constexpr std::int64_t coarsestTimerNs = 500;

} // namespace

GraphClock *Clocks::choose(Device &device) {
  const bool stampsWork = allowed_.stamps && stamps_.prepare();
  device.align();
  if (stampsWork && (allowed_.coarseStamps || device.alignment().timerStepNs() <= coarsestTimerNs))
    return &stamps_;
  return events_.prepare() ? &events_ : nullptr;
}

} // namespace graphprof

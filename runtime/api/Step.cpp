// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/step.h.

#include "graphprof/step.h"

#include "Edge.h"
#include "graphprof/detail/seam.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "services/Steps.h"

namespace graphprof {

void Step::begin() noexcept {
  const Edge edge;
  if (!inForkedChild())
    process().steps.open();
}
void Step::end() noexcept {
  const Edge edge;
  if (!inForkedChild())
    process().steps.close();
}

void v1::step() noexcept {
  const Edge edge;
  if (active())
    process().steps.next();
}

std::int64_t v1::current_step() noexcept { return process().steps.current(); }

bool v1::in_step() noexcept { return process().steps.onThisThread(); }

} // namespace graphprof

void graphprof_seam_step() noexcept { graphprof::step(); }

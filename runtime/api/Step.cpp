// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/step.h.

#include "graphprof/step.h"

#include "Edge.h"
#include "api/Lifetime.h"
#include "graphprof/detail/seam.h"
#include "session/cycles/Steps.h"

namespace graphprof {

void Step::begin() noexcept {
  const Edge edge;
  Steps::instance().open();
}
void Step::end() noexcept {
  const Edge edge;
  if (!inForkedChild())
    Steps::instance().close();
}

void step() noexcept {
  const Edge edge;
  if (active())
    Steps::instance().next();
}

std::int64_t currentStep() noexcept { return Steps::instance().current(); }

bool inStep() noexcept { return Steps::instance().onThisThread(); }

} // namespace graphprof

void graphprof_seam_step() noexcept { graphprof::step(); }

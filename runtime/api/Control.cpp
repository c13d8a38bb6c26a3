// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/control.h.

#include "graphprof/control.h"

#include <algorithm>
#include <chrono>

#include "Edge.h"
#include "cuda/Driver.h"
#include "graph/harvest/Harvester.h"
#include "output/InCallback.h"
#include "process/BackendRegions.h"
#include "process/Lifetime.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {

namespace {
// In a child, a thread of the parent may have held the switch's lock.
void permit(bool on) noexcept {
  if (!inForkedChild())
    process().session.recordingSwitch.permit(on);
}
} // namespace

void v1::start() noexcept { permit(true); }
void v1::stop() noexcept { permit(false); }
bool v1::recording() noexcept { return active() && process().session.recording(); }
bool v1::flush(std::int64_t timeoutMs) noexcept {
  const Edge edge;
  if (inCallback()) // it would wait for itself
    return false;
  using Milliseconds = std::chrono::milliseconds;
  // Nothing was measured. Returns without a lock, because another thread may fork a child now.
  if (!driver::wasAsked())
    return true;
  Harvester &harvester = process().harvester;
  if (!active())
    return harvester.idle();
  const auto deadline = std::chrono::steady_clock::now() + Milliseconds(timeoutMs);
  const auto leftMs = [deadline] {
    const auto left =
        std::chrono::duration_cast<Milliseconds>(deadline - std::chrono::steady_clock::now());
    return std::max<std::int64_t>(left.count(), 0);
  };
  Session &session = process().session;
  // First, so that the harvest finds that nothing is held back any more.
  const bool collected = process().backendRegions.collect(leftMs(), false);
  const bool harvested = harvester.flush(leftMs());
  return session.outputs.flush(leftMs()) && harvested && collected;
}
bool v1::set_recording_terms(const recording_terms &terms) noexcept {
  const BudgetTerms wanted{terms.budget, terms.sample_every, terms.parts};
  if (!wanted.areSound())
    return false;
  process().session.recordingBudget.set(wanted);
  return true;
}
Losses v1::losses() noexcept { return process().session.losses(); }

} // namespace graphprof

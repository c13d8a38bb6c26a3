// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Events: never recorded, recorded at a known device time, or captured (without a time). Knows
// streams only through the frontier that a capture stored in the event.

#ifndef CUDASIM_SRC_EVENT_H
#define CUDASIM_SRC_EVENT_H

#include "Capture.h"
#include "Context.h"

#include <cstdint>
#include <memory>
#include <utility>

struct CUevent_st {
  enum class State { Never, Recorded, Captured };

  CUctx_st *context = nullptr; // null: the primary one

  void recordAt(std::uint64_t ns) {
    state = State::Recorded;
    timeNs = ns;
    capture.reset();
    frontier = {};
  }

  void captureAt(std::weak_ptr<cudasim::Capture> during, cudasim::Frontier behind) {
    state = State::Captured;
    capture = std::move(during);
    frontier = std::move(behind);
  }

  // When work that waits for this event can start: immediately if it was not recorded.
  std::uint64_t doneNs() const { return state == State::Recorded ? timeNs : 0; }

  unsigned flags = 0;
  State state = State::Never;
  std::uint64_t timeNs = 0;
  std::weak_ptr<cudasim::Capture> capture; // if state is Captured; expires when the capture ends
  cudasim::Frontier frontier;
};

namespace cudasim {

struct Device;

cudaError_t eventCreate(Device &device, cudaEvent_t *event, unsigned flags);
cudaError_t eventDestroy(Device &device, cudaEvent_t event);
cudaError_t eventRecord(Device &device, cudaEvent_t event, cudaStream_t stream, unsigned flags);
cudaError_t eventQuery(Device &device, cudaEvent_t event);
cudaError_t eventSynchronize(Device &device, cudaEvent_t event);
cudaError_t eventElapsed(Device &device, float *ms, cudaEvent_t start, cudaEvent_t end);

} // namespace cudasim

#endif // CUDASIM_SRC_EVENT_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/timer.h.

#include "graphprof/timer.h"

#include <utility>

#include "clock/Device.h"
#include "cuda/Driver.h"
#include "graph/topology/Frontier.h"

namespace graphprof {

using driver::cu;
using driver::ok;

// Records an external event if the stream is being captured, else a plain event.
bool Timer::record(Mark &mark, CUstream_st *stream) noexcept {
  if (!driver::functions())
    return false;
  driver::CaptureStatus status{};
  if (!ok(cu().streamIsCapturing(stream, &status)) || status == driver::CaptureStatus::Invalidated)
    return false;
  const bool captured = status == driver::CaptureStatus::Active;
  CUevent_st *&event = captured ? mark.inGraph : mark.eager;
  if (!event && !ok(cu().eventCreate(&event, driver::eventDefault)))
    return false;
  mark.captured = captured;
  return ok(captured ? cu().eventRecordWithFlags(event, stream, driver::eventRecordExternal)
                     : cu().eventRecord(event, stream));
}

// At the end of the process the driver may be gone. Then eventDestroy() fails, and there is nothing
// to free.
Timer::~Timer() {
  for (CUevent_st *event : {begin_.eager, begin_.inGraph, end_.eager, end_.inGraph})
    if (event)
      cu().eventDestroy(event);
}

Timer::Timer(Timer &&other) noexcept
    : begin_(std::exchange(other.begin_, {})), end_(std::exchange(other.end_, {})) {}

Timer &Timer::operator=(Timer &&other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  return *this;
}

bool Timer::start(CUstream_st *stream) noexcept { return record(begin_, stream); }
bool Timer::stop(CUstream_st *stream) noexcept { return record(end_, stream); }

// Relaxed mode: otherwise waiting for an event would invalidate a capture in another stream.
bool Timer::synchronize() const noexcept {
  if (!begin_.event() || !end_.event() || begin_.captured != end_.captured)
    return false;
  const driver::RelaxedCapture relaxed;
  return relaxed && ok(cu().eventSynchronize(begin_.event())) &&
         ok(cu().eventSynchronize(end_.event()));
}

std::optional<std::int64_t> Timer::elapsedNs() const noexcept {
  float ms = 0;
  if (!synchronize())
    return std::nullopt;
  const driver::RelaxedCapture relaxed;
  if (!relaxed || !ok(cu().eventElapsedTime(&ms, begin_.event(), end_.event())))
    return std::nullopt;
  return static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
}

} // namespace graphprof

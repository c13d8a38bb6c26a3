// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/timer.h

#include "graphprof/timer.h"

#include <utility>

#include "clock/Device.h"
#include "cuda/Driver.h"
#include "graph/Frontier.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Makes the event at first use; external while the stream is being captured, plain otherwise.
bool record(CUevent_st *&event, CUstream_st *stream) {
  if (!driver::functions())
    return false;
  driver::CaptureStatus status{};
  if (!ok(cu().streamIsCapturing(stream, &status)) || status == driver::CaptureStatus::Invalidated)
    return false;
  if (!event && !ok(cu().eventCreate(&event, driver::eventDefault)))
    return false;
  return ok(status == driver::CaptureStatus::Active
                ? cu().eventRecordWithFlags(event, stream, driver::eventRecordExternal)
                : cu().eventRecord(event, stream));
}

} // namespace

// At the end of the process the driver may be gone already: then it says so and there is nothing to
// free.
Timer::~Timer() {
  for (CUevent_st *event : {begin_, end_})
    if (event)
      cu().eventDestroy(event);
}

Timer::Timer(Timer &&other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), end_(std::exchange(other.end_, nullptr)) {}

Timer &Timer::operator=(Timer &&other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  return *this;
}

bool Timer::start(CUstream_st *stream) noexcept { return record(begin_, stream); }
bool Timer::stop(CUstream_st *stream) noexcept { return record(end_, stream); }

bool Timer::synchronize() const noexcept {
  return begin_ && end_ && ok(cu().eventSynchronize(begin_)) && ok(cu().eventSynchronize(end_));
}

std::optional<std::int64_t> Timer::elapsedNs() const noexcept {
  float ms = 0;
  if (!synchronize() || !ok(cu().eventElapsedTime(&ms, begin_, end_)))
    return std::nullopt;
  return static_cast<std::int64_t>(static_cast<double>(ms) * 1e6);
}

} // namespace graphprof

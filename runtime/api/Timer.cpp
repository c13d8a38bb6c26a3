// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/timer.h.

#include "graphprof/timer.h"

#include <utility>

#include "clock/Device.h"
#include "cuda/Driver.h"
#include "graph/topology/CommandLists.h"
#include "graph/topology/Frontier.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

// Whether the stream is being captured. Empty: nothing can be recorded in it.
std::optional<bool> isCaptured(CUstream_st *stream) noexcept {
  driver::CaptureStatus status{};
  if (!driver::functions() || CommandLists::take(stream) ||
      !ok(cu().streamIsCapturing(stream, &status)) || status == driver::CaptureStatus::Invalidated)
    return std::nullopt;
  return status == driver::CaptureStatus::Active;
}

} // namespace

// Records an external event if the stream is being captured, else a plain event.
bool Timer::record(CUevent_st *&event, CUstream_st *stream, bool captured) noexcept {
  if (!event && !ok(cu().eventCreate(&event, driver::eventDefault)))
    return false;
  return ok(captured ? cu().eventRecordWithFlags(event, stream, driver::eventRecordExternal)
                     : cu().eventRecord(event, stream));
}

// At the end of the process the driver may be gone. Then eventDestroy() fails, and there is nothing
// to free.
Timer::~Timer() {
  for (CUevent_st *event : {eager_.begin, eager_.end, inGraph_.begin, inGraph_.end})
    if (event)
      cu().eventDestroy(event);
}

Timer::Timer(Timer &&other) noexcept { *this = std::move(other); }

Timer &Timer::operator=(Timer &&other) noexcept {
  const auto moved = [](Timer &to, const Timer &from, const Pair *started) -> Pair * {
    return started == &from.eager_     ? &to.eager_
           : started == &from.inGraph_ ? &to.inGraph_
                                       : nullptr;
  };
  Pair *const mine = moved(*this, other, other.started_);
  other.started_ = moved(other, *this, started_);
  started_ = mine;
  std::swap(eager_, other.eager_);
  std::swap(inGraph_, other.inGraph_);
  return *this;
}

// A pair whose begin is recorded again has no time until its end is. The pair of graphs keeps the
// time of the last replay meanwhile: a capture records nothing yet.
bool Timer::start(CUstream_st *stream) noexcept {
  started_ = nullptr;
  const std::optional<bool> captured = isCaptured(stream);
  if (!captured)
    return false;
  eager_.complete = false;
  Pair &pair = *captured ? inGraph_ : eager_;
  if (!record(pair.begin, stream, *captured))
    return false;
  started_ = &pair;
  return true;
}

bool Timer::stop(CUstream_st *stream) noexcept {
  const std::optional<bool> captured = isCaptured(stream);
  Pair *const started = std::exchange(started_, nullptr);
  if (!captured)
    return false;
  Pair &pair = *captured ? inGraph_ : eager_;
  const bool recorded = record(pair.end, stream, *captured);
  pair.complete = recorded && started == &pair;
  return recorded;
}

// Relaxed mode: otherwise waiting for an event would invalidate a capture in another stream.
bool Timer::synchronize() const noexcept {
  if (!eager_.complete && !inGraph_.complete)
    return false;
  const driver::RelaxedCapture relaxed;
  if (!relaxed)
    return false;
  for (const Pair *pair : {&eager_, &inGraph_})
    if (pair->complete &&
        !(ok(cu().eventSynchronize(pair->begin)) && ok(cu().eventSynchronize(pair->end))))
      return false;
  return true;
}

std::optional<double> Timer::elapsedMs(CUevent_st *from, CUevent_st *to) noexcept {
  float ms = 0;
  const driver::RelaxedCapture relaxed;
  if (!relaxed || !ok(cu().eventElapsedTime(&ms, from, to)))
    return std::nullopt;
  return ms;
}

// A pair that was captured and not launched yet has no time.
std::optional<std::int64_t> Timer::elapsed_ns() const noexcept {
  if (!synchronize())
    return std::nullopt;
  const auto timeOf = [](const Pair &pair) {
    return pair.complete ? elapsedMs(pair.begin, pair.end) : std::nullopt;
  };
  std::optional<double> ms = timeOf(eager_);
  if (const std::optional<double> replay = timeOf(inGraph_))
    if (!ms || elapsedMs(eager_.end, inGraph_.end).value_or(0) > 0)
      ms = replay;
  if (!ms)
    return std::nullopt;
  return static_cast<std::int64_t>(*ms * 1e6);
}

} // namespace graphprof

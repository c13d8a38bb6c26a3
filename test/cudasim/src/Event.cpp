// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's rules for events.

#include "Event.h"

#include <cstdio>
#include <cstdlib>

#include "Context.h"
#include "Device.h"
#include "Stream.h"

namespace cudasim {

namespace {

constexpr std::uint64_t kPollNs = 50'000;

// Crashes as the driver does: it follows an event into its context, which no longer exists.
void crashAfterReset(const Device &device, cudaEvent_t event) {
  device.events.refuseEnded(event, "a call");
  if (!device.events.wasCleared(event))
    return;
  std::fprintf(stderr, "cudasim: an event of before cudaDeviceReset is used\n");
  std::abort();
}

} // namespace

cudaError_t eventCreate(Device &device, cudaEvent_t *event, unsigned flags) {
  if (!event || (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)))
    return cudaErrorInvalidValue;
  auto created = std::make_shared<CUevent_st>();
  created->flags = flags;
  created->context = currentContext(device);
  *event = device.events.add(std::move(created));
  return cudaSuccess;
}

cudaError_t eventDestroy(Device &device, cudaEvent_t event) {
  return device.events.remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t eventRecord(Device &device, cudaEvent_t handle, cudaStream_t streamHandle,
                        unsigned flags) {
  crashAfterReset(device, handle);
  auto event = device.events.find(handle);
  CUstream_st *stream = device.stream(streamHandle);
  if (!event || !stream)
    return cudaErrorInvalidResourceHandle;
  if (flags & ~cudaEventRecordExternal)
    return cudaErrorInvalidValue;
  const bool external = flags & cudaEventRecordExternal;

  if (stream->capture) {
    if (stream->capture->invalidated)
      return cudaErrorStreamCaptureInvalidated;
    if (external)
      return submit(device, *stream, RecordOp{event});
    event->captureAt(stream->capture, stream->frontier);
    return cudaSuccess;
  }
  if (external)
    return cudaErrorIllegalState;
  return submit(device, *stream, RecordOp{event});
}

cudaError_t eventQuery(Device &device, cudaEvent_t handle) {
  crashAfterReset(device, handle);
  auto event = device.events.find(handle);
  if (!event)
    return cudaErrorInvalidResourceHandle;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  if (event->state == CUevent_st::State::Captured)
    return refuseCaptured(*event);
  if (device.clock.reached(event->doneNs()))
    return cudaSuccess;
  // Advances the clock, because the caller will poll again later. Otherwise a polling thread's time
  // would hardly move.
  device.clock.spend(kPollNs);
  return cudaErrorNotReady;
}

cudaError_t eventSynchronize(Device &device, cudaEvent_t handle) {
  auto event = device.events.find(handle);
  if (!event)
    return cudaErrorInvalidResourceHandle;
  if (cudaError_t unsafe = forbidUnsafe(device))
    return unsafe;
  if (event->state == CUevent_st::State::Captured)
    return refuseCaptured(*event);
  if (event->state == CUevent_st::State::Recorded)
    device.clock.waitUntil(event->timeNs);
  return cudaSuccess;
}

cudaError_t eventElapsed(Device &device, float *ms, cudaEvent_t startHandle,
                         cudaEvent_t endHandle) {
  crashAfterReset(device, startHandle);
  crashAfterReset(device, endHandle);
  auto start = device.events.find(startHandle);
  auto end = device.events.find(endHandle);
  if (!start || !end)
    return cudaErrorInvalidResourceHandle;
  if (!ms)
    return cudaErrorInvalidValue;
  using State = CUevent_st::State;
  if ((start->flags | end->flags) & cudaEventDisableTiming)
    return cudaErrorInvalidResourceHandle;
  for (const CUevent_st *event : {start.get(), end.get()})
    if (event->state == State::Captured)
      return event->capture.expired() ? cudaErrorInvalidValue : cudaErrorCapturedEvent;
  if (start->state == State::Never || end->state == State::Never)
    return cudaErrorInvalidResourceHandle;
  const bool startReached = device.clock.reached(start->timeNs);
  if (!device.clock.reached(end->timeNs) || !startReached)
    return cudaErrorNotReady;
  *ms = static_cast<float>((static_cast<double>(end->timeNs) - static_cast<double>(start->timeNs)) *
                           1e-6);
  return cudaSuccess;
}

} // namespace cudasim

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's rules for streams.

#include "Stream.h"

#include "Device.h"
#include "Event.h"
#include "Graph.h"

#include <algorithm>
#include <utility>

namespace cudasim {

cudaError_t streamCreate(Device &device, cudaStream_t *stream, unsigned flags, int priority,
                         CUctx_st *context) {
  if (!stream || (flags & ~cudaStreamNonBlocking))
    return cudaErrorInvalidValue;
  auto created = std::make_shared<CUstream_st>();
  created->id = device.nextId();
  created->flags = flags;
  created->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  created->context = context;
  if (CUctx_st *const current = currentContext(device);
      !context && current && current != primaryContext())
    created->context = current;
  *stream = device.streams.add(std::move(created));
  return cudaSuccess;
}

cudaError_t streamDestroy(Device &device, cudaStream_t handle) {
  auto stream = device.streams.find(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (auto capture = stream->capture) {
    capture->invalidated = true;
    std::erase(capture->streams, stream.get());
    if (capture->origin == stream.get())
      abandon(device, *capture);
  }
  device.orphanTailNs = std::max(device.orphanTailNs, stream->tailNs);
  device.streams.remove(handle);
  return cudaSuccess;
}

std::uint64_t readyNs(Device &device, const CUstream_st &stream) {
  std::uint64_t ready = std::max(device.clock.now(), stream.tailNs);
  if (stream.isLegacy())
    device.forEachStream([&](const CUstream_st &other) {
      if (other.isBlocking())
        ready = std::max(ready, other.tailNs);
    });
  else if (stream.isBlocking())
    ready = std::max(ready, device.legacyStream.tailNs);
  return ready;
}

// The end of all work that waiting for a stream waits for.
static std::uint64_t pendingNs(Device &device, const CUstream_st &stream) {
  std::uint64_t pending = stream.tailNs;
  if (stream.isLegacy())
    device.forEachStream([&](const CUstream_st &other) {
      if (other.isBlocking())
        pending = std::max(pending, other.tailNs);
    });
  return pending;
}

static cudaError_t mayWaitFor(Device &device, CUstream_st &stream) {
  if (stream.capture) {
    const bool already = std::exchange(stream.capture->invalidated, true);
    return already ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnsupported;
  }
  if (stream.isLegacy())
    if (cudaError_t implicit = forbidLegacy(device))
      return implicit;
  return forbidUnsafe(device);
}

cudaError_t streamSynchronize(Device &device, cudaStream_t handle) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (cudaError_t refused = mayWaitFor(device, *stream))
    return refused;
  device.clock.waitUntil(pendingNs(device, *stream));
  return cudaSuccess;
}

cudaError_t streamQuery(Device &device, cudaStream_t handle) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (cudaError_t refused = mayWaitFor(device, *stream))
    return refused;
  return device.clock.reached(pendingNs(device, *stream)) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t streamWaitEvent(Device &device, cudaStream_t streamHandle, cudaEvent_t eventHandle,
                            unsigned flags) {
  CUstream_st *stream = device.stream(streamHandle);
  auto event = device.events.find(eventHandle);
  if (!stream || !event)
    return cudaErrorInvalidResourceHandle;
  if (flags & ~cudaEventWaitExternal)
    return cudaErrorInvalidValue;
  if (flags & cudaEventWaitExternal)
    return stream->capture ? submit(device, *stream, WaitOp{event}) : cudaErrorIllegalState;
  if (stream->capture || event->state == CUevent_st::State::Captured)
    return waitInCapture(device, *stream, *event);
  if (stream->isLegacy())
    if (cudaError_t implicit = forbidLegacy(device))
      return implicit;
  stream->tailNs = std::max(stream->tailNs, event->doneNs());
  return cudaSuccess;
}

cudaError_t streamGetId(Device &device, cudaStream_t handle, unsigned long long *id) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!id)
    return cudaErrorInvalidValue;
  if (stream->capture) {
    stream->capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  *id = stream->id;
  return cudaSuccess;
}

cudaError_t deviceSynchronize(Device &device) {
  if (cudaError_t refused = forbidAnyCapture(device))
    return refused;
  std::uint64_t pending = device.legacyStream.tailNs;
  device.forEachStream(
      [&](const CUstream_st &stream) { pending = std::max(pending, stream.tailNs); });
  device.clock.waitUntil(std::max(pending, device.orphanTailNs));
  return cudaSuccess;
}

cudaError_t submit(Device &device, CUstream_st &stream, Op op, OpTimes *times) {
  if (Capture *capture = stream.capture.get()) {
    if (capture->invalidated)
      return cudaErrorStreamCaptureInvalidated;
    const Frontier &frontier = stream.frontier;
    for (std::size_t i = 0; i < frontier.nodes.size(); ++i)
      if (!mayConnect(frontier.nodes[i]->type(), typeOf(op), frontier.edges[i]))
        return cudaErrorInvalidValue;
    CUgraphNode_st *node = nullptr;
    if (cudaError_t status =
            capture->recapture
                ? recaptureNode(*capture, *capture->recapture, frontier, std::move(op), &node)
                : addNode(device, *capture->graph, frontier.nodes.data(), frontier.edges.data(),
                          frontier.nodes.size(), std::move(op), &node))
      return status;
    node->context = stream.context;
    stream.frontier = {};
    stream.frontier.add(node, {});
    return cudaSuccess;
  }
  if (stream.isLegacy())
    if (cudaError_t implicit = forbidLegacy(device))
      return implicit;
  const OpTimes executed = execute(device, op, OpStart::at(readyNs(device, stream)), stream.id);
  stream.tailNs = executed.endNs;
  if (times)
    *times = executed;
  return cudaSuccess;
}

cudaError_t submit(Device &device, cudaStream_t handle, Op op) {
  CUstream_st *stream = device.stream(handle);
  return stream ? submit(device, *stream, std::move(op)) : cudaErrorInvalidResourceHandle;
}

} // namespace cudasim

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The backend "cuda". It uses the event pools and the alignment that also time graphs.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "backend/Backends.h"
#include "backend/Status.h"
#include "clock/Devices.h"
#include "clock/HostClock.h"
#include "cuda/Driver.h"
#include "graphprof/backend.h"

namespace graphprof {

using driver::cu;
using driver::ok;

namespace {

graphprof_backend_status noDriver() noexcept {
  internal::backendReason() = "there is no CUDA driver that graphprof can use";
  return graphprof_backend_unsupported;
}

RecordedEvent *of(graphprof_event event) { return reinterpret_cast<RecordedEvent *>(event); }

// Does not initialize CUDA in a process that has not used it yet. Then it is only known that there
// is a driver.
int enabled() noexcept {
  int devices = 0;
  return driver::functions() && (!ok(cu().deviceGetCount(&devices)) || devices > 0);
}

struct LetGo {
  void operator()(RecordedEvent *recorded) const noexcept { RecordedEvent::letGo(recorded); }
};

graphprof_backend_status record(graphprof_stream handle, int *ordinal, graphprof_event *event,
                                std::int64_t *cpuNs) noexcept {
  if (!driver::functions())
    return noDriver();
  const driver::Stream stream = reinterpret_cast<driver::Stream>(handle);
  const driver::ContextOf current(stream);
  Device *const device = devicesOfProcess().of(current.context());
  if (!device)
    return backendFailed("no CUDA context is current on this thread: call cudaSetDevice first");
  driver::CaptureStatus status{};
  std::uint64_t captureId = 0;
  driver::Graph graph = nullptr;
  // The edges are asked for, too: a driver may refuse if an edge's data is left out.
  const driver::Node *nodes = nullptr;
  const driver::EdgeData *edges = nullptr;
  std::size_t count = 0;
  if (!ok(cu().streamGetCaptureInfo(stream, &status, &captureId, &graph, &nodes, &edges, &count)) ||
      status == driver::CaptureStatus::Invalidated)
    return backendFailed("the stream is in a capture that is invalid, or is the default stream "
                         "while another one is being captured");
  const bool ofGraph = status == driver::CaptureStatus::Active;
  const driver::Event taken = ofGraph ? device->graphEvents().make() : device->events().take();
  std::unique_ptr<RecordedEvent, LetGo> recorded(
      taken ? new (std::nothrow) RecordedEvent(*device, taken, ofGraph) : nullptr);
  if (!recorded) {
    if (taken && ofGraph)
      device->graphEvents().retire(taken);
    else if (taken)
      device->events().giveBack(taken);
    return backendFailed("no event: CUDA refuses, or there is no memory");
  }
  if (ordinal)
    *ordinal = device->ordinal();
  if (cpuNs)
    *cpuNs = hostNowNs();
  // In a graph the event must be external. Otherwise it becomes an edge that nobody can read.
  const bool worked =
      ofGraph ? ok(cu().eventRecordWithFlags(taken, stream, driver::eventRecordExternal))
              : ok(cu().eventRecord(taken, stream));
  if (!worked)
    return backendFailed("CUDA refuses to record an event in this stream");
  if (ofGraph)
    device->graphEvents().keep(graph, captureId, *recorded);
  else
    device->alignment().follow(Clock::Event, hostNowNs());
  *event = reinterpret_cast<graphprof_event>(recorded.release());
  return graphprof_backend_ok;
}

void release(graphprof_event event) noexcept {
  if (event)
    RecordedEvent::letGo(of(event));
}

// Relaxed mode: otherwise waiting for an event would invalidate a capture in another stream.
graphprof_backend_status elapsed(graphprof_event begin, graphprof_event end, float *us) noexcept {
  if (!begin || !end)
    return backendInvalid("an event is null");
  if (of(begin)->ofGraph != of(end)->ofGraph)
    return backendInvalid("one of the events is of a graph, the other is not");
  if (!of(begin)->device.isAlive())
    return backendFailed("the program has reset the device since; record another event");
  const driver::CurrentContext current(of(begin)->device.context());
  const driver::RelaxedCapture relaxed;
  float ms = 0;
  if (!relaxed || !ok(cu().eventSynchronize(of(begin)->event)) ||
      !ok(cu().eventSynchronize(of(end)->event)))
    return backendFailed("CUDA refuses to wait for an event");
  if (!ok(cu().eventElapsedTime(&ms, of(begin)->event, of(end)->event)))
    return backendInvalid("the events have no times: their graph has not been launched yet, or "
                          "they are of two devices");
  *us = ms * 1000.0F;
  return graphprof_backend_ok;
}

graphprof_backend_status onEachDevice(void (*work)(int, void *), void *argument) noexcept {
  if (!driver::functions())
    return noDriver();
  int devices = 0;
  if (!ok(cu().deviceGetCount(&devices)))
    return backendFailed("CUDA does not say how many devices there are: call cudaSetDevice first");
  for (int ordinal = 0; ordinal < devices; ++ordinal) {
    driver::Context context = nullptr;
    if (!ok(cu().devicePrimaryCtxRetain(&context, ordinal)))
      return backendFailed("CUDA refuses a device's context");
    {
      const driver::CurrentContext current(context);
      if (current.valid())
        work(ordinal, argument);
    }
    cu().devicePrimaryCtxRelease(ordinal);
  }
  return graphprof_backend_ok;
}

graphprof_backend_status synchronize() noexcept {
  if (!driver::functions())
    return noDriver();
  if (!driver::currentContext())
    return graphprof_backend_ok; // no event was given
  const driver::RelaxedCapture relaxed;
  return relaxed && ok(cu().ctxSynchronize())
             ? graphprof_backend_ok
             : backendFailed("CUDA refuses to synchronize the device: a stream is being captured, "
                             "or the device failed");
}

graphprof_backend_status happened(graphprof_event event) noexcept {
  if (!event)
    return backendInvalid("the event is null");
  if (!of(event)->device.isAlive())
    return backendFailed("the program has reset the device since; record another event");
  const driver::CurrentContext current(of(event)->device.context());
  const driver::RelaxedCapture relaxed;
  const driver::Result result =
      relaxed ? cu().eventQuery(of(event)->event) : driver::Result::NotReady;
  if (result == driver::Result::NotReady)
    return graphprof_backend_not_ready;
  return ok(result) ? graphprof_backend_ok : backendFailed("CUDA does not tell of an event");
}

graphprof_backend_status when(graphprof_event event, std::int64_t *ns) noexcept {
  if (const graphprof_backend_status status = happened(event); status != graphprof_backend_ok)
    return status;
  Device &device = of(event)->device;
  const driver::CurrentContext current(device.context());
  device.align();
  return device.alignment().eventToHost(of(event)->event, *ns)
             ? graphprof_backend_ok
             : backendInvalid("the event has no time: its graph has not been launched yet");
}

graphprof_backend make() noexcept {
  graphprof_backend backend{};
  backend.size = sizeof(graphprof_backend);
  backend.version = GRAPHPROF_BACKEND_VERSION;
  backend.can = graphprof_backend_can_place | graphprof_backend_can_capture;
  backend.name = "cuda";
  backend.enabled = enabled;
  backend.record = record;
  backend.release = release;
  backend.elapsed = elapsed;
  backend.on_each_device = onEachDevice;
  backend.synchronize = synchronize;
  backend.happened = happened;
  backend.when = when;
  backend.why = backendWhy;
  return backend;
}

} // namespace

const graphprof_backend &cudaBackend() noexcept {
  static const graphprof_backend cuda = make();
  return cuda;
}

} // namespace graphprof

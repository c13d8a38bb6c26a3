// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof's backend "tick": docs/backends.md goes through it part by part.

#include <graphprof/backend.h>

#include <cstdint>

#include "tick.h"

namespace {

// --- Handles and failures

tick::Stream *of(graphprof_stream stream) { return reinterpret_cast<tick::Stream *>(stream); }
tick::Event *of(graphprof_event event) { return reinterpret_cast<tick::Event *>(event); }

thread_local const char *reason = "nothing failed";

graphprof_backend_status invalid(const char *why) noexcept {
  reason = why;
  return graphprof_backend_invalid;
}
graphprof_backend_status failed(const char *why) noexcept {
  reason = why;
  return graphprof_backend_failed;
}
const char *why() noexcept { return reason; }

// A backend must not throw.
template <class Work> graphprof_backend_status contained(Work work) noexcept {
  try {
    return work();
  } catch (...) {
    return failed("no memory");
  }
}

// --- What a profiler asks

int enabled() noexcept { return 1; }

graphprof_backend_status record(graphprof_stream stream, int *device, graphprof_event *event,
                                std::int64_t *cpuNs) noexcept {
  if (!stream)
    return invalid("tick has no default stream");
  return contained([&] {
    tick::Event *const made = tick::createEvent();
    if (device)
      *device = 0;
    if (cpuNs)
      *cpuNs = tick::nowNs();
    tick::record(of(stream), made);
    *event = reinterpret_cast<graphprof_event>(made);
    return graphprof_backend_ok;
  });
}

void release(graphprof_event event) noexcept { tick::destroyEvent(of(event)); }

graphprof_backend_status elapsed(graphprof_event begin, graphprof_event end, float *us) noexcept {
  if (!begin || !end)
    return invalid("an event is null");
  tick::wait(of(begin));
  tick::wait(of(end));
  const std::int64_t ns = tick::timeNs(of(end)) - tick::timeNs(of(begin));
  *us = static_cast<float>(static_cast<double>(ns) * 1e-3);
  return graphprof_backend_ok;
}

graphprof_backend_status onEachDevice(void (*work)(int, void *), void *argument) noexcept {
  work(0, argument); // there is one device, which is always current
  return graphprof_backend_ok;
}

graphprof_backend_status synchronize() noexcept {
  tick::synchronize();
  return graphprof_backend_ok;
}

graphprof_backend_status happened(graphprof_event event) noexcept {
  if (!event)
    return invalid("the event is null");
  return tick::happened(of(event)) ? graphprof_backend_ok : graphprof_backend_not_ready;
}

graphprof_backend_status when(graphprof_event event, std::int64_t *ns) noexcept {
  const graphprof_backend_status status = happened(event);
  if (status == graphprof_backend_ok)
    *ns = tick::timeNs(of(event));
  return status;
}

// --- The backend

const graphprof_backend tickBackend = [] {
  graphprof_backend backend{};
  backend.size = sizeof(graphprof_backend);
  backend.version = GRAPHPROF_BACKEND_VERSION;
  backend.can = graphprof_backend_can_place;
  backend.name = "tick";
  backend.enabled = enabled;
  backend.record = record;
  backend.release = release;
  backend.elapsed = elapsed;
  backend.on_each_device = onEachDevice;
  backend.synchronize = synchronize;
  backend.happened = happened;
  backend.when = when;
  backend.why = why;
  return backend;
}();

GRAPHPROF_REGISTER_BACKEND(tickBackend);

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The backend "host": the host's clock, for machines without a device and for backends whose device
// has no events. A recorded event has happened at once. There are no graphs.

#include <cstdint>
#include <new>

#include "backend/Backends.h"
#include "backend/Status.h"
#include "clock/HostClock.h"

namespace graphprof {

namespace {

struct Recorded {
  std::int64_t ns;
};

Recorded *of(graphprof_event event) { return reinterpret_cast<Recorded *>(event); }

int enabled() noexcept { return 1; }

graphprof_backend_status record(graphprof_stream, int *device, graphprof_event *event,
                                std::int64_t *cpuNs) noexcept {
  auto *const recorded = new (std::nothrow) Recorded{};
  if (!recorded)
    return backendFailed("no memory for an event");
  if (device)
    *device = -1;
  recorded->ns = hostNowNs();
  if (cpuNs)
    *cpuNs = recorded->ns;
  *event = reinterpret_cast<graphprof_event>(recorded);
  return graphprof_backend_ok;
}

void release(graphprof_event event) noexcept { delete of(event); }

graphprof_backend_status elapsed(graphprof_event begin, graphprof_event end, float *us) noexcept {
  if (!begin || !end)
    return backendInvalid("an event is null");
  *us = static_cast<float>(static_cast<double>(of(end)->ns - of(begin)->ns) * 1e-3);
  return graphprof_backend_ok;
}

graphprof_backend_status onEachDevice(void (*)(int, void *), void *) noexcept {
  return graphprof_backend_ok; // there is no device
}

graphprof_backend_status synchronize() noexcept { return graphprof_backend_ok; }

graphprof_backend_status happened(graphprof_event event) noexcept {
  return event ? graphprof_backend_ok : backendInvalid("the event is null");
}

graphprof_backend_status when(graphprof_event event, std::int64_t *ns) noexcept {
  if (!event)
    return backendInvalid("the event is null");
  *ns = of(event)->ns;
  return graphprof_backend_ok;
}

constexpr graphprof_backend host = [] {
  graphprof_backend backend{};
  backend.size = sizeof(graphprof_backend);
  backend.version = GRAPHPROF_BACKEND_VERSION;
  backend.can = graphprof_backend_can_place | graphprof_backend_is_host;
  backend.name = "host";
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
}();

} // namespace

const graphprof_backend &hostBackend() noexcept { return host; }

} // namespace graphprof

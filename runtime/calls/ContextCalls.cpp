// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Implements graphprof/detail/seam.h: contexts that end, and with them execs, events and streams.
// What was launched in them is read first; then they are forgotten, and no call names one of their
// handles any more. Those of other contexts stay.

#include "graphprof/detail/seam.h"

#include <span>
#include <vector>

#include "calls/Guarded.h"
#include "clock/Devices.h"
#include "cuda/Driver.h"
#include "graph/Graphs.h"
#include "graph/harvest/Harvester.h"
#include "process/Process.h"

using namespace graphprof;
using namespace graphprof::internal;

namespace {

void finish(Process &own, std::span<Device *const> devices) {
  constexpr std::int64_t patienceMs = 1000;
  own.harvester.finishOn(devices, patienceMs);
}

// Before the program's call: what graphprof has made there is destroyed while it still can be. Also
// without memory for that, no call names it later.
void ends(const Device::Ending &ending) {
  std::vector<Device *> devices;
  ifTracking([&](Process &own) {
    devices = own.devices.thatEnd(ending);
    if (!devices.empty())
      finish(own, devices);
  });
  ifTracking([&](Process &own) { own.follower.forgetOn(devices); });
  process().devices.end(ending);
  ifTracking(
      [&](Process &own) { own.harvester.finishOn(devices, 0); }); // a pass may still be in a call
}

} // namespace

void graphprof_seam_primaryContextEnding(int ordinal) noexcept {
  ifTracking([&] {
    if (ordinal < 0 && !driver::ok(driver::cu().ctxGetDevice(&ordinal)))
      ordinal = -1; // whichever the runtime takes
    ends({.context = nullptr, .ordinal = ordinal});
  });
}

// After it: stamps can still be read, because they are in the process's own memory.
void graphprof_seam_primaryContextReleased(int ordinal) noexcept {
  ifTracking([&](Process &own) {
    unsigned flags = 0;
    int isActive = 1;
    if (!driver::ok(driver::cu().devicePrimaryCtxGetState(ordinal, &flags, &isActive)) || isActive)
      return;
    const Device::Ending ending{.context = nullptr, .ordinal = ordinal};
    std::vector<Device *> devices;
    ifTracking([&] { devices = own.devices.thatEnd(ending); });
    own.devices.end(ending);
    if (devices.empty())
      return;
    finish(own, devices);
    own.follower.forgetOn(devices);
  });
}

void graphprof_seam_contextEnding(CUctx_st *context) noexcept {
  ifTracking([&] {
    if (context)
      ends({.context = context});
  });
}

void graphprof_seam_greenContextEnding(CUgreenCtx_st *green) noexcept {
  ifTracking([&] {
    driver::Context context = nullptr;
    if (driver::cu().ctxFromGreenCtx && driver::ok(driver::cu().ctxFromGreenCtx(&context, green)) &&
        context)
      ends({.context = context});
  });
}

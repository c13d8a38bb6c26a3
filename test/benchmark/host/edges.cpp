// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the library measures about stamps when the first graph is timed on a device, and how long
// that takes.

#include <cstdio>
#include <optional>
#include <stdexcept>

#include "clock/Devices.h"
#include "program.h"
#include "sections.h"
#include "ticks.h"

namespace benchmark::host {

void edges(Effort) {
  const Stream stream; // creates a context
  graphprof::Devices devices;
  graphprof::Device *const device = devices.current();
  if (!device || !device->loadStamps())
    throw std::runtime_error("no stamps on this device");
  device->align();
  const std::int64_t begin = ticks();
  const auto outcome = device->edgeTrial().outcome();
  const double us = static_cast<double>(ticks() - begin) * nsPerTick() / 1e3;
  std::printf("\nStamps on other edges than completion: tried in %.0f us\n", us);
  if (!outcome) {
    std::printf("  the device is busy, or it cannot be tried: completion only\n");
    return;
  }
  const graphprof::StampLags &lags = outcome->lags;
  std::printf(
      "  launch completion is %s; ns behind a kernel's begin %lld, behind an end %lld, from "
      "end to begin %lld, the root's %lld; waiting on the device: %s\n",
      outcome->isOfUse ? "used" : "of no use", static_cast<long long>(lags.launchNs),
      static_cast<long long>(lags.endNs), static_cast<long long>(lags.gapNs),
      static_cast<long long>(lags.rootNs), device->stamps().waiting ? "yes" : "no");
}

} // namespace benchmark::host

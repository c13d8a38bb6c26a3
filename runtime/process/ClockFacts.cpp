// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Describes, for `graphprof info`, how a device's graphs are timed. The command loads this library
// and calls graphprof_clock_facts().

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "clock/Devices.h"
#include "clock/EdgeTrial.h"
#include "clock/StampClock.h"
#include "process/Process.h"
#include "session/Session.h"

namespace graphprof {
namespace {

std::string timerText(std::int64_t stepNs) {
  return stepNs > 0 ? fmt::format("steps of {} ns", stepNs)
                    : std::string("its step was not measured: the device is busy");
}

std::string edgesText(Device &device) {
  if (process().session.config().edges == EdgeChoice::Completion)
    return "completion: GRAPHPROF_EDGES=completion";
  const std::optional<EdgeTrial::Outcome> tried = device.edgeTrial().outcome();
  if (!tried)
    return "not tried: the device is busy";
  const StampLags &lags = tried->lags;
  if (!tried->isOfUse)
    return fmt::format("completion: stamps on launch completion come {} ns late here",
                       lags.launchNs);
  return fmt::format("launch completion, read {} ns behind a kernel's begin; completion, {} ns "
                     "behind its end{}",
                     lags.launchNs, lags.endNs,
                     device.stamps().around
                         ? fmt::format(", {} ns where a stamp waits for it, {} ns at the end",
                                       lags.aroundNs, lags.lastNs)
                         : std::string());
}

std::string clockFacts(Device &device) {
  if (!device.loadStamps())
    return "clock           events: the stamps do not load on this device\n";
  device.align();
  return fmt::format("timer           {}\nedges           {}\n",
                     timerText(device.alignment().timerStepNs()), edgesText(device));
}

} // namespace
} // namespace graphprof

/// Writes lines about the device of the current CUDA context into `text`, which holds `size` bytes
/// and ends with a null. Takes some milliseconds. Returns 0, or -1 without a context.
extern "C" __attribute__((visibility("default"))) int graphprof_clock_facts(char *text,
                                                                            std::size_t size) {
  try {
    graphprof::Device *const device = graphprof::process().devices.current();
    if (!device || size == 0)
      return -1;
    const std::string facts = graphprof::clockFacts(*device);
    const std::size_t length = std::min(facts.size(), size - 1);
    std::copy_n(facts.data(), length, text);
    text[length] = '\0';
    return 0;
  } catch (...) { // no memory
    return -1;
  }
}

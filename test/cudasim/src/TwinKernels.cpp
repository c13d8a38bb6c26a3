// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The simulation of kernels' timed twins: device::Recorder of graphprof/device/twin.h, line by
// line, with a test's schedule in place of the kernel's code. A change there needs one here.

#include <utility>

#include "cudasim/cudasim.h"
#include "graphprof/device/recording.h"

namespace cudasim {

namespace {

using graphprof::device::Entry;
using graphprof::device::Recording;
using graphprof::device::Warp;

unsigned clockAt(std::uint64_t ns) { return static_cast<unsigned>(smCyclesAt(ns)); }

void runWarp(const Recording &recording, unsigned number, const TwinWarp &does,
             std::uint64_t startNs) {
  const unsigned long long sequence = *recording.sequence;
  const unsigned at =
      static_cast<unsigned>(sequence) % recording.depth * recording.warpsPerReplay + number;
  unsigned state = graphprof::device::tagOf(sequence) << 16;
  Warp &mine = recording.warps[at];
  mine.multiprocessor = does.multiprocessor;
  mine.beginNs = startNs + does.beginNs;
  mine.beginClock = clockAt(startNs + does.beginNs);
  for (const TwinWarp::Step &step : does.steps) {
    const unsigned count = state & 0xFFFFU;
    if (count < recording.entriesPerWarp)
      recording.entries[std::uint64_t{at} * recording.entriesPerWarp + count] =
          Entry{clockAt(startNs + step.atNs), (state & ~0xFFFFU) | step.scope};
    if (count < graphprof::device::mostEntries)
      ++state;
  }
  mine.endClock = clockAt(startNs + does.endNs);
  mine.endNs = startNs + does.endNs;
  mine.state = state;
}

} // namespace

KernelBody twinBody(TwinSchedule schedule) {
  return [schedule = std::move(schedule)](void **params, std::uint64_t startNs, std::uint64_t) {
    const auto &recording = *static_cast<const Recording *>(params[0]);
    const unsigned blocks = bodyGrid().all(), threads = bodyBlock().all();
    if (!recording.sequence)
      return;
    for (unsigned block = 0; block < blocks; block += recording.everyBlock)
      for (unsigned warp = 0; warp < recording.warpsPerBlock && warp * 32 < threads; ++warp)
        if (const unsigned number = block / recording.everyBlock * recording.warpsPerBlock + warp;
            number < recording.warpsPerReplay)
          runWarp(recording, number, schedule(block, warp), startNs);
  };
}

} // namespace cudasim

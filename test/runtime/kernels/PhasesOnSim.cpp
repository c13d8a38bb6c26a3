// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Effects and durations of Phases.cu's kernels on the simulation, and what their twins' warps do.

#include <utility>

#include "cudasim/cudasim.h"
#include "graphprof/device/recording.h"
#include "kernels/Phases.h"

namespace {

using graphprof::device::Recording;
using graphprof::test::Written;

constexpr std::uint64_t loadNs = 10'000; // loadCycles at 1980 MHz
constexpr std::uint64_t roundNs = 4 * loadNs;

// The rounds of the twin whose body runs. Blocks begin one after the other.
thread_local int roundsOfTwin = 0;

cudasim::TwinWarp phasesOf(unsigned block, unsigned) {
  cudasim::TwinWarp does;
  does.multiprocessor = block % 4;
  does.beginNs = 100 * std::uint64_t{block};
  std::uint64_t now = does.beginNs;
  for (int round = 0; round < roundsOfTwin; ++round, now += roundNs)
    does.steps.insert(does.steps.end(), {{now, 0},
                                         {now + loadNs, cudasim::endOfScope},
                                         {now + loadNs, 1},
                                         {now + 5 * loadNs / 2, 2},
                                         {now + roundNs, cudasim::endOfScope},
                                         {now + roundNs, cudasim::endOfScope}});
  does.endNs = now + roundNs / 8; // in no region
  return does;
}

void write(void **params, bool isTwin) {
  Written &written = **static_cast<Written **>(params[0]);
  written.value = *static_cast<int *>(params[1]);
  ++(isTwin ? written.twins : written.kernels);
}

std::uint64_t durationOf(int rounds) {
  return roundNs * static_cast<std::uint64_t>(rounds) + 6'000;
}

[[maybe_unused]] const bool registered = [] {
  const std::size_t recording = sizeof(Recording), address = sizeof(void *), number = sizeof(int);
  cudasim::registerKernel(
      "graphprofTestPhases", {address, number, number},
      [](void **params, std::uint64_t, std::uint64_t) { write(params, false); },
      [](void **params) { return durationOf(*static_cast<int *>(params[2])); });
  // Ten percent longer.
  cudasim::registerKernel(
      "graphprofTestPhasesTwin", {recording, address, number, number},
      [body = cudasim::twinBody(phasesOf)](void **params, std::uint64_t startNs,
                                           std::uint64_t endNs) {
        roundsOfTwin = *static_cast<int *>(params[3]);
        body(params, startNs, endNs);
        write(params + 1, true);
      },
      [](void **params) { return durationOf(*static_cast<int *>(params[3])) * 11 / 10; });
  cudasim::registerKernel(
      "graphprofTestTight", {address, number},
      [](void **params, std::uint64_t, std::uint64_t) { write(params, false); }, loadNs);
  cudasim::registerKernel(
      "graphprofTestTightTwin", {recording, address, number},
      [](void **params, std::uint64_t, std::uint64_t) { write(params + 1, true); }, loadNs);
  cudasim::setKernelResources("graphprofTestTightTwin", {32, std::size_t{40} * 1024});
  return true;
}();

} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// For the simulation only: the duration of spin(ns), and the effects of the counting kernels.

#include <algorithm>

#include "cudasim/cudasim.h"

namespace {
[[maybe_unused]] const bool registered = [] {
  cudasim::registerKernel("spin", {sizeof(unsigned long long)}, nullptr, [](void **params) {
    return std::uint64_t{*static_cast<unsigned long long *>(params[0])};
  });
  cudasim::registerKernel("countDown", {sizeof(unsigned *), sizeof(unsigned long long)},
                          [](void **params, std::uint64_t, std::uint64_t) {
                            unsigned &counter = **static_cast<unsigned **>(params[0]);
                            cudasim::setConditional(*static_cast<unsigned long long *>(params[1]),
                                                    --counter);
                          });
  cudasim::registerKernel(
      "countUp", {sizeof(unsigned *)},
      [](void **params, std::uint64_t, std::uint64_t) { ++**static_cast<unsigned **>(params[0]); });
  cudasim::registerKernel("writeAll", {sizeof(unsigned *), sizeof(unsigned), sizeof(unsigned *)},
                          [](void **params, std::uint64_t, std::uint64_t) {
                            std::fill_n(*static_cast<unsigned **>(params[0]),
                                        *static_cast<unsigned *>(params[1]),
                                        **static_cast<unsigned **>(params[2]));
                          });
  cudasim::registerKernel(
      "countEqual", {sizeof(unsigned *), sizeof(unsigned), sizeof(unsigned *), sizeof(unsigned *)},
      [](void **params, std::uint64_t, std::uint64_t) {
        const unsigned *const values = *static_cast<unsigned **>(params[0]);
        **static_cast<unsigned **>(params[3]) +=
            static_cast<unsigned>(std::count(values, values + *static_cast<unsigned *>(params[1]),
                                             **static_cast<unsigned **>(params[2])));
      });
  // The body of kernels that record when they ran; see Edges.h.
  const auto timed = [](void **params, std::uint64_t startNs, std::uint64_t endNs) {
    auto *times = *static_cast<unsigned long long **>(params[0]);
    times[0] = ~static_cast<unsigned long long>(startNs);
    times[1] = endNs;
  };
  const auto stamp = [](void **params, std::uint64_t startNs, std::uint64_t) {
    **static_cast<unsigned long long **>(params[0]) = startNs;
  };
  const auto ns = [](void **params) {
    return std::uint64_t{*static_cast<unsigned long long *>(params[1])};
  };
  for (const char *name : {"timed", "timedTriggering", "timedWaiting"})
    cudasim::registerKernel(name, {sizeof(void *), sizeof(unsigned long long)}, timed, ns);
  for (const char *name : {"stampNow", "stampWaiting", "stampTriggering"})
    cudasim::registerKernel(name, {sizeof(void *)}, stamp, 150);
  cudasim::setKernelResources("sharing", {.staticSharedBytes = 4096});
  for (const char *name : {"spin", "timed", "stampNow"})
    cudasim::setKernelOverlap(name, {.waits = false, .triggers = false});
  cudasim::setKernelOverlap("timedTriggering", {.waits = false, .triggers = true});
  cudasim::setKernelOverlap("stampWaiting", {.waits = true, .triggers = false});
  cudasim::setKernelOverlap("stampTriggering", {.waits = false, .triggers = true});
  return true;
}();
} // namespace

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program that was instrumented as well: its redirected calls come by the driver's entry points
// once more, and are told there. So what they tell is not heard here, in front of libgraphprof,
// whose own calls do not pass by (it is linked with -Bsymbolic-functions). Regions, steps and marks
// are not calls of CUDA's, and go straight to it.

#include "graphprof/detail/timed_copy.h"
#include "preload/Telling.h"

#pragma GCC visibility push(default)

namespace graphprof::detail {
TimedCopy timedCopy(const graphprof_seam_copy & /*copy*/, CUstream_st * /*stream*/) noexcept {
  return {};
}
} // namespace graphprof::detail

#define GRAPHPROF_TOLD(name, result, parameters, arguments, idle)                                  \
  extern "C" __attribute__((                                                                       \
      visibility("default"))) result graphprof_seam_##name parameters GRAPHPROF_NOEXCEPT {         \
    return idle;                                                                                   \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "preload/seam.def"
#pragma GCC diagnostic pop

#pragma GCC visibility pop

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// For programs that are also instrumented: their redirected calls pass the driver's entry points
// again, which tell libgraphprof. So this library replaces the functions that the redirected calls
// tell, and does nothing in them, unless the runtime passes no entry points: then these are the
// only ones that tell. libgraphprof's own calls do not come here, because it is linked with
// -Bsymbolic-functions. Regions, steps and marks are not CUDA calls and go to libgraphprof
// directly.

#include "graphprof/detail/timed_copy.h"
#include "preload/Library.h"

#pragma GCC visibility push(default)

graphprof::detail::TimedCopy graphprof::detail::timedCopy(const graphprof_seam_copy &copy,
                                                          CUstream_st *stream) noexcept {
  return preload::instrumentedTells() ? preload::loaded.timedCopy(copy, stream) : TimedCopy{};
}

#define GRAPHPROF_SEAM(...) GRAPHPROF_FUNCTION(GRAPHPROF_NOEXCEPT, __VA_ARGS__)
#define GRAPHPROF_SEAM_PASSING(...) GRAPHPROF_FUNCTION(, __VA_ARGS__)
#define GRAPHPROF_FUNCTION(throws, name, result, parameters, arguments, idle)                      \
  extern "C"                                                                                       \
      __attribute__((visibility("default"))) result graphprof_seam_##name parameters throws {      \
    if (::graphprof::preload::instrumentedTells())                                                 \
      return ::graphprof::preload::loaded.name arguments;                                          \
    return idle;                                                                                   \
  }
#include "graphprof/detail/seam.def"

#pragma GCC visibility pop

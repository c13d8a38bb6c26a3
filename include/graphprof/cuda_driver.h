// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected calls of the driver API: graphprof::cuda::cuX does what ::cuX does, returns what
// it returns, and tells libgraphprof. graphprof-instrument includes this file in every unit that
// uses them.
//
// <cuda.h> defines many names as macros, for a version of the function, or for its form with
// per-thread default streams: cuGraphLaunch may be cuGraphLaunch_ptsz. Each wrapper has the name to
// which the macro expands, and so has the program's use of it. Signatures are those of the toolkit,
// CUDA 12.3 or later.
//
// Not for files that define __CUDA_API_VERSION_INTERNAL, for which <cuda.h> has no such macros.

#ifndef GRAPHPROF_CUDA_DRIVER_H
#define GRAPHPROF_CUDA_DRIVER_H

#include <cuda.h>

#include "graphprof/detail/calls_driver.h"
#include "graphprof/detail/copies_driver.h"
#include "graphprof/detail/streams.h"
#include "graphprof/detail/timed_copy.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"

namespace graphprof {
inline namespace v1 {
namespace cuda {

// Graphs and allocations

#define GRAPHPROF_DRIVER(name, form, where, exports, parameters, arguments)                        \
  GRAPHPROF_DRIVER_IN_##where(                                                                     \
      GRAPHPROF_FORM_##form(Driver, inline CUresult, (name), (::name), parameters, arguments))
#if CUDA_VERSION >= 13000
#define GRAPHPROF_DRIVER_EDGES(name, form, exports, parameters, arguments)                         \
  GRAPHPROF_FORM_##form(Driver, inline CUresult, (name), (::name), parameters, arguments)
#else
#define GRAPHPROF_DRIVER_EDGES(name, form, exports, parameters, arguments)                         \
  GRAPHPROF_FORM_##form(Driver, inline CUresult, (name), (::name##_v2), parameters, arguments)
#endif
#include "graphprof/detail/calls.def"

// Copies

#define GRAPHPROF_NO_STREAM nullptr
#define GRAPHPROF_DRIVER_COPY(name, exports, parameters, arguments, copy, stream)                  \
  inline CUresult(name) parameters {                                                               \
    return detail::copied(                                                                         \
        detail::driverStream(stream), [&] { return copy; }, [&] { return (::name)arguments; });    \
  }
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_NO_STREAM

} // namespace cuda
} // namespace v1
} // namespace graphprof

#endif // GRAPHPROF_CUDA_DRIVER_H

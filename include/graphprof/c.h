// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected CUDA calls for C: graphprof_cudaX does what cudaX does, returns what it returns,
// and tells libgraphprof; likewise graphprof_cuX for the driver API, where its header is.
// graphprof-instrument includes this file in every C unit that it changes. C11; each is a function,
// and may be called through a pointer.
//
// Regions are opened by graphprof/capi.h; steps begin by graphprof/c_steps.h.

#ifndef GRAPHPROF_C_H
#define GRAPHPROF_C_H

#include <cuda_runtime_api.h>
#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#endif

#include "graphprof/c_steps.h"
#include "graphprof/detail/calls_runtime.h"
#include "graphprof/detail/copies_runtime.h"
#ifdef CUDA_VERSION
#include "graphprof/detail/calls_driver.h"
#include "graphprof/detail/copies_driver.h"
#endif

// Graphs and allocations

#define GRAPHPROF_OR(value)

#define GRAPHPROF_RUNTIME(name, form, where, exports, parameters, arguments)                       \
  GRAPHPROF_RUNTIME_IN_##where(GRAPHPROF_FORM_##form(                                              \
      Runtime, static inline cudaError_t, graphprof_##name, (name), parameters, arguments))
#if CUDART_VERSION >= 13000
#define GRAPHPROF_RUNTIME_EDGES(name, form, exports, parameters, arguments)                        \
  GRAPHPROF_FORM_##form(Runtime, static inline cudaError_t, graphprof_##name, (name), parameters,  \
                        arguments)
#else
#define GRAPHPROF_RUNTIME_EDGES(name, form, exports, parameters, arguments)                        \
  GRAPHPROF_FORM_##form(Runtime, static inline cudaError_t, graphprof_##name##_v2, (name##_v2),    \
                        parameters, arguments)
#endif

#ifdef CUDA_VERSION
#define GRAPHPROF_DRIVER(name, form, where, exports, parameters, arguments)                        \
  GRAPHPROF_DRIVER_IN_##where(GRAPHPROF_FORM_##form(                                               \
      Driver, static inline CUresult, graphprof_##name, (name), parameters, arguments))
// With edge data they may be written with _v2, and in CUDA 12 have to be.
#if CUDA_VERSION >= 13000
#define GRAPHPROF_DRIVER_EDGES(name, form, exports, parameters, arguments)                         \
  GRAPHPROF_FORM_##form(Driver, static inline CUresult, graphprof_##name, (name), parameters,      \
                        arguments)                                                                 \
      GRAPHPROF_FORM_##form(Driver, static inline CUresult, graphprof_##name##_v2, (name##_v2),    \
                            parameters, arguments)
#else
#define GRAPHPROF_DRIVER_EDGES(name, form, exports, parameters, arguments)                         \
  GRAPHPROF_FORM_##form(Driver, static inline CUresult, graphprof_##name##_v2, (name##_v2),        \
                        parameters, arguments)
#endif
#endif

#include "graphprof/detail/calls.def"

// Copies

#define GRAPHPROF_NO_STREAM NULL
#define GRAPHPROF_C_COPY(result, wrapper, name, parameters, arguments, copy, stream)               \
  static inline result wrapper parameters {                                                        \
    void *const timed = graphprof_seam_inStep()                                                    \
                            ? graphprof_seam_copyBegins(copy, GRAPHPROF_STREAM(stream))            \
                            : NULL;                                                                \
    const result error = (name)arguments;                                                          \
    if (timed)                                                                                     \
      graphprof_seam_copyEnded(timed, !error);                                                     \
    return error;                                                                                  \
  }
#define GRAPHPROF_RUNTIME_COPY(name, parameters, arguments, copy, stream)                          \
  GRAPHPROF_C_COPY(cudaError_t, graphprof_##name, name, parameters, arguments, copy, stream)
#ifdef CUDA_VERSION
#define GRAPHPROF_DRIVER_COPY(name, exports, parameters, arguments, copy, stream)                  \
  GRAPHPROF_C_COPY(CUresult, graphprof_##name, name, parameters, arguments, copy, stream)
#endif
#include "graphprof/detail/copies.def"
#undef GRAPHPROF_C_COPY
#undef GRAPHPROF_NO_STREAM
#undef GRAPHPROF_OR

#endif // GRAPHPROF_C_H

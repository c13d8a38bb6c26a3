// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected CUDA calls for C: graphprof_cudaX does what cudaX does, returns what it returns,
// and tells libgraphprof; likewise graphprof_cuX for the driver API, where its header is.
// graphprof-instrument includes this file in every C unit that it changes. C11; each is a function,
// and may be called through a pointer.
//
// Regions cannot be opened in C.

#ifndef GRAPHPROF_C_H
#define GRAPHPROF_C_H

#include <cuda_runtime_api.h>
#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#endif
#endif

#include "graphprof/detail/c_runtime.h"
#ifdef CUDA_VERSION
#include "graphprof/detail/c_driver.h"
#endif
#include "graphprof/detail/c_memory.h"

#endif // GRAPHPROF_C_H

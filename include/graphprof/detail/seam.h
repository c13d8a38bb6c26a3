// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the redirected CUDA calls tell the library: the seam between the wrappers, which are
// compiled with the program's own cudart, and libgraphprof, which links none. C11 and C++. Not for
// programs to call.
//
// Every function here may be called from any thread, never throws, except what the program's host
// functions throw in a launch, and touches no runtime API state. While graphprof is not active none
// does anything, childSetting excepted.

#ifndef GRAPHPROF_DETAIL_SEAM_H
#define GRAPHPROF_DETAIL_SEAM_H

#include <stddef.h>

struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUfunc_st;
struct CUkern_st;

#ifdef __cplusplus
#define GRAPHPROF_NULL nullptr
#define GRAPHPROF_NOEXCEPT noexcept
extern "C" {
#else
#define GRAPHPROF_NULL NULL // C11 has no other
#define GRAPHPROF_NOEXCEPT
#endif

#pragma GCC visibility push(default) // libgraphprof exports all of them

enum graphprof_seam_launch {
  graphprof_seam_done,         ///< launched, the profiled exec or the program's own: all is done
  graphprof_seam_plain,        ///< launch the program's own exec
  graphprof_seam_plainThenMark ///< launch the program's own exec, then call launchedPlain
};

enum graphprof_seam_way {
  graphprof_seam_toDevice,
  graphprof_seam_toHost,
  graphprof_seam_onDevice,
  graphprof_seam_byPointers,
  graphprof_seam_notTimed
};

/// A copy that the program is about to make.
struct graphprof_seam_copy {
  enum graphprof_seam_way way;
  const void *target, *source; ///< null: on the device
  size_t bytes;
  const void *array; ///< where `bytes` counts elements, the array that they are of; else null
};

/// As graphprof::MemoryKind.
enum graphprof_seam_memory {
  graphprof_seam_memoryDevice,
  graphprof_seam_memoryPool,
  graphprof_seam_memoryManaged,
  graphprof_seam_memoryHost,
  graphprof_seam_memoryGraph
};

// What the rows of the list are declared as.
#define GRAPHPROF_SEAM(name, result, parameters, arguments, idle)                                  \
  result graphprof_seam_##name parameters GRAPHPROF_NOEXCEPT;
#define GRAPHPROF_SEAM_PASSING(name, result, parameters, arguments, idle)                          \
  result graphprof_seam_##name parameters;
#include "graphprof/detail/seam.def"

// graphprof/c_steps.h
void graphprof_seam_step(void) GRAPHPROF_NOEXCEPT;
/// `mode`: a CopyMode.
void graphprof_seam_setCopies(int mode, int d2h, int d2d) GRAPHPROF_NOEXCEPT;
void graphprof_seam_wrapCopy(const void *source) GRAPHPROF_NOEXCEPT;
void graphprof_seam_patchCopies(int begins) GRAPHPROF_NOEXCEPT;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_DETAIL_SEAM_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// calls_runtime.h for the driver API, which keeps no error. CUDA 12.3 or later.
//
// <cuda.h> defines many names as macros for a version of the function, or for the one with
// per-thread default streams: a row's name is what the program's use of it stands for.

#ifndef GRAPHPROF_DETAIL_CALLS_DRIVER_H
#define GRAPHPROF_DETAIL_CALLS_DRIVER_H

#include <cuda.h>

#include "graphprof/detail/allocation_forms.h"
#include "graphprof/detail/call_forms.h"

#define GRAPHPROF_RESULT_Driver CUresult
#define GRAPHPROF_SUCCESS_Driver CUDA_SUCCESS
#define GRAPHPROF_PARAMS_Driver CUgraphNodeParams

// A row's `where`
#define GRAPHPROF_DRIVER_IN_Any(...) __VA_ARGS__
#define GRAPHPROF_DRIVER_IN_From12_3(...) __VA_ARGS__
#define GRAPHPROF_DRIVER_IN_Profiler(...) __VA_ARGS__
#if CUDA_VERSION >= 12040
#define GRAPHPROF_DRIVER_IN_From12_4(...) __VA_ARGS__
#else
#define GRAPHPROF_DRIVER_IN_From12_4(...)
#endif
#if CUDA_VERSION >= 13020
#define GRAPHPROF_DRIVER_IN_From13_2(...) __VA_ARGS__
#else
#define GRAPHPROF_DRIVER_IN_From13_2(...)
#endif
#if CUDA_VERSION >= 13030
#define GRAPHPROF_DRIVER_IN_From13_3(...) __VA_ARGS__
#else
#define GRAPHPROF_DRIVER_IN_From13_3(...)
#endif
#if CUDA_VERSION < 13000
#define GRAPHPROF_DRIVER_IN_Before13(...) __VA_ARGS__
#else
#define GRAPHPROF_DRIVER_IN_Before13(...)
#endif
#ifdef __cplusplus
#define GRAPHPROF_DRIVER_IN_InC(...)
#else
#define GRAPHPROF_DRIVER_IN_InC(...) __VA_ARGS__
#endif

// Declared in a header of the toolkit that a program need not have. A program may have it, too.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
#endif
#ifdef __cplusplus
extern "C" {
#endif
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static inline int graphprof_hasErrorDriver(void) { return 0; }
static inline void graphprof_clearErrorDriver(void) {}

// The symbol of the kernel in a node's parameters; null where there is none.
static inline const char *graphprof_nameOfFunction(CUfunction function, CUkernel kernel) {
  const char *name = GRAPHPROF_NULL;
  const CUresult result =
      function ? (cuFuncGetName)(&name, function) : (cuKernelGetName)(&name, kernel);
  return result == CUDA_SUCCESS ? name : GRAPHPROF_NULL;
}
static inline const char *graphprof_kernelOfDriver(const CUDA_KERNEL_NODE_PARAMS *params) {
  return graphprof_nameOfFunction(params->func, params->kern);
}
static inline const char *graphprof_kernelInDriver(const CUgraphNodeParams *params) {
  return params->type == CU_GRAPH_NODE_TYPE_KERNEL
             ? graphprof_nameOfFunction(params->kernel.func, params->kernel.kern)
             : GRAPHPROF_NULL;
}

static inline int graphprof_isKernelDriver(const CUgraphNodeParams *params) {
  return params->type == CU_GRAPH_NODE_TYPE_KERNEL;
}

// Whether a child node is given a copy of a graph: one that moves into the node has none.
static inline int graphprof_givesCopyDriver(const CUgraphNodeParams *params) {
  if (!params || params->type != CU_GRAPH_NODE_TYPE_GRAPH)
    return 0;
#if CUDA_VERSION >= 13000
  return params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
#else
  return 1;
#endif
}

#endif // GRAPHPROF_DETAIL_CALLS_DRIVER_H

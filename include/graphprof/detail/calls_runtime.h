// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the rows of calls.def and the forms of call_forms.h need of the runtime API. C11 and C++.
// Not for programs to call.

#ifndef GRAPHPROF_DETAIL_CALLS_RUNTIME_H
#define GRAPHPROF_DETAIL_CALLS_RUNTIME_H

#include <cuda_runtime_api.h>

#include "graphprof/detail/allocation_forms.h"
#include "graphprof/detail/call_forms.h"

#define GRAPHPROF_RESULT_Runtime cudaError_t
#define GRAPHPROF_SUCCESS_Runtime cudaSuccess
#define GRAPHPROF_PARAMS_Runtime struct cudaGraphNodeParams

// A row's `where`
#define GRAPHPROF_RUNTIME_IN_Any(...) __VA_ARGS__
#if CUDART_VERSION >= 12030
#define GRAPHPROF_RUNTIME_IN_From12_3(...) __VA_ARGS__
#else
#define GRAPHPROF_RUNTIME_IN_From12_3(...)
#endif
#if CUDART_VERSION >= 13030
#define GRAPHPROF_RUNTIME_IN_From13_3(...) __VA_ARGS__
#else
#define GRAPHPROF_RUNTIME_IN_From13_3(...)
#endif
#if CUDART_VERSION < 13000
#define GRAPHPROF_RUNTIME_IN_Before13(...) __VA_ARGS__
#else
#define GRAPHPROF_RUNTIME_IN_Before13(...)
#endif
#define GRAPHPROF_RUNTIME_IN_Profiler(...) __VA_ARGS__
#if defined(__CUDACC__) || defined(__CUDA__)
#define GRAPHPROF_RUNTIME_IN_InCuda(...) __VA_ARGS__
#else
#define GRAPHPROF_RUNTIME_IN_InCuda(...)
#endif

// Declared in a header of the toolkit that a program need not have. A program may have it, too.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
#endif
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static inline int graphprof_hasErrorRuntime(void) { return (cudaPeekAtLastError)() != cudaSuccess; }
static inline void graphprof_clearErrorRuntime(void) { (void)(cudaGetLastError)(); }

// The symbol of the kernel in a node's parameters, while no error is pending; null where there is
// none.
static inline const char *graphprof_nameOfKernel(const void *function) {
  const char *name = GRAPHPROF_NULL;
#if CUDART_VERSION >= 12030
  if (cudaFuncGetName(&name, function) != cudaSuccess)
    graphprof_clearErrorRuntime();
#else
  (void)function;
#endif
  return name;
}
static inline const char *graphprof_kernelOfRuntime(const struct cudaKernelNodeParams *params) {
  return graphprof_nameOfKernel(params->func);
}
static inline const char *graphprof_kernelInRuntime(const struct cudaGraphNodeParams *params) {
  return params->type == cudaGraphNodeTypeKernel ? graphprof_nameOfKernel(params->kernel.func)
                                                 : GRAPHPROF_NULL;
}

// The driver's handle of a kernel; null where an error is pending, or the runtime does not tell.
static inline struct CUfunc_st *graphprof_functionOf(const void *symbol) {
  cudaFunction_t function = GRAPHPROF_NULL;
  if (graphprof_hasErrorRuntime())
    return GRAPHPROF_NULL;
  if (cudaGetFuncBySymbol(&function, symbol) == cudaSuccess)
    return function;
  graphprof_clearErrorRuntime();
  return GRAPHPROF_NULL;
}

static inline int graphprof_isKernelRuntime(const struct cudaGraphNodeParams *params) {
  return params->type == cudaGraphNodeTypeKernel;
}

// Whether a child node is given a copy of a graph: one that moves into the node has none.
static inline int graphprof_givesCopyRuntime(const struct cudaGraphNodeParams *params) {
  if (!params || params->type != cudaGraphNodeTypeGraph)
    return 0;
#if CUDART_VERSION >= 13000
  return params->graph.ownership == cudaGraphChildGraphOwnershipClone;
#else
  return 1;
#endif
}

#endif // GRAPHPROF_DETAIL_CALLS_RUNTIME_H

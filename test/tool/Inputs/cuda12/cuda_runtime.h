// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What cuda_runtime.h of CUDA 12 adds for C++: the overload with a log, which CUDA 11 had.

#ifndef CUDA12_RUNTIME_H
#define CUDA12_RUNTIME_H

#include "cuda_runtime_api.h"

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *, char *, size_t) {
  return cudaGraphInstantiate(exec, graph, 0);
}

#endif // CUDA12_RUNTIME_H

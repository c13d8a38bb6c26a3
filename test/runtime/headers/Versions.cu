// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected calls whose form CUDA 13 changed, in each form that a program may write for the
// version that is asked for. Compiled only.

#include "graphprof/cuda.h"

namespace cuda = graphprof::cuda;

cudaError_t edits(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphNodeParams *params) {
#if CUDART_VERSION < 13000
  (void)cuda::cudaGraphAddNode(&node, graph, nullptr, 0, params);
  (void)cuda::cudaGraphAddDependencies(graph, &node, &node, 1);
  (void)cuda::cudaGraphRemoveDependencies(graph, &node, &node, 1);
  cudaError_t (*add)(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t) =
      &cuda::cudaGraphAddDependencies;
  (void)add(graph, &node, &node, 1);
#endif
  // In CUDA 12 written with _v2 behind the name, which the tool takes away.
  (void)cuda::cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, params);
  (void)cuda::cudaGraphAddDependencies(graph, &node, &node, nullptr, 1);
  return cuda::cudaGraphRemoveDependencies(graph, &node, &node, nullptr, 1);
}

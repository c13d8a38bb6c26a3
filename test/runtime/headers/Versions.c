/* Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.

   As Versions.cu, of a C program, where a form with edge data has a name of its own. Compiled
   only. */

#include <cuda.h>

#include "graphprof/c.h"

int edits(cudaGraph_t graph, cudaGraphNode_t node, struct cudaGraphNodeParams *params);
int edits(cudaGraph_t graph, cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
#if CUDART_VERSION < 13000
  return graphprof_cudaGraphAddNode(&node, graph, 0, 0, params) ||
         graphprof_cudaGraphAddDependencies(graph, &node, &node, 1) ||
         graphprof_cudaGraphRemoveDependencies(graph, &node, &node, 1) ||
         graphprof_cudaGraphAddNode_v2(&node, graph, 0, 0, 0, params) ||
         graphprof_cudaGraphAddDependencies_v2(graph, &node, &node, 0, 1) ||
         graphprof_cudaGraphRemoveDependencies_v2(graph, &node, &node, 0, 1);
#else
  return graphprof_cudaGraphAddNode(&node, graph, 0, 0, 0, params) ||
         graphprof_cudaGraphAddDependencies(graph, &node, &node, 0, 1) ||
         graphprof_cudaGraphRemoveDependencies(graph, &node, &node, 0, 1);
#endif
}

int driversEdits(CUgraph graph, CUgraphNode node);
int driversEdits(CUgraph graph, CUgraphNode node) {
#if CUDA_VERSION < 13000
  return graphprof_cuGraphAddDependencies(graph, &node, &node, 1) ||
#else
  return graphprof_cuGraphAddDependencies(graph, &node, &node, 0, 1) ||
#endif
         graphprof_cuGraphAddKernelNode(&node, graph, 0, 0, 0) || // a macro for its second version
         graphprof_cuGraphAddDependencies_v2(graph, &node, &node, 0, 1) ||
         graphprof_cuGraphRemoveDependencies_v2(graph, &node, &node, 0, 1);
}

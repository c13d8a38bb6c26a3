// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The data of edges: from which port of a kernel an edge leaves, and whether it is programmatic.
// Which data an edge may have between which nodes is CUDA's rule, stated here once for explicit
// graphs and captures.

#ifndef CUDASIM_SRC_EDGE_H
#define CUDASIM_SRC_EDGE_H

#include "driver_types.h"

namespace cudasim {

struct Edge {
  CUgraphNode_st *node;
  cudaGraphEdgeData data;
};

inline constexpr cudaGraphEdgeData kProgrammaticEdge = {
    cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};

inline constexpr cudaGraphEdgeData kLaunchCompletionEdge = {
    cudaGraphKernelNodePortLaunchCompletion, 0, cudaGraphDependencyTypeDefault, {}};

bool sameData(const cudaGraphEdgeData &left, const cudaGraphEdgeData &right);

// Whether the data are other than zero, so that a query without room for them would lose some.
bool carriesData(const cudaGraphEdgeData &data);

// Whether what depends by it waits for the whole of its source.
inline bool isFull(const cudaGraphEdgeData &data) {
  return data.from_port == cudaGraphKernelNodePortDefault;
}

// Whether an edge with these data may leave a node of this type; its target is not known yet.
bool mayLeave(cudaGraphNodeType source, const cudaGraphEdgeData &data);
bool mayConnect(cudaGraphNodeType source, cudaGraphNodeType target, const cudaGraphEdgeData &data);

} // namespace cudasim

#endif // CUDASIM_SRC_EDGE_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The data of edges: the port of a kernel that an edge leaves, and whether the edge is
// programmatic. CUDA's rules for them, for explicit graphs and captures, are here.

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

// Whether the data are not zero. A query without room for data would then lose them.
bool carriesData(const cudaGraphEdgeData &data);

// Whether the edge waits for the whole of its source.
inline bool isFull(const cudaGraphEdgeData &data) {
  return data.from_port == cudaGraphKernelNodePortDefault;
}

// Whether an edge with these data can leave a node of this type. The target is not known yet.
bool mayLeave(cudaGraphNodeType source, const cudaGraphEdgeData &data);
bool mayConnect(cudaGraphNodeType source, cudaGraphNodeType target, const cudaGraphEdgeData &data);

} // namespace cudasim

#endif // CUDASIM_SRC_EDGE_H

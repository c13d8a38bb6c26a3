// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API: ids of graphs, execs and nodes (CUDA 13.1). An exec is a graph of its own, with
// an id of its own; its nodes have the local ids of the graph's.

#include "Call.h"
#include "DriverParams.h"
#include "Exec.h"

using namespace cudasim;

extern "C" {

CUresult cuGraphGetId(CUgraph handle, unsigned int *id) {
  CU_CALL({
    const CUgraph_st *graph = findGraph(d, handle);
    if (!graph || !id)
      return cudaErrorInvalidValue;
    *id = static_cast<unsigned>(graph->id);
    return cudaSuccess;
  });
}

CUresult cuGraphExecGetId(CUgraphExec handle, unsigned int *id) {
  CU_CALL({
    const CUgraphExec_st *exec = d.execs.get(handle);
    if (!exec || !id)
      return cudaErrorInvalidValue;
    *id = static_cast<unsigned>(exec->graph->id);
    return cudaSuccess;
  });
}

CUresult cuGraphNodeGetLocalId(CUgraphNode handle, unsigned int *id) {
  CU_CALL({
    const CUgraphNode_st *node = findNode(d, handle);
    if (!node || !id)
      return cudaErrorInvalidValue;
    *id = node->localId;
    return cudaSuccess;
  });
}

// What tools such as CUPTI take for a node: its graph's id and its own.
CUresult cuGraphNodeGetToolsId(CUgraphNode handle, unsigned long long *id) {
  CU_CALL({
    const CUgraphNode_st *node = findNode(d, handle);
    if (!node || !id)
      return cudaErrorInvalidValue;
    *id = node->graph->id << 32 | node->localId;
    return cudaSuccess;
  });
}

CUresult cuGraphNodeGetContainingGraph(CUgraphNode handle, CUgraph *graph) {
  CU_CALL({
    const CUgraphNode_st *node = findNode(d, handle);
    if (!node || !graph)
      return cudaErrorInvalidValue;
    *graph = node->graph;
    return cudaSuccess;
  });
}

} // extern "C"

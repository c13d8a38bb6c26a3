// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Executable graphs: a private copy of the graph that they were made from. A program names an
// exec's nodes by the handles of that graph; the copies remember them.

#ifndef CUDASIM_SRC_EXEC_H
#define CUDASIM_SRC_EXEC_H

#include "Graph.h"

struct CUgraphExec_st : cudasim::Reused<CUgraphExec_st> {
  std::shared_ptr<CUgraph_st> graph; // the private copy
  unsigned long long flags = 0;
  std::uint64_t tailNs = 0;         // launches of one exec serialise
  unsigned long long heldGraph = 0; // the graph of which it is the only exec; 0: none
};

namespace cudasim {

cudaError_t instantiate(Device &device, cudaGraphExec_t *exec, cudaGraph_t graph,
                        unsigned long long flags, cudaGraphInstantiateParams *params = nullptr);
cudaError_t execDestroy(Device &device, cudaGraphExec_t exec);
cudaError_t execLaunch(Device &device, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t execUpload(Device &device, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t execUpdate(Device &device, cudaGraphExec_t exec, cudaGraph_t graph,
                       cudaGraphExecUpdateResultInfo *info);

// Gives the exec's copy of node new parameters of the same kind; affects later launches only.
cudaError_t execSetOp(Device &device, cudaGraphExec_t exec, cudaGraphNode_t node, Op op);
cudaError_t execSetEnabled(Device &device, cudaGraphExec_t exec, cudaGraphNode_t node,
                           bool enabled);
cudaError_t execGetEnabled(Device &device, cudaGraphExec_t exec, cudaGraphNode_t node,
                           unsigned *enabled);

// The same in a graph.
cudaError_t nodeSetOp(Device &device, cudaGraphNode_t node, Op op);

} // namespace cudasim

#endif // CUDASIM_SRC_EXEC_H

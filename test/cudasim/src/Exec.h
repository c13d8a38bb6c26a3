// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Executable graphs. An exec has a private copy of its graph. A program names an exec's nodes by
// the handles of that graph, which the copies remember.

#ifndef CUDASIM_SRC_EXEC_H
#define CUDASIM_SRC_EXEC_H

#include "Graph.h"

struct CUgraphExec_st : cudasim::Reused<CUgraphExec_st> {
  std::shared_ptr<CUgraph_st> graph; // the private copy
  CUctx_st *context = nullptr;       // null: the primary one
  unsigned long long flags = 0;
  std::uint64_t tailNs = 0;         // when the last launch ends; launches of an exec serialise
  unsigned long long heldGraph = 0; // the graph whose only exec it is; 0: none
  std::size_t bytes = 0;            // of the device's memory
  bool isUploaded = false;          // or launched
};

namespace cudasim {

cudaError_t instantiate(Device &device, cudaGraphExec_t *exec, cudaGraph_t graph,
                        unsigned long long flags, cudaGraphInstantiateParams *params = nullptr);
cudaError_t execDestroy(Device &device, cudaGraphExec_t exec);
cudaError_t execLaunch(Device &device, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t execUpload(Device &device, cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t execUpdate(Device &device, cudaGraphExec_t exec, cudaGraph_t graph,
                       cudaGraphExecUpdateResultInfo *info);

// Sets the parameters of the exec's copy of a node. Affects later launches only.
cudaError_t execSetOp(Device &device, cudaGraphExec_t exec, cudaGraphNode_t node, Op op);
cudaError_t execSetEnabled(Device &device, cudaGraphExec_t exec, cudaGraphNode_t node,
                           bool enabled);
cudaError_t execGetEnabled(Device &device, cudaGraphExec_t exec, cudaGraphNode_t node,
                           unsigned *enabled);

// Sets the parameters of a graph's node.
cudaError_t nodeSetOp(Device &device, cudaGraphNode_t node, Op op);

} // namespace cudasim

#endif // CUDASIM_SRC_EXEC_H

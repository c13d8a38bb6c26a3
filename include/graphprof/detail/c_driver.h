// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API's part of graphprof/c.h. CUDA 12.3 or later; <cuda.h> has been included.
//
// <cuda.h> defines many names as macros for a version of the function: graphprof_cuGraphAddNode
// calls what cuGraphAddNode stands for.

#ifndef GRAPHPROF_DETAIL_C_DRIVER_H
#define GRAPHPROF_DETAIL_C_DRIVER_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#include "graphprof/detail/c_forms.h"
#include "graphprof/detail/c_seam.h"

#define GRAPHPROF_C_RESULT CUresult

// Capture

static inline CUresult graphprof_cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  const CUresult result = cuStreamBeginCapture(stream, mode);
  if (!result)
    graphprof_seam_captureBegan(GRAPHPROF_C_STREAM(stream), 0);
  return result;
}

static inline CUresult graphprof_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                                             const CUgraphNode *dependencies,
                                                             const CUgraphEdgeData *edgeData,
                                                             size_t count,
                                                             CUstreamCaptureMode mode) {
  const CUresult result =
      cuStreamBeginCaptureToGraph(stream, graph, dependencies, edgeData, count, mode);
  if (!result)
    graphprof_seam_captureBegan(GRAPHPROF_C_STREAM(stream), 1);
  return result;
}

static inline CUresult graphprof_cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  graphprof_seam_captureEnding(GRAPHPROF_C_STREAM(stream));
  const CUresult result = cuStreamEndCapture(stream, graph);
  graphprof_seam_captureEnded(GRAPHPROF_C_STREAM(stream), !result,
                              !result && graph ? *graph : NULL);
  return result;
}

static inline CUresult graphprof_cuStreamWaitEvent(CUstream stream, CUevent event,
                                                   unsigned int flags) {
  graphprof_seam_waiting(GRAPHPROF_C_STREAM(stream));
  const CUresult result = cuStreamWaitEvent(stream, event, flags);
  if (!result)
    graphprof_seam_waited(GRAPHPROF_C_STREAM(stream));
  return result;
}

// Execs

static inline CUresult graphprof_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                                             unsigned long long flags) {
  graphprof_seam_instantiating(graph, flags);
  const CUresult result = cuGraphInstantiateWithFlags(exec, graph, flags);
  graphprof_seam_instantiated(result ? NULL : *exec, graph, flags);
  return result;
}
static inline CUresult graphprof_cuGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                                                    unsigned long long flags) {
  return graphprof_cuGraphInstantiateWithFlags(exec, graph, flags);
}

static inline CUresult
graphprof_cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                       CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  graphprof_seam_instantiating(graph, params ? params->flags : 0);
  const CUresult result = cuGraphInstantiateWithParams(exec, graph, params);
  graphprof_seam_instantiated(result ? NULL : *exec, graph, params ? params->flags : 0);
  return result;
}

static inline CUresult graphprof_cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  CUresult result;
  const enum graphprof_seam_launch launch = graphprof_seam_launch(exec, GRAPHPROF_C_STREAM(stream));
  if (launch == graphprof_seam_done)
    return CUDA_SUCCESS;
  result = cuGraphLaunch(exec, stream);
  if (launch == graphprof_seam_plainThenMark && !result)
    graphprof_seam_launchedPlain(exec, GRAPHPROF_C_STREAM(stream));
  return result;
}

static inline CUresult graphprof_cuGraphUpload(CUgraphExec exec, CUstream stream) {
  const CUresult result = cuGraphUpload(exec, stream);
  if (!result)
    graphprof_seam_uploaded(exec, GRAPHPROF_C_STREAM(stream));
  return result;
}

static inline CUresult graphprof_cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                                                   CUgraphExecUpdateResultInfo *info) {
  graphprof_seam_updating(exec, graph);
  const CUresult result = cuGraphExecUpdate(exec, graph, info);
  graphprof_seam_updated(exec, graph, !result);
  return result;
}

// Told before: the handle may be given out again as soon as it is free.
static inline CUresult graphprof_cuGraphExecDestroy(CUgraphExec exec) {
  graphprof_seam_execDestroying(exec);
  return cuGraphExecDestroy(exec);
}

// Told before: what was launched is over, but its times may not have been fetched.
static inline CUresult graphprof_cuDevicePrimaryCtxReset(CUdevice device) {
  graphprof_seam_deviceResetting();
  return cuDevicePrimaryCtxReset(device);
}

// Changes of one node of an exec, repeated on its twin

static inline const char *graphprof_nameOfFunction(CUfunction function, CUkernel kernel) {
  const char *name = NULL;
  const CUresult result =
      function ? cuFuncGetName(&name, function) : cuKernelGetName(&name, kernel);
  return result ? NULL : name;
}

// Whether a child node is given a copy of a graph: one that moves into the node has none.
static inline int graphprof_driverGivesCopy(const CUgraphNodeParams *params) {
  if (!params || params->type != CU_GRAPH_NODE_TYPE_GRAPH)
    return 0;
#if CUDA_VERSION >= 13000
  return params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
#else
  return 1;
#endif
}

#define GRAPHPROF_C_MIRRORED_AS(redirected, name, parameters, kernel, ...)                         \
  static inline CUresult redirected parameters {                                                   \
    CUgraphExec otherExec;                                                                         \
    CUgraphNode otherNode;                                                                         \
    int how;                                                                                       \
    const CUresult result = name(exec, node, __VA_ARGS__);                                         \
    if (result || !(how = graphprof_seam_twin(exec, node, &otherExec, &otherNode)))                \
      return result;                                                                               \
    if (name(otherExec, otherNode, __VA_ARGS__))                                                   \
      graphprof_seam_notMirrored(exec);                                                            \
    else if (how == 2)                                                                             \
      graphprof_seam_execNodeChanged(exec, node, kernel);                                          \
    return result;                                                                                 \
  }
#define GRAPHPROF_C_MIRRORED_KERNEL(name, parameters, kernel, ...)                                 \
  GRAPHPROF_C_MIRRORED_AS(graphprof_##name, name, parameters, kernel, __VA_ARGS__)
#define GRAPHPROF_C_MIRRORED(name, parameters, ...)                                                \
  GRAPHPROF_C_MIRRORED_KERNEL(name, parameters, NULL, __VA_ARGS__)
GRAPHPROF_C_MIRRORED_KERNEL(cuGraphExecKernelNodeSetParams,
                            (CUgraphExec exec, CUgraphNode node,
                             const CUDA_KERNEL_NODE_PARAMS *params),
                            graphprof_nameOfFunction(params->func, params->kern), params)
GRAPHPROF_C_MIRRORED(cuGraphExecMemcpyNodeSetParams,
                     (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params,
                      CUcontext context),
                     params, context)
GRAPHPROF_C_MIRRORED(cuGraphExecMemsetNodeSetParams,
                     (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params,
                      CUcontext context),
                     params, context)
GRAPHPROF_C_MIRRORED(cuGraphExecHostNodeSetParams,
                     (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params),
                     params)
GRAPHPROF_C_MIRRORED_AS(graphprof_otherDriverNodeSetParams, cuGraphExecNodeSetParams,
                        (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params),
                        params->type == CU_GRAPH_NODE_TYPE_KERNEL
                            ? graphprof_nameOfFunction(params->kernel.func, params->kernel.kern)
                            : NULL,
                        params)
GRAPHPROF_C_MIRRORED(cuGraphExecEventRecordNodeSetEvent,
                     (CUgraphExec exec, CUgraphNode node, CUevent event), event)
GRAPHPROF_C_MIRRORED(cuGraphExecEventWaitNodeSetEvent,
                     (CUgraphExec exec, CUgraphNode node, CUevent event), event)
GRAPHPROF_C_MIRRORED(cuGraphExecBatchMemOpNodeSetParams,
                     (CUgraphExec exec, CUgraphNode node,
                      const CUDA_BATCH_MEM_OP_NODE_PARAMS *params),
                     params)
GRAPHPROF_C_MIRRORED(cuGraphExecExternalSemaphoresSignalNodeSetParams,
                     (CUgraphExec exec, CUgraphNode node,
                      const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params),
                     params)
GRAPHPROF_C_MIRRORED(cuGraphExecExternalSemaphoresWaitNodeSetParams,
                     (CUgraphExec exec, CUgraphNode node,
                      const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params),
                     params)
GRAPHPROF_C_MIRRORED(cuGraphNodeSetEnabled,
                     (CUgraphExec exec, CUgraphNode node, unsigned int enabled),
                     (graphprof_seam_nodeSwitching(exec), enabled))
#undef GRAPHPROF_C_MIRRORED
#undef GRAPHPROF_C_MIRRORED_KERNEL
#undef GRAPHPROF_C_MIRRORED_AS

static inline CUresult
graphprof_cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
  graphprof_seam_graphUsing(child);
  const CUresult result = cuGraphExecChildGraphNodeSetParams(
      exec, node, graphprof_seam_childSetting(exec, node, child));
  graphprof_seam_childSet(exec, node, child, !result);
  return result;
}

static inline CUresult graphprof_cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                          CUgraphNodeParams *params) {
  CUresult result;
  CUgraphNodeParams changed;
  if (!graphprof_driverGivesCopy(params))
    return graphprof_otherDriverNodeSetParams(exec, node, params);
  graphprof_seam_graphUsing(params->graph.graph);
  changed = *params;
  changed.graph.graph = graphprof_seam_childSetting(exec, node, params->graph.graph);
  result = cuGraphExecNodeSetParams(exec, node, &changed);
  graphprof_seam_childSet(exec, node, params->graph.graph, !result);
  return result;
}

// Graphs

static inline CUresult graphprof_cuGraphDestroy(CUgraph graph) {
  graphprof_seam_graphDestroying(graph);
  return cuGraphDestroy(graph);
}

static inline CUresult graphprof_cuGraphClone(CUgraph *clone, CUgraph graph) {
  graphprof_seam_graphUsing(graph);
  const CUresult result = cuGraphClone(clone, graph);
  if (!result)
    graphprof_seam_graphCloned(*clone, graph);
  return result;
}

// Edits of a graph

static inline CUresult graphprof_cuGraphCreate(CUgraph *graph, unsigned int flags) {
  const CUresult result = cuGraphCreate(graph, flags);
  if (!result)
    graphprof_seam_graphCreated(*graph);
  return result;
}

// By what cuGraphAddNode is given.
#define GRAPHPROF_C_BEFORE                                                                         \
  const size_t bytes = params && params->type == CU_GRAPH_NODE_TYPE_MEM_FREE                       \
                           ? graphprof_seam_freeing((const void *)(uintptr_t)params->free.dptr)    \
                           : 0;                                                                    \
  if (params && params->type == CU_GRAPH_NODE_TYPE_GRAPH)                                          \
  graphprof_seam_graphUsing(params->graph.graph)
#define GRAPHPROF_C_ALSO                                                                           \
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)                                              \
    graphprof_seam_bodiesAdded(graph, *node, params->conditional.phGraph_out,                      \
                               params->conditional.size);                                          \
  else if (params->type == CU_GRAPH_NODE_TYPE_GRAPH)                                               \
    graphprof_seam_childAdded(graph, *node, params->graph.graph);                                  \
  else if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)                                           \
  GRAPHPROF_C_ALLOCATED(params->alloc)
#define GRAPHPROF_C_AFTER                                                                          \
  if (bytes > 0)                                                                                   \
  graphprof_seam_freed((const void *)(uintptr_t)params->free.dptr, bytes, !result)
// What a node that allocates was given.
#define GRAPHPROF_C_ALLOCATED(asked)                                                               \
  graphprof_seam_allocatedOn((asked).poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE        \
                                 ? (asked).poolProps.location.id                                   \
                                 : -1,                                                             \
                             (const void *)(uintptr_t)(asked).dptr, (asked).bytesize,              \
                             graphprof_seam_memoryGraph)
GRAPHPROF_C_ADD(cuGraphAddKernelNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_KERNEL_NODE_PARAMS *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cuGraphAddMemcpyNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_MEMCPY3D *params, CUcontext context),
                (node, graph, dependencies, count, params, context))
GRAPHPROF_C_ADD(cuGraphAddMemsetNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),
                (node, graph, dependencies, count, params, context))
GRAPHPROF_C_ADD(cuGraphAddHostNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_HOST_NODE_PARAMS *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD_WITH(cuGraphAddChildGraphNode,
                     (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,
                      size_t count, CUgraph child),
                     (node, graph, dependencies, count, child), graphprof_seam_graphUsing(child),
                     graphprof_seam_childAdded(graph, *node, child), (void)0)
GRAPHPROF_C_ADD(cuGraphAddEmptyNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count),
                (node, graph, dependencies, count))
GRAPHPROF_C_ADD(cuGraphAddEventRecordNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 CUevent event),
                (node, graph, dependencies, count, event))
GRAPHPROF_C_ADD(cuGraphAddEventWaitNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 CUevent event),
                (node, graph, dependencies, count, event))
GRAPHPROF_C_ADD(cuGraphAddBatchMemOpNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_BATCH_MEM_OP_NODE_PARAMS *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cuGraphAddExternalSemaphoresSignalNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cuGraphAddExternalSemaphoresWaitNode,
                (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD_WITH(cuGraphAddMemAllocNode,
                     (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,
                      size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params),
                     (node, graph, dependencies, count, params), (void)0,
                     GRAPHPROF_C_ALLOCATED(*params), (void)0)
GRAPHPROF_C_ADD_WITH(cuGraphAddMemFreeNode,
                     (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,
                      size_t count, CUdeviceptr memory),
                     (node, graph, dependencies, count, memory),
                     const size_t bytes = graphprof_seam_freeing((const void *)(uintptr_t)memory),
                     (void)0,
                     if (bytes > 0)
                         graphprof_seam_freed((const void *)(uintptr_t)memory, bytes, !result))
// With edge data they may be written with _v2, and in CUDA 12 have to be.
#define GRAPHPROF_C_WITH_EDGES(v2)                                                                 \
  GRAPHPROF_C_ADD_WITH(cuGraphAddNode##v2,                                                         \
                       (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,        \
                        const CUgraphEdgeData *edgeData, size_t count, CUgraphNodeParams *params), \
                       (node, graph, dependencies, edgeData, count, params), GRAPHPROF_C_BEFORE,   \
                       GRAPHPROF_C_ALSO, GRAPHPROF_C_AFTER)                                        \
  GRAPHPROF_C_EDIT(cuGraphAddDependencies##v2,                                                     \
                   (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,                 \
                    const CUgraphEdgeData *edgeData, size_t count),                                \
                   (graph, from, to, edgeData, count))                                             \
  GRAPHPROF_C_EDIT(cuGraphRemoveDependencies##v2,                                                  \
                   (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,                 \
                    const CUgraphEdgeData *edgeData, size_t count),                                \
                   (graph, from, to, edgeData, count))
#if CUDA_VERSION >= 13000
GRAPHPROF_C_WITH_EDGES()
#define graphprof_cuGraphAddNode_v2 graphprof_cuGraphAddNode
#define graphprof_cuGraphAddDependencies_v2 graphprof_cuGraphAddDependencies
#define graphprof_cuGraphRemoveDependencies_v2 graphprof_cuGraphRemoveDependencies
#else
GRAPHPROF_C_ADD_WITH(cuGraphAddNode,
                     (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,
                      size_t count, CUgraphNodeParams *params),
                     (node, graph, dependencies, count, params), GRAPHPROF_C_BEFORE,
                     GRAPHPROF_C_ALSO, GRAPHPROF_C_AFTER)
GRAPHPROF_C_EDIT(cuGraphAddDependencies,
                 (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count),
                 (graph, from, to, count))
GRAPHPROF_C_EDIT(cuGraphRemoveDependencies,
                 (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count),
                 (graph, from, to, count))
GRAPHPROF_C_WITH_EDGES(_v2)
#endif
#undef GRAPHPROF_C_WITH_EDGES
#undef GRAPHPROF_C_ALLOCATED
#undef GRAPHPROF_C_AFTER
#undef GRAPHPROF_C_ALSO
#undef GRAPHPROF_C_BEFORE

// Changes of one node of a graph, repeated on its twin

#define GRAPHPROF_C_NODE_EDIT_AS(redirected, name, parameters, ...)                                \
  static inline CUresult redirected parameters {                                                   \
    CUgraphNode other;                                                                             \
    const CUresult result = name(node, __VA_ARGS__);                                               \
    if (result || !(other = graphprof_seam_nodeTwin(node)))                                        \
      return result;                                                                               \
    if (name(other, __VA_ARGS__))                                                                  \
      graphprof_seam_nodeEdited(node);                                                             \
    else                                                                                           \
      graphprof_seam_nodeChanged(node);                                                            \
    return result;                                                                                 \
  }
#define GRAPHPROF_C_NODE_EDIT(name, parameters, ...)                                               \
  GRAPHPROF_C_NODE_EDIT_AS(graphprof_##name, name, parameters, __VA_ARGS__)
GRAPHPROF_C_NODE_EDIT_AS(graphprof_changeOtherDriverNode, cuGraphNodeSetParams,
                         (CUgraphNode node, CUgraphNodeParams *params), params)
static inline CUresult graphprof_cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params) {
  CUresult result;
  CUgraphNodeParams changed;
  if (!graphprof_driverGivesCopy(params))
    return graphprof_changeOtherDriverNode(node, params);
  graphprof_seam_graphUsing(params->graph.graph);
  changed = *params;
  changed.graph.graph = graphprof_seam_childSetting(NULL, node, params->graph.graph);
  result = cuGraphNodeSetParams(node, &changed);
  graphprof_seam_childSetInGraph(node, params->graph.graph, !result);
  return result;
}
GRAPHPROF_C_NODE_EDIT(cuGraphKernelNodeSetParams,
                      (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params), params)
GRAPHPROF_C_NODE_EDIT(cuGraphKernelNodeSetAttribute,
                      (CUgraphNode node, CUkernelNodeAttrID attribute,
                       const CUkernelNodeAttrValue *value),
                      attribute, value)
GRAPHPROF_C_NODE_EDIT(cuGraphKernelNodeCopyAttributes, (CUgraphNode node, CUgraphNode source),
                      source)
GRAPHPROF_C_NODE_EDIT(cuGraphBatchMemOpNodeSetParams,
                      (CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params), params)
GRAPHPROF_C_NODE_EDIT(cuGraphExternalSemaphoresSignalNodeSetParams,
                      (CUgraphNode node, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params), params)
GRAPHPROF_C_NODE_EDIT(cuGraphExternalSemaphoresWaitNodeSetParams,
                      (CUgraphNode node, const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params), params)
GRAPHPROF_C_NODE_EDIT(cuGraphMemcpyNodeSetParams, (CUgraphNode node, const CUDA_MEMCPY3D *params),
                      params)
GRAPHPROF_C_NODE_EDIT(cuGraphMemsetNodeSetParams,
                      (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params), params)
GRAPHPROF_C_NODE_EDIT(cuGraphHostNodeSetParams,
                      (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params), params)
GRAPHPROF_C_NODE_EDIT(cuGraphEventRecordNodeSetEvent, (CUgraphNode node, CUevent event), event)
GRAPHPROF_C_NODE_EDIT(cuGraphEventWaitNodeSetEvent, (CUgraphNode node, CUevent event), event)
#undef GRAPHPROF_C_NODE_EDIT
#undef GRAPHPROF_C_NODE_EDIT_AS

static inline CUresult graphprof_cuGraphDestroyNode(CUgraphNode node) {
  graphprof_seam_nodeDestroying(node);
  const CUresult result = cuGraphDestroyNode(node);
  if (!result)
    graphprof_seam_nodeEdited(node);
  return result;
}

#undef GRAPHPROF_C_RESULT

#endif // GRAPHPROF_DETAIL_C_DRIVER_H

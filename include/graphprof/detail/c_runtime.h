// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The runtime API's part of graphprof/c.h.

#ifndef GRAPHPROF_DETAIL_C_RUNTIME_H
#define GRAPHPROF_DETAIL_C_RUNTIME_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "graphprof/detail/c_forms.h"
#include "graphprof/detail/c_seam.h"

#define GRAPHPROF_C_RESULT cudaError_t

// Capture

static inline cudaError_t graphprof_cudaStreamBeginCapture(cudaStream_t stream,
                                                           enum cudaStreamCaptureMode mode) {
  const cudaError_t result = cudaStreamBeginCapture(stream, mode);
  if (!result)
    graphprof_seam_captureBegan(GRAPHPROF_C_STREAM(stream), 0);
  return result;
}

#if CUDART_VERSION >= 12030
static inline cudaError_t graphprof_cudaStreamBeginCaptureToGraph(
    cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
    const cudaGraphEdgeData *edgeData, size_t count, enum cudaStreamCaptureMode mode) {
  const cudaError_t result =
      cudaStreamBeginCaptureToGraph(stream, graph, dependencies, edgeData, count, mode);
  if (!result)
    graphprof_seam_captureBegan(GRAPHPROF_C_STREAM(stream), 1);
  return result;
}
#endif

static inline cudaError_t graphprof_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  graphprof_seam_captureEnding(GRAPHPROF_C_STREAM(stream));
  const cudaError_t result = cudaStreamEndCapture(stream, graph);
  graphprof_seam_captureEnded(GRAPHPROF_C_STREAM(stream), !result,
                              !result && graph ? *graph : NULL);
  return result;
}

static inline cudaError_t graphprof_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                        unsigned int flags) {
  graphprof_seam_waiting(GRAPHPROF_C_STREAM(stream));
  const cudaError_t result = cudaStreamWaitEvent(stream, event, flags);
  if (!result)
    graphprof_seam_waited(GRAPHPROF_C_STREAM(stream));
  return result;
}

// Execs

static inline cudaError_t graphprof_cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                         unsigned long long flags) {
  graphprof_seam_instantiating(graph, flags);
  const cudaError_t result = cudaGraphInstantiate(exec, graph, flags);
  graphprof_seam_instantiated(result ? NULL : *exec, graph, flags);
  return result;
}

static inline cudaError_t graphprof_cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                                                  cudaGraph_t graph,
                                                                  unsigned long long flags) {
  graphprof_seam_instantiating(graph, flags);
  const cudaError_t result = cudaGraphInstantiateWithFlags(exec, graph, flags);
  graphprof_seam_instantiated(result ? NULL : *exec, graph, flags);
  return result;
}

static inline cudaError_t
graphprof_cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                         cudaGraphInstantiateParams *params) {
  graphprof_seam_instantiating(graph, params ? params->flags : 0);
  const cudaError_t result = cudaGraphInstantiateWithParams(exec, graph, params);
  graphprof_seam_instantiated(result ? NULL : *exec, graph, params ? params->flags : 0);
  return result;
}

static inline cudaError_t graphprof_cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  cudaError_t result;
  const enum graphprof_seam_launch launch = graphprof_seam_launch(exec, GRAPHPROF_C_STREAM(stream));
  if (launch == graphprof_seam_done)
    return cudaSuccess;
  result = cudaGraphLaunch(exec, stream);
  if (launch == graphprof_seam_plainThenMark && !result)
    graphprof_seam_launchedPlain(exec, GRAPHPROF_C_STREAM(stream));
  return result;
}

static inline cudaError_t graphprof_cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  const cudaError_t result = cudaGraphUpload(exec, stream);
  if (!result)
    graphprof_seam_uploaded(exec, GRAPHPROF_C_STREAM(stream));
  return result;
}

static inline cudaError_t graphprof_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                        cudaGraphExecUpdateResultInfo *info) {
  graphprof_seam_updating(exec, graph);
  const cudaError_t result = cudaGraphExecUpdate(exec, graph, info);
  graphprof_seam_updated(exec, graph, !result);
  return result;
}

// Told before: the handle may be given out again as soon as it is free.
static inline cudaError_t graphprof_cudaGraphExecDestroy(cudaGraphExec_t exec) {
  graphprof_seam_execDestroying(exec);
  return cudaGraphExecDestroy(exec);
}

// Told before: what was launched is over, but its times may not have been fetched.
static inline cudaError_t graphprof_cudaDeviceReset(void) {
  graphprof_seam_deviceResetting();
  return cudaDeviceReset();
}

// Changes of one node of an exec, repeated on its twin while no error of the program's is pending

static inline const char *graphprof_nameOfKernel(const void *function) {
  const char *name = NULL;
#if CUDART_VERSION >= 12030
  if (cudaFuncGetName(&name, function))
    (void)cudaGetLastError();
#else
  (void)function;
#endif
  return name;
}

// Whether a child node is given a copy of a graph: one that moves into the node has none.
static inline int graphprof_givesCopy(const struct cudaGraphNodeParams *params) {
  if (!params || params->type != cudaGraphNodeTypeGraph)
    return 0;
#if CUDART_VERSION >= 13000
  return params->graph.ownership == cudaGraphChildGraphOwnershipClone;
#else
  return 1;
#endif
}

#define GRAPHPROF_C_MIRRORED_AS(redirected, name, parameters, kernel, ...)                         \
  static inline cudaError_t redirected parameters {                                                \
    cudaGraphExec_t otherExec;                                                                     \
    cudaGraphNode_t otherNode;                                                                     \
    int how;                                                                                       \
    const cudaError_t result = name(exec, node, __VA_ARGS__);                                      \
    if (result || !(how = graphprof_seam_twin(exec, node, &otherExec, &otherNode)))                \
      return result;                                                                               \
    if (cudaPeekAtLastError()) {                                                                   \
      graphprof_seam_notMirrored(exec);                                                            \
    } else if (name(otherExec, otherNode, __VA_ARGS__)) {                                          \
      (void)cudaGetLastError();                                                                    \
      graphprof_seam_notMirrored(exec);                                                            \
    } else if (how == 2) {                                                                         \
      graphprof_seam_execNodeChanged(exec, node, kernel);                                          \
    }                                                                                              \
    return result;                                                                                 \
  }
#define GRAPHPROF_C_MIRRORED_KERNEL(name, parameters, kernel, ...)                                 \
  GRAPHPROF_C_MIRRORED_AS(graphprof_##name, name, parameters, kernel, __VA_ARGS__)
#define GRAPHPROF_C_MIRRORED(name, parameters, ...)                                                \
  GRAPHPROF_C_MIRRORED_KERNEL(name, parameters, NULL, __VA_ARGS__)
GRAPHPROF_C_MIRRORED_KERNEL(cudaGraphExecKernelNodeSetParams,
                            (cudaGraphExec_t exec, cudaGraphNode_t node,
                             const struct cudaKernelNodeParams *params),
                            graphprof_nameOfKernel(params->func), params)
GRAPHPROF_C_MIRRORED(cudaGraphExecMemcpyNodeSetParams,
                     (cudaGraphExec_t exec, cudaGraphNode_t node,
                      const struct cudaMemcpy3DParms *params),
                     params)
GRAPHPROF_C_MIRRORED(cudaGraphExecMemcpyNodeSetParams1D,
                     (cudaGraphExec_t exec, cudaGraphNode_t node, void *target, const void *source,
                      size_t bytes, enum cudaMemcpyKind kind),
                     target, source, bytes, kind)
GRAPHPROF_C_MIRRORED(cudaGraphExecMemcpyNodeSetParamsToSymbol,
                     (cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                      const void *source, size_t bytes, size_t offset, enum cudaMemcpyKind kind),
                     symbol, source, bytes, offset, kind)
GRAPHPROF_C_MIRRORED(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
                     (cudaGraphExec_t exec, cudaGraphNode_t node, void *target, const void *symbol,
                      size_t bytes, size_t offset, enum cudaMemcpyKind kind),
                     target, symbol, bytes, offset, kind)
GRAPHPROF_C_MIRRORED(cudaGraphExecMemsetNodeSetParams,
                     (cudaGraphExec_t exec, cudaGraphNode_t node,
                      const struct cudaMemsetParams *params),
                     params)
GRAPHPROF_C_MIRRORED(cudaGraphExecHostNodeSetParams,
                     (cudaGraphExec_t exec, cudaGraphNode_t node,
                      const struct cudaHostNodeParams *params),
                     params)
static inline const char *graphprof_nameIn(const struct cudaGraphNodeParams *params) {
  return params->type == cudaGraphNodeTypeKernel ? graphprof_nameOfKernel(params->kernel.func)
                                                 : NULL;
}
GRAPHPROF_C_MIRRORED_AS(graphprof_otherNodeSetParams, cudaGraphExecNodeSetParams,
                        (cudaGraphExec_t exec, cudaGraphNode_t node,
                         struct cudaGraphNodeParams *params),
                        graphprof_nameIn(params), params)
GRAPHPROF_C_MIRRORED(cudaGraphExecEventRecordNodeSetEvent,
                     (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event), event)
GRAPHPROF_C_MIRRORED(cudaGraphExecEventWaitNodeSetEvent,
                     (cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event), event)
GRAPHPROF_C_MIRRORED(cudaGraphExecExternalSemaphoresSignalNodeSetParams,
                     (cudaGraphExec_t exec, cudaGraphNode_t node,
                      const struct cudaExternalSemaphoreSignalNodeParams *params),
                     params)
GRAPHPROF_C_MIRRORED(cudaGraphExecExternalSemaphoresWaitNodeSetParams,
                     (cudaGraphExec_t exec, cudaGraphNode_t node,
                      const struct cudaExternalSemaphoreWaitNodeParams *params),
                     params)
GRAPHPROF_C_MIRRORED(cudaGraphNodeSetEnabled,
                     (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled),
                     (graphprof_seam_nodeSwitching(exec), enabled))
#undef GRAPHPROF_C_MIRRORED
#undef GRAPHPROF_C_MIRRORED_KERNEL
#undef GRAPHPROF_C_MIRRORED_AS

static inline cudaError_t graphprof_cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec,
                                                                         cudaGraphNode_t node,
                                                                         cudaGraph_t child) {
  graphprof_seam_graphUsing(child);
  const cudaError_t result = cudaGraphExecChildGraphNodeSetParams(
      exec, node, graphprof_seam_childSetting(exec, node, child));
  graphprof_seam_childSet(exec, node, child, !result);
  return result;
}

static inline cudaError_t graphprof_cudaGraphExecNodeSetParams(cudaGraphExec_t exec,
                                                               cudaGraphNode_t node,
                                                               struct cudaGraphNodeParams *params) {
  cudaError_t result;
  struct cudaGraphNodeParams changed;
  if (!graphprof_givesCopy(params))
    return graphprof_otherNodeSetParams(exec, node, params);
  graphprof_seam_graphUsing(params->graph.graph);
  changed = *params;
  changed.graph.graph = graphprof_seam_childSetting(exec, node, params->graph.graph);
  result = cudaGraphExecNodeSetParams(exec, node, &changed);
  graphprof_seam_childSet(exec, node, params->graph.graph, !result);
  return result;
}

// Graphs

static inline cudaError_t graphprof_cudaGraphDestroy(cudaGraph_t graph) {
  graphprof_seam_graphDestroying(graph);
  return cudaGraphDestroy(graph);
}

static inline cudaError_t graphprof_cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  graphprof_seam_graphUsing(graph);
  const cudaError_t result = cudaGraphClone(clone, graph);
  if (!result)
    graphprof_seam_graphCloned(*clone, graph);
  return result;
}

// Edits of a graph

static inline cudaError_t graphprof_cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  const cudaError_t result = cudaGraphCreate(graph, flags);
  if (!result)
    graphprof_seam_graphCreated(*graph);
  return result;
}

// By what cudaGraphAddNode is given.
#define GRAPHPROF_C_BEFORE                                                                         \
  const size_t bytes = params && params->type == cudaGraphNodeTypeMemFree                          \
                           ? graphprof_seam_freeing(params->free.dptr)                             \
                           : 0;                                                                    \
  if (params && params->type == cudaGraphNodeTypeGraph)                                            \
  graphprof_seam_graphUsing(params->graph.graph)
#define GRAPHPROF_C_ALSO                                                                           \
  if (params->type == cudaGraphNodeTypeConditional)                                                \
    graphprof_seam_bodiesAdded(graph, *node, params->conditional.phGraph_out,                      \
                               params->conditional.size);                                          \
  else if (params->type == cudaGraphNodeTypeGraph)                                                 \
    graphprof_seam_childAdded(graph, *node, params->graph.graph);                                  \
  else if (params->type == cudaGraphNodeTypeMemAlloc)                                              \
  GRAPHPROF_C_ALLOCATED(params->alloc)
#define GRAPHPROF_C_AFTER                                                                          \
  if (bytes > 0)                                                                                   \
  graphprof_seam_freed(params->free.dptr, bytes, !result)
// What a node that allocates was given.
#define GRAPHPROF_C_ALLOCATED(asked)                                                               \
  graphprof_seam_allocatedOn((asked).poolProps.location.type == cudaMemLocationTypeDevice          \
                                 ? (asked).poolProps.location.id                                   \
                                 : -1,                                                             \
                             (asked).dptr, (asked).bytesize, graphprof_seam_memoryGraph)
GRAPHPROF_C_ADD(cudaGraphAddKernelNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const struct cudaKernelNodeParams *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cudaGraphAddMemcpyNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const struct cudaMemcpy3DParms *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cudaGraphAddMemcpyNode1D,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, void *target, const void *source, size_t bytes,
                 enum cudaMemcpyKind kind),
                (node, graph, dependencies, count, target, source, bytes, kind))
GRAPHPROF_C_ADD(cudaGraphAddMemcpyNodeToSymbol,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const void *symbol, const void *source, size_t bytes, size_t offset,
                 enum cudaMemcpyKind kind),
                (node, graph, dependencies, count, symbol, source, bytes, offset, kind))
GRAPHPROF_C_ADD(cudaGraphAddMemcpyNodeFromSymbol,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, void *target, const void *symbol, size_t bytes, size_t offset,
                 enum cudaMemcpyKind kind),
                (node, graph, dependencies, count, target, symbol, bytes, offset, kind))
GRAPHPROF_C_ADD(cudaGraphAddMemsetNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const struct cudaMemsetParams *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cudaGraphAddHostNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const struct cudaHostNodeParams *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD_WITH(cudaGraphAddChildGraphNode,
                     (cudaGraphNode_t * node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependencies, size_t count, cudaGraph_t child),
                     (node, graph, dependencies, count, child), graphprof_seam_graphUsing(child),
                     graphprof_seam_childAdded(graph, *node, child), (void)0)
GRAPHPROF_C_ADD(cudaGraphAddEmptyNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count),
                (node, graph, dependencies, count))
GRAPHPROF_C_ADD(cudaGraphAddEventRecordNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, cudaEvent_t event),
                (node, graph, dependencies, count, event))
GRAPHPROF_C_ADD(cudaGraphAddEventWaitNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, cudaEvent_t event),
                (node, graph, dependencies, count, event))
GRAPHPROF_C_ADD(cudaGraphAddExternalSemaphoresSignalNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const struct cudaExternalSemaphoreSignalNodeParams *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD(cudaGraphAddExternalSemaphoresWaitNode,
                (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                 size_t count, const struct cudaExternalSemaphoreWaitNodeParams *params),
                (node, graph, dependencies, count, params))
GRAPHPROF_C_ADD_WITH(cudaGraphAddMemAllocNode,
                     (cudaGraphNode_t * node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependencies, size_t count,
                      struct cudaMemAllocNodeParams *params),
                     (node, graph, dependencies, count, params), (void)0,
                     GRAPHPROF_C_ALLOCATED(*params), (void)0)
GRAPHPROF_C_ADD_WITH(cudaGraphAddMemFreeNode,
                     (cudaGraphNode_t * node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependencies, size_t count, void *memory),
                     (node, graph, dependencies, count, memory),
                     const size_t bytes = graphprof_seam_freeing(memory), (void)0,
                     if (bytes > 0) graphprof_seam_freed(memory, bytes, !result))
// Those with edge data have another name in CUDA 12.
#define GRAPHPROF_C_WITH_EDGES(v2)                                                                 \
  GRAPHPROF_C_ADD_WITH(cudaGraphAddNode##v2,                                                       \
                       (cudaGraphNode_t * node, cudaGraph_t graph,                                 \
                        const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edgeData,    \
                        size_t count, struct cudaGraphNodeParams *params),                         \
                       (node, graph, dependencies, edgeData, count, params), GRAPHPROF_C_BEFORE,   \
                       GRAPHPROF_C_ALSO, GRAPHPROF_C_AFTER)                                        \
  GRAPHPROF_C_EDIT(cudaGraphAddDependencies##v2,                                                   \
                   (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,     \
                    const cudaGraphEdgeData *edgeData, size_t count),                              \
                   (graph, from, to, edgeData, count))                                             \
  GRAPHPROF_C_EDIT(cudaGraphRemoveDependencies##v2,                                                \
                   (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,     \
                    const cudaGraphEdgeData *edgeData, size_t count),                              \
                   (graph, from, to, edgeData, count))
#if CUDART_VERSION >= 13000
GRAPHPROF_C_WITH_EDGES()
#else
GRAPHPROF_C_ADD_WITH(cudaGraphAddNode,
                     (cudaGraphNode_t * node, cudaGraph_t graph,
                      const cudaGraphNode_t *dependencies, size_t count,
                      struct cudaGraphNodeParams *params),
                     (node, graph, dependencies, count, params), GRAPHPROF_C_BEFORE,
                     GRAPHPROF_C_ALSO, GRAPHPROF_C_AFTER)
GRAPHPROF_C_EDIT(cudaGraphAddDependencies,
                 (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                  size_t count),
                 (graph, from, to, count))
GRAPHPROF_C_EDIT(cudaGraphRemoveDependencies,
                 (cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                  size_t count),
                 (graph, from, to, count))
GRAPHPROF_C_WITH_EDGES(_v2)
#endif
#undef GRAPHPROF_C_WITH_EDGES
#undef GRAPHPROF_C_ALLOCATED
#undef GRAPHPROF_C_AFTER
#undef GRAPHPROF_C_ALSO
#undef GRAPHPROF_C_BEFORE

// Changes of one node of a graph, repeated on its twin while no error of the program's is pending

#define GRAPHPROF_C_NODE_EDIT_AS(redirected, name, parameters, ...)                                \
  static inline cudaError_t redirected parameters {                                                \
    cudaGraphNode_t other;                                                                         \
    const cudaError_t result = name(node, __VA_ARGS__);                                            \
    if (result || !(other = graphprof_seam_nodeTwin(node)))                                        \
      return result;                                                                               \
    if (cudaPeekAtLastError()) {                                                                   \
      graphprof_seam_nodeEdited(node);                                                             \
    } else if (name(other, __VA_ARGS__)) {                                                         \
      (void)cudaGetLastError();                                                                    \
      graphprof_seam_nodeEdited(node);                                                             \
    } else {                                                                                       \
      graphprof_seam_nodeChanged(node);                                                            \
    }                                                                                              \
    return result;                                                                                 \
  }
#define GRAPHPROF_C_NODE_EDIT(name, parameters, ...)                                               \
  GRAPHPROF_C_NODE_EDIT_AS(graphprof_##name, name, parameters, __VA_ARGS__)
GRAPHPROF_C_NODE_EDIT_AS(graphprof_changeOtherNode, cudaGraphNodeSetParams,
                         (cudaGraphNode_t node, struct cudaGraphNodeParams *params), params)
static inline cudaError_t graphprof_cudaGraphNodeSetParams(cudaGraphNode_t node,
                                                           struct cudaGraphNodeParams *params) {
  cudaError_t result;
  struct cudaGraphNodeParams changed;
  if (!graphprof_givesCopy(params))
    return graphprof_changeOtherNode(node, params);
  graphprof_seam_graphUsing(params->graph.graph);
  changed = *params;
  changed.graph.graph = graphprof_seam_childSetting(NULL, node, params->graph.graph);
  result = cudaGraphNodeSetParams(node, &changed);
  graphprof_seam_childSetInGraph(node, params->graph.graph, !result);
  return result;
}
GRAPHPROF_C_NODE_EDIT(cudaGraphKernelNodeSetParams,
                      (cudaGraphNode_t node, const struct cudaKernelNodeParams *params), params)
GRAPHPROF_C_NODE_EDIT(cudaGraphKernelNodeSetAttribute,
                      (cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                       const cudaKernelNodeAttrValue *value),
                      attribute, value)
GRAPHPROF_C_NODE_EDIT(cudaGraphKernelNodeCopyAttributes,
                      (cudaGraphNode_t node, cudaGraphNode_t source), source)
GRAPHPROF_C_NODE_EDIT(cudaGraphExternalSemaphoresSignalNodeSetParams,
                      (cudaGraphNode_t node,
                       const struct cudaExternalSemaphoreSignalNodeParams *params),
                      params)
GRAPHPROF_C_NODE_EDIT(cudaGraphExternalSemaphoresWaitNodeSetParams,
                      (cudaGraphNode_t node,
                       const struct cudaExternalSemaphoreWaitNodeParams *params),
                      params)
GRAPHPROF_C_NODE_EDIT(cudaGraphMemcpyNodeSetParams,
                      (cudaGraphNode_t node, const struct cudaMemcpy3DParms *params), params)
GRAPHPROF_C_NODE_EDIT(cudaGraphMemcpyNodeSetParams1D,
                      (cudaGraphNode_t node, void *target, const void *source, size_t bytes,
                       enum cudaMemcpyKind kind),
                      target, source, bytes, kind)
GRAPHPROF_C_NODE_EDIT(cudaGraphMemcpyNodeSetParamsToSymbol,
                      (cudaGraphNode_t node, const void *symbol, const void *source, size_t bytes,
                       size_t offset, enum cudaMemcpyKind kind),
                      symbol, source, bytes, offset, kind)
GRAPHPROF_C_NODE_EDIT(cudaGraphMemcpyNodeSetParamsFromSymbol,
                      (cudaGraphNode_t node, void *target, const void *symbol, size_t bytes,
                       size_t offset, enum cudaMemcpyKind kind),
                      target, symbol, bytes, offset, kind)
GRAPHPROF_C_NODE_EDIT(cudaGraphMemsetNodeSetParams,
                      (cudaGraphNode_t node, const struct cudaMemsetParams *params), params)
GRAPHPROF_C_NODE_EDIT(cudaGraphHostNodeSetParams,
                      (cudaGraphNode_t node, const struct cudaHostNodeParams *params), params)
GRAPHPROF_C_NODE_EDIT(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
                      event)
GRAPHPROF_C_NODE_EDIT(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
                      event)
#undef GRAPHPROF_C_NODE_EDIT
#undef GRAPHPROF_C_NODE_EDIT_AS

static inline cudaError_t graphprof_cudaGraphDestroyNode(cudaGraphNode_t node) {
  graphprof_seam_nodeDestroying(node);
  const cudaError_t result = cudaGraphDestroyNode(node);
  if (!result)
    graphprof_seam_nodeEdited(node);
  return result;
}

#undef GRAPHPROF_C_RESULT

#endif // GRAPHPROF_DETAIL_C_RUNTIME_H

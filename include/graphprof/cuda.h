// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected CUDA calls: graphprof::cuda::cudaX does what ::cudaX does, returns what it
// returns, and tells libgraphprof. They are inline, around the translation unit's own runtime API,
// so that a program keeps its cudart (static, shared, per-thread default stream).
// graphprof-instrument includes this file in every unit that it changes.
//
// A call of the program's is made exactly once, with the program's own arguments, and first where
// the order is free: where it fails, nothing of ours happens.

#ifndef GRAPHPROF_CUDA_H
#define GRAPHPROF_CUDA_H

#include <cuda_runtime_api.h>
#if defined(__CUDACC__) || defined(__CUDA__)
#include <cuda_runtime.h> // the C++ overloads
#endif

#include "graphprof/copies.h"
#include "graphprof/detail/cuda_forward.h"
#include "graphprof/detail/graph_calls.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"

namespace graphprof {

namespace detail {
/// The runtime API keeps its last error: that of a call of ours can be cleared without hiding one
/// of the program's only while none is pending.
struct RuntimeErrors {
  static bool pending() { return ::cudaPeekAtLastError() != cudaSuccess; }
  static void clear() { (void)::cudaGetLastError(); }

  /// The symbol of the kernel in a node's parameters, while no error is pending; null where there
  /// is none.
  template <class... Other> static const char *kernelIn(Other...) { return nullptr; }
  static const char *kernelIn(const cudaKernelNodeParams *params) { return nameOf(params->func); }
  static const char *kernelIn(cudaGraphNodeParams *params) {
    return params->type == cudaGraphNodeTypeKernel ? nameOf(params->kernel.func) : nullptr;
  }

private:
  static const char *nameOf(const void *function) {
    const char *name = nullptr;
    if (::cudaFuncGetName(&name, function) == cudaSuccess)
      return name;
    clear();
    return nullptr;
  }
};
} // namespace detail

namespace cuda {

// Capture

inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const cudaError_t error = ::cudaStreamBeginCapture(stream, mode);
  if (error == cudaSuccess && active())
    detail::captureBegan(detail::driverStream(stream), detail::CaptureInto::NewGraph);
  return error;
}

// From CUDA 12.3 on; its signature is taken from the toolkit at hand.
inline constexpr auto &cudaStreamBeginCaptureToGraph =
    detail::Capturing<detail::CaptureInto::ExistingGraph, &::cudaStreamBeginCaptureToGraph>::call;

inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  detail::captureEnding(detail::driverStream(stream));
  const cudaError_t error = ::cudaStreamEndCapture(stream, graph);
  if (active())
    detail::captureEnded(detail::driverStream(stream), error == cudaSuccess,
                         error == cudaSuccess && graph ? *graph : nullptr);
  return error;
}

/// Tells which streams take part in a capture, and so which region a node is in.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                       unsigned int flags = 0) {
  return detail::Waiting<&::cudaStreamWaitEvent>::call(stream, event, flags);
}

// Execs

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
  return detail::instantiating(exec, graph, flags,
                               [&] { return ::cudaGraphInstantiate(exec, graph, flags); });
}

// cuda_runtime.h gives this one to every C++ compiler. Like there, the log stays as it is.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                        cudaGraphNode_t * /*errorNode*/, char * /*log*/,
                                        size_t /*logSize*/) {
  return detail::instantiating(exec, graph, 0,
                               [&] { return ::cudaGraphInstantiate(exec, graph, 0); });
}

inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                 unsigned long long flags = 0) {
  return detail::instantiating(exec, graph, flags,
                               [&] { return ::cudaGraphInstantiateWithFlags(exec, graph, flags); });
}

inline cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                  cudaGraphInstantiateParams *params) {
  return detail::instantiating(exec, graph, detail::instantiateFlags(params), [&] {
    return ::cudaGraphInstantiateWithParams(exec, graph, params);
  });
}

inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  const detail::Launch launch =
      active() ? detail::launch(exec, detail::driverStream(stream)) : detail::Launch::Plain;
  if (launch == detail::Launch::Done)
    return cudaSuccess;
  const cudaError_t error = ::cudaGraphLaunch(exec, stream);
  if (launch == detail::Launch::PlainThenMark && error == cudaSuccess)
    detail::launchedPlain(exec, detail::driverStream(stream));
  return error;
}

inline cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  const cudaError_t error = ::cudaGraphUpload(exec, stream);
  if (error == cudaSuccess && active())
    detail::uploaded(exec, detail::driverStream(stream));
  return error;
}

inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo *result) {
  detail::updating(exec, graph);
  const cudaError_t error = ::cudaGraphExecUpdate(exec, graph, result);
  if (active())
    detail::updated(exec, graph, error == cudaSuccess);
  return error;
}

#if defined(__CUDACC__) || defined(__CUDA__)
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t *errorNode,
                                       cudaGraphExecUpdateResult *result) {
  detail::updating(exec, graph);
  const cudaError_t error = ::cudaGraphExecUpdate(exec, graph, errorNode, result);
  if (active())
    detail::updated(exec, graph, error == cudaSuccess);
  return error;
}
#endif

inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  detail::execDestroying(exec); // before: the handle may be given out again as soon as it is free
  return ::cudaGraphExecDestroy(exec);
}

// Before: what was launched is over, but its times may not have been fetched.
inline cudaError_t cudaDeviceReset() {
  detail::deviceResetting();
  return ::cudaDeviceReset();
}

// Changes of one node of an exec, repeated on its twin

inline constexpr auto &cudaGraphExecKernelNodeSetParams =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecKernelNodeSetParams>::call;
inline constexpr auto &cudaGraphExecMemcpyNodeSetParams =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecMemcpyNodeSetParams>::call;
inline constexpr auto &cudaGraphExecMemcpyNodeSetParams1D =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecMemcpyNodeSetParams1D>::call;
inline constexpr auto &cudaGraphExecMemsetNodeSetParams =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecMemsetNodeSetParams>::call;
inline constexpr auto &cudaGraphExecHostNodeSetParams =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecHostNodeSetParams>::call;
inline constexpr auto &cudaGraphExecChildGraphNodeSetParams =
    detail::SettingChild<&::cudaGraphExecChildGraphNodeSetParams>::call;
inline constexpr auto &cudaGraphExecNodeSetParams =
    detail::SettingNode<detail::RuntimeErrors, &::cudaGraphExecNodeSetParams>::call;
inline constexpr auto &cudaGraphExecEventRecordNodeSetEvent =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecEventRecordNodeSetEvent>::call;
inline constexpr auto &cudaGraphExecEventWaitNodeSetEvent =
    detail::Mirrored<detail::RuntimeErrors, &::cudaGraphExecEventWaitNodeSetEvent>::call;
inline constexpr auto &cudaGraphExecExternalSemaphoresSignalNodeSetParams =
    detail::Mirrored<detail::RuntimeErrors,
                     &::cudaGraphExecExternalSemaphoresSignalNodeSetParams>::call;
inline constexpr auto &cudaGraphExecExternalSemaphoresWaitNodeSetParams =
    detail::Mirrored<detail::RuntimeErrors,
                     &::cudaGraphExecExternalSemaphoresWaitNodeSetParams>::call;
inline constexpr auto &cudaGraphNodeSetEnabled =
    detail::Switching<detail::RuntimeErrors, &::cudaGraphNodeSetEnabled>::call;

template <class Symbol>
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const Symbol &symbol, const void *source,
                                                     size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
  return detail::mirrored<detail::RuntimeErrors>(
      exec, node, [&](cudaGraphExec_t e, cudaGraphNode_t n) {
        return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(e, n, symbol, source, count, offset,
                                                          kind);
      });
}
template <class Symbol>
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                       void *target, const Symbol &symbol,
                                                       size_t count, size_t offset,
                                                       cudaMemcpyKind kind) {
  return detail::mirrored<detail::RuntimeErrors>(
      exec, node, [&](cudaGraphExec_t e, cudaGraphNode_t n) {
        return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, n, target, symbol, count, offset,
                                                            kind);
      });
}

// Graphs

inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  detail::graphDestroying(graph); // before: the handle may be given out again as soon as it is free
  return ::cudaGraphDestroy(graph);
}

inline cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  detail::graphUsing(graph);
  const cudaError_t error = ::cudaGraphClone(clone, graph);
  if (error == cudaSuccess && active())
    detail::graphCloned(*clone, graph);
  return error;
}

// Edits of a graph

inline constexpr auto &cudaGraphCreate = detail::Creating<&::cudaGraphCreate>::call;
inline constexpr auto &cudaGraphAddKernelNode = detail::Editing<&::cudaGraphAddKernelNode>::call;
inline constexpr auto &cudaGraphAddMemcpyNode = detail::Editing<&::cudaGraphAddMemcpyNode>::call;
inline constexpr auto &cudaGraphAddMemcpyNode1D =
    detail::Editing<&::cudaGraphAddMemcpyNode1D>::call;
inline constexpr auto &cudaGraphAddMemsetNode = detail::Editing<&::cudaGraphAddMemsetNode>::call;
inline constexpr auto &cudaGraphAddHostNode = detail::Editing<&::cudaGraphAddHostNode>::call;
inline constexpr auto &cudaGraphAddChildGraphNode =
    detail::Editing<&::cudaGraphAddChildGraphNode>::call;
inline constexpr auto &cudaGraphAddEmptyNode = detail::Editing<&::cudaGraphAddEmptyNode>::call;
inline constexpr auto &cudaGraphAddEventRecordNode =
    detail::Editing<&::cudaGraphAddEventRecordNode>::call;
inline constexpr auto &cudaGraphAddEventWaitNode =
    detail::Editing<&::cudaGraphAddEventWaitNode>::call;
inline constexpr auto &cudaGraphAddExternalSemaphoresSignalNode =
    detail::Editing<&::cudaGraphAddExternalSemaphoresSignalNode>::call;
inline constexpr auto &cudaGraphAddExternalSemaphoresWaitNode =
    detail::Editing<&::cudaGraphAddExternalSemaphoresWaitNode>::call;
inline constexpr auto &cudaGraphAddMemAllocNode =
    detail::Editing<&::cudaGraphAddMemAllocNode>::call;
inline constexpr auto &cudaGraphAddMemFreeNode =
    detail::AddingFree<&::cudaGraphAddMemFreeNode>::call;
inline constexpr auto &cudaGraphDestroyNode = detail::DestroyingNode<&::cudaGraphDestroyNode>::call;
inline constexpr auto &cudaGraphNodeSetParams =
    detail::ChangingNode<detail::RuntimeErrors, &::cudaGraphNodeSetParams>::call;
inline constexpr auto &cudaGraphKernelNodeSetParams =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphKernelNodeSetParams>::call;
inline constexpr auto &cudaGraphKernelNodeSetAttribute =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphKernelNodeSetAttribute>::call;
inline constexpr auto &cudaGraphKernelNodeCopyAttributes =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphKernelNodeCopyAttributes>::call;
inline constexpr auto &cudaGraphExternalSemaphoresSignalNodeSetParams =
    detail::Repeated<detail::RuntimeErrors,
                     &::cudaGraphExternalSemaphoresSignalNodeSetParams>::call;
inline constexpr auto &cudaGraphExternalSemaphoresWaitNodeSetParams =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphExternalSemaphoresWaitNodeSetParams>::call;
inline constexpr auto &cudaGraphMemcpyNodeSetParams =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphMemcpyNodeSetParams>::call;
inline constexpr auto &cudaGraphMemcpyNodeSetParams1D =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphMemcpyNodeSetParams1D>::call;
inline constexpr auto &cudaGraphMemsetNodeSetParams =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphMemsetNodeSetParams>::call;
inline constexpr auto &cudaGraphHostNodeSetParams =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphHostNodeSetParams>::call;
inline constexpr auto &cudaGraphEventRecordNodeSetEvent =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphEventRecordNodeSetEvent>::call;
inline constexpr auto &cudaGraphEventWaitNodeSetEvent =
    detail::Repeated<detail::RuntimeErrors, &::cudaGraphEventWaitNodeSetEvent>::call;

// Until CUDA 13 these had edge data only under a name of their own, which the tool shortens: both
// forms, by their arguments.
#if CUDART_VERSION >= 13000
inline constexpr auto &cudaGraphAddNode = detail::Editing<&::cudaGraphAddNode>::call;
inline constexpr auto &cudaGraphAddDependencies =
    detail::Editing<&::cudaGraphAddDependencies>::call;
inline constexpr auto &cudaGraphRemoveDependencies =
    detail::Editing<&::cudaGraphRemoveDependencies>::call;
#else
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies, size_t count,
                                    cudaGraphNodeParams *params) {
  return detail::addingNode(node, graph, params, [&] {
    return ::cudaGraphAddNode(node, graph, dependencies, count, params);
  });
}
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies,
                                    const cudaGraphEdgeData *edgeData, size_t count,
                                    cudaGraphNodeParams *params) {
  return detail::addingNode(node, graph, params, [&] {
    return ::cudaGraphAddNode_v2(node, graph, dependencies, edgeData, count, params);
  });
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to, size_t count) {
  return detail::edited(graph, ::cudaGraphAddDependencies(graph, from, to, count));
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *edgeData, size_t count) {
  return detail::edited(graph, ::cudaGraphAddDependencies_v2(graph, from, to, edgeData, count));
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to, size_t count) {
  return detail::edited(graph, ::cudaGraphRemoveDependencies(graph, from, to, count));
}
inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *edgeData, size_t count) {
  return detail::edited(graph, ::cudaGraphRemoveDependencies_v2(graph, from, to, edgeData, count));
}
#endif

template <class Symbol>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           size_t dependencyCount, const Symbol &symbol,
                                           const void *source, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return detail::added(node, graph,
                       ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, dependencyCount,
                                                        symbol, source, count, offset, kind));
}
template <class Symbol>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies,
                                             size_t dependencyCount, void *target,
                                             const Symbol &symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
  return detail::added(node, graph,
                       ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies,
                                                          dependencyCount, target, symbol, count,
                                                          offset, kind));
}
template <class Symbol>
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const Symbol &symbol,
                                                 const void *source, size_t count, size_t offset,
                                                 cudaMemcpyKind kind) {
  return detail::repeated<detail::RuntimeErrors>(node, [&](cudaGraphNode_t n) {
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(n, symbol, source, count, offset, kind);
  });
}
template <class Symbol>
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *target,
                                                   const Symbol &symbol, size_t count,
                                                   size_t offset, cudaMemcpyKind kind) {
  return detail::repeated<detail::RuntimeErrors>(node, [&](cudaGraphNode_t n) {
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(n, target, symbol, count, offset, kind);
  });
}

} // namespace cuda
} // namespace graphprof

#include "graphprof/cuda_memory.h"

#endif // GRAPHPROF_CUDA_H

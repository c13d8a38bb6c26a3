// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected calls of the driver API: graphprof::cuda::cuX does what ::cuX does, returns what
// it returns, and tells libgraphprof. graphprof-instrument includes this file in every unit that
// uses them.
//
// <cuda.h> defines many names as macros for a version of the function, or for the one with
// per-thread default streams: cuGraphLaunch may be cuGraphLaunch_ptsz. Each wrapper has the name
// that the macro stands for, and the program's use of it is expanded to that name too. Signatures
// are taken from the toolkit at hand, CUDA 12.3 or later.
//
// Not for files that define __CUDA_API_VERSION_INTERNAL, for which <cuda.h> has no such macros.

#ifndef GRAPHPROF_CUDA_DRIVER_H
#define GRAPHPROF_CUDA_DRIVER_H

#include <cuda.h>

#include "graphprof/detail/cuda_forward.h"
#include "graphprof/detail/graph_calls.h"
#include "graphprof/scope.h"
#include "graphprof/step.h"

namespace graphprof {

namespace detail {
/// The driver API keeps no error.
struct DriverErrors {
  static bool pending() { return false; }
  static void clear() {}

  /// The symbol of the kernel in a node's parameters; null where there is none.
  template <class... Other> static const char *kernelIn(Other...) { return nullptr; }
  static const char *kernelIn(const CUDA_KERNEL_NODE_PARAMS *params) {
    return nameOf(params->func, params->kern);
  }
  static const char *kernelIn(CUgraphNodeParams *params) {
    return params->type == CU_GRAPH_NODE_TYPE_KERNEL
               ? nameOf(params->kernel.func, params->kernel.kern)
               : nullptr;
  }

private:
  static const char *nameOf(CUfunction function, CUkernel kernel) {
    const char *name = nullptr;
    const CUresult result =
        function ? ::cuFuncGetName(&name, function) : ::cuKernelGetName(&name, kernel);
    return result == CUDA_SUCCESS ? name : nullptr;
  }
};
} // namespace detail

namespace cuda {

// Capture

inline constexpr auto &cuStreamBeginCapture =
    detail::Capturing<detail::CaptureInto::NewGraph, &::cuStreamBeginCapture>::call;
inline constexpr auto &cuStreamBeginCaptureToGraph =
    detail::Capturing<detail::CaptureInto::ExistingGraph, &::cuStreamBeginCaptureToGraph>::call;
inline constexpr auto &cuStreamEndCapture = detail::EndingCapture<&::cuStreamEndCapture>::call;
inline constexpr auto &cuStreamWaitEvent = detail::Waiting<&::cuStreamWaitEvent>::call;

// Execs. cuGraphInstantiate is a macro for cuGraphInstantiateWithFlags.

inline constexpr auto &cuGraphInstantiateWithFlags =
    detail::Instantiating<&::cuGraphInstantiateWithFlags>::call;
inline constexpr auto &cuGraphInstantiateWithParams =
    detail::Instantiating<&::cuGraphInstantiateWithParams>::call;
inline constexpr auto &cuGraphLaunch = detail::Launching<&::cuGraphLaunch>::call;
inline constexpr auto &cuGraphUpload = detail::Uploading<&::cuGraphUpload>::call;
inline constexpr auto &cuGraphExecUpdate = detail::Updating<&::cuGraphExecUpdate>::call;
inline constexpr auto &cuGraphExecDestroy = detail::Destroying<&::cuGraphExecDestroy>::call;
inline constexpr auto &cuDevicePrimaryCtxReset =
    detail::Resetting<&::cuDevicePrimaryCtxReset>::call;

// Changes of one node of an exec, repeated on its twin

inline constexpr auto &cuGraphExecKernelNodeSetParams =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecKernelNodeSetParams>::call;
inline constexpr auto &cuGraphExecMemcpyNodeSetParams =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecMemcpyNodeSetParams>::call;
inline constexpr auto &cuGraphExecMemsetNodeSetParams =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecMemsetNodeSetParams>::call;
inline constexpr auto &cuGraphExecHostNodeSetParams =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecHostNodeSetParams>::call;
inline constexpr auto &cuGraphExecChildGraphNodeSetParams =
    detail::SettingChild<&::cuGraphExecChildGraphNodeSetParams>::call;
inline constexpr auto &cuGraphExecNodeSetParams =
    detail::SettingNode<detail::DriverErrors, &::cuGraphExecNodeSetParams>::call;
inline constexpr auto &cuGraphExecEventRecordNodeSetEvent =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecEventRecordNodeSetEvent>::call;
inline constexpr auto &cuGraphExecEventWaitNodeSetEvent =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecEventWaitNodeSetEvent>::call;
inline constexpr auto &cuGraphExecBatchMemOpNodeSetParams =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecBatchMemOpNodeSetParams>::call;
inline constexpr auto &cuGraphExecExternalSemaphoresSignalNodeSetParams =
    detail::Mirrored<detail::DriverErrors,
                     &::cuGraphExecExternalSemaphoresSignalNodeSetParams>::call;
inline constexpr auto &cuGraphExecExternalSemaphoresWaitNodeSetParams =
    detail::Mirrored<detail::DriverErrors, &::cuGraphExecExternalSemaphoresWaitNodeSetParams>::call;
inline constexpr auto &cuGraphNodeSetEnabled =
    detail::Switching<detail::DriverErrors, &::cuGraphNodeSetEnabled>::call;

// Graphs

inline constexpr auto &cuGraphDestroy = detail::Destroying<&::cuGraphDestroy>::call;
inline constexpr auto &cuGraphClone = detail::Cloning<&::cuGraphClone>::call;

// Edits of a graph

inline constexpr auto &cuGraphCreate = detail::Creating<&::cuGraphCreate>::call;
inline constexpr auto &cuGraphAddKernelNode = detail::Editing<&::cuGraphAddKernelNode>::call;
inline constexpr auto &cuGraphAddMemcpyNode = detail::Editing<&::cuGraphAddMemcpyNode>::call;
inline constexpr auto &cuGraphAddMemsetNode = detail::Editing<&::cuGraphAddMemsetNode>::call;
inline constexpr auto &cuGraphAddHostNode = detail::Editing<&::cuGraphAddHostNode>::call;
inline constexpr auto &cuGraphAddChildGraphNode =
    detail::Editing<&::cuGraphAddChildGraphNode>::call;
inline constexpr auto &cuGraphAddEmptyNode = detail::Editing<&::cuGraphAddEmptyNode>::call;
inline constexpr auto &cuGraphAddEventRecordNode =
    detail::Editing<&::cuGraphAddEventRecordNode>::call;
inline constexpr auto &cuGraphAddEventWaitNode = detail::Editing<&::cuGraphAddEventWaitNode>::call;
inline constexpr auto &cuGraphAddBatchMemOpNode =
    detail::Editing<&::cuGraphAddBatchMemOpNode>::call;
inline constexpr auto &cuGraphAddExternalSemaphoresSignalNode =
    detail::Editing<&::cuGraphAddExternalSemaphoresSignalNode>::call;
inline constexpr auto &cuGraphAddExternalSemaphoresWaitNode =
    detail::Editing<&::cuGraphAddExternalSemaphoresWaitNode>::call;
inline constexpr auto &cuGraphAddMemAllocNode = detail::Editing<&::cuGraphAddMemAllocNode>::call;
inline constexpr auto &cuGraphAddMemFreeNode = detail::AddingFree<&::cuGraphAddMemFreeNode>::call;
inline constexpr auto &cuGraphDestroyNode = detail::DestroyingNode<&::cuGraphDestroyNode>::call;
inline constexpr auto &cuGraphNodeSetParams =
    detail::ChangingNode<detail::DriverErrors, &::cuGraphNodeSetParams>::call;
inline constexpr auto &cuGraphKernelNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphKernelNodeSetParams>::call;
inline constexpr auto &cuGraphKernelNodeSetAttribute =
    detail::Repeated<detail::DriverErrors, &::cuGraphKernelNodeSetAttribute>::call;
inline constexpr auto &cuGraphKernelNodeCopyAttributes =
    detail::Repeated<detail::DriverErrors, &::cuGraphKernelNodeCopyAttributes>::call;
inline constexpr auto &cuGraphBatchMemOpNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphBatchMemOpNodeSetParams>::call;
inline constexpr auto &cuGraphExternalSemaphoresSignalNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphExternalSemaphoresSignalNodeSetParams>::call;
inline constexpr auto &cuGraphExternalSemaphoresWaitNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphExternalSemaphoresWaitNodeSetParams>::call;
inline constexpr auto &cuGraphMemcpyNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphMemcpyNodeSetParams>::call;
inline constexpr auto &cuGraphMemsetNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphMemsetNodeSetParams>::call;
inline constexpr auto &cuGraphHostNodeSetParams =
    detail::Repeated<detail::DriverErrors, &::cuGraphHostNodeSetParams>::call;
inline constexpr auto &cuGraphEventRecordNodeSetEvent =
    detail::Repeated<detail::DriverErrors, &::cuGraphEventRecordNodeSetEvent>::call;
inline constexpr auto &cuGraphEventWaitNodeSetEvent =
    detail::Repeated<detail::DriverErrors, &::cuGraphEventWaitNodeSetEvent>::call;

// Until CUDA 13 these had edge data only under a name of their own, which the tool shortens: both
// forms, by their arguments.
#if CUDA_VERSION >= 13000
inline constexpr auto &cuGraphAddNode = detail::Editing<&::cuGraphAddNode>::call;
inline constexpr auto &cuGraphAddDependencies = detail::Editing<&::cuGraphAddDependencies>::call;
inline constexpr auto &cuGraphRemoveDependencies =
    detail::Editing<&::cuGraphRemoveDependencies>::call;
#else
inline CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t count, CUgraphNodeParams *params) {
  return detail::addingNode(node, graph, params, [&] {
    return ::cuGraphAddNode(node, graph, dependencies, count, params);
  });
}
inline CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               const CUgraphEdgeData *edgeData, size_t count,
                               CUgraphNodeParams *params) {
  return detail::addingNode(node, graph, params, [&] {
    return ::cuGraphAddNode_v2(node, graph, dependencies, edgeData, count, params);
  });
}
inline CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, size_t count) {
  return detail::edited(graph, ::cuGraphAddDependencies(graph, from, to, count));
}
inline CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                       const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                       size_t count) {
  return detail::edited(graph, ::cuGraphAddDependencies_v2(graph, from, to, edgeData, count));
}
inline CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                          const CUgraphNode *to, size_t count) {
  return detail::edited(graph, ::cuGraphRemoveDependencies(graph, from, to, count));
}
inline CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                          const CUgraphNode *to, const CUgraphEdgeData *edgeData,
                                          size_t count) {
  return detail::edited(graph, ::cuGraphRemoveDependencies_v2(graph, from, to, edgeData, count));
}
#endif

} // namespace cuda
} // namespace graphprof

#include "graphprof/cuda_driver_memory.h"

#endif // GRAPHPROF_CUDA_DRIVER_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How graphprof/cuda.h wraps the many CUDA functions that only differ in their arguments: the
// signature is taken from the toolkit at hand, so that CUDA 12 and 13 need no two spellings. Needs
// cuda_runtime_api.h before it.

#ifndef GRAPHPROF_DETAIL_CUDA_FORWARD_H
#define GRAPHPROF_DETAIL_CUDA_FORWARD_H

#include <cuda_runtime_api.h>

#include "graphprof/control.h"
#include "graphprof/detail/graph_calls.h"

namespace graphprof::detail {

/// The stream as the driver API takes it: under nvcc --default-stream per-thread, 0 is the thread's
/// stream.
inline cudaStream_t driverStream(cudaStream_t stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
  return stream ? stream : cudaStreamPerThread;
#else
  return stream;
#endif
}

inline cudaError_t edited(cudaGraph_t graph, cudaError_t error) {
  if (error == cudaSuccess && active())
    graphEdited(graph);
  return error;
}
inline cudaError_t edited(cudaGraphNode_t node, cudaError_t error) {
  if (error == cudaSuccess && active())
    graphEdited(node);
  return error;
}

// Which graph a call edits: the graph among its first two arguments, else that of its first node.
template <class... Rest> cudaGraph_t editTarget(cudaGraphNode_t *, cudaGraph_t graph, Rest...) {
  return graph;
}
template <class... Rest> cudaGraph_t editTarget(cudaGraph_t graph, Rest...) { return graph; }
template <class... Rest> cudaGraphNode_t editTarget(cudaGraphNode_t node, Rest...) { return node; }

/// A function that changes a graph.
template <auto Function, class Signature = decltype(Function)> struct Editing;
template <auto Function, class... Arguments>
struct Editing<Function, cudaError_t (*)(Arguments...)> {
  static cudaError_t call(Arguments... arguments) {
    return edited(editTarget(arguments...), Function(arguments...));
  }
};

/// Makes a change of one node in the program's exec with `change(exec, node)`, then in its twin.
/// The repetition goes through the runtime API, because only the program's cudart knows its
/// kernels; so that a failure of ours can be cleared without hiding one of the program's, it is
/// only tried while no error is pending.
template <class Change>
cudaError_t mirrored(cudaGraphExec_t exec, cudaGraphNode_t node, Change change) {
  const cudaError_t error = change(exec, node);
  if (error != cudaSuccess || !active())
    return error;
  const Twin other = twin(exec, node);
  if (!other.exec)
    return error;
  if (::cudaPeekAtLastError() != cudaSuccess) {
    notMirrored(exec);
  } else if (change(other.exec, other.node) != cudaSuccess) {
    (void)::cudaGetLastError();
    notMirrored(exec);
  }
  return error;
}

/// A function that changes one node of an exec.
template <auto Function, class Signature = decltype(Function)> struct Mirrored;
template <auto Function, class... Arguments>
struct Mirrored<Function, cudaError_t (*)(cudaGraphExec_t, cudaGraphNode_t, Arguments...)> {
  static cudaError_t call(cudaGraphExec_t exec, cudaGraphNode_t node, Arguments... arguments) {
    return mirrored(exec, node, [&](cudaGraphExec_t e, cudaGraphNode_t n) {
      return Function(e, n, arguments...);
    });
  }
};

/// cudaStreamBeginCaptureToGraph, in each toolkit's form.
template <auto Function, class Signature = decltype(Function)> struct CapturingToGraph;
template <auto Function, class... Arguments>
struct CapturingToGraph<Function, cudaError_t (*)(cudaStream_t, cudaGraph_t, Arguments...)> {
  static cudaError_t call(cudaStream_t stream, cudaGraph_t graph, Arguments... arguments) {
    const cudaError_t error = Function(stream, graph, arguments...);
    if (error == cudaSuccess && active())
      captureBegan(driverStream(stream), CaptureInto::ExistingGraph);
    return error;
  }
};

} // namespace graphprof::detail

#endif // GRAPHPROF_DETAIL_CUDA_FORWARD_H

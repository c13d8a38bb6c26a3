// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// How graphprof/cuda.h and graphprof/cuda_driver.h wrap the many CUDA functions that only differ in
// their arguments: the signature is taken from the toolkit at hand, so that CUDA 12 and 13 need no
// two spellings. Knows neither API: both share their handles, and 0 is success in both.

#ifndef GRAPHPROF_DETAIL_CUDA_FORWARD_H
#define GRAPHPROF_DETAIL_CUDA_FORWARD_H

#include <cstddef>
#include <cstdint>

#include "graphprof/control.h"
#include "graphprof/detail/graph_calls.h"
#include "graphprof/detail/memory_calls.h"
#include "graphprof/scope.h"

namespace graphprof::detail {

using Stream = CUstream_st *;
using Graph = CUgraph_st *;
using Node = CUgraphNode_st *;
using Exec = CUgraphExec_st *;

template <class Result> bool ok(Result result) { return result == Result(); }

/// The stream as the driver API takes it: under nvcc --default-stream per-thread, 0 is the thread's
/// stream.
inline Stream driverStream(Stream stream) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
  constexpr std::uintptr_t perThread = 2; // cudaStreamPerThread
  return stream ? stream : reinterpret_cast<Stream>(perThread);
#else
  return stream;
#endif
}

/// A place in memory, as either API names it.
inline const void *address(const void *pointer) { return pointer; }
inline const void *address(unsigned long long pointer) {
  return reinterpret_cast<const void *>(static_cast<std::uintptr_t>(pointer));
}

// Edits of a graph

template <class Result> Result edited(Graph graph, Result result) {
  if (detail::ok(result) && active())
    graphEdited(graph);
  return result;
}
template <class Result> Result edited(Node node, Result result) {
  if (detail::ok(result) && active())
    graphEdited(node);
  return result;
}

/// What a node that allocates was given; it is there while replays use it.
template <class Params> void allocatedInGraph(const Params &params) {
  constexpr int device = 1; // cudaMemLocationTypeDevice, CU_MEM_LOCATION_TYPE_DEVICE
  const auto &location = params.poolProps.location;
  memoryAllocatedOn(static_cast<int>(location.type) == device ? location.id : -1,
                    detail::address(params.dptr), params.bytesize, MemoryKind::Graph);
}

// What comes with an added node, by the arguments that it is added with: the bodies of a
// conditional one, the graph that a child node gets a copy of, memory. Of two functions that fit,
// the one with an int is taken.
// cudaGraphNodeType, CUgraphNodeType:
constexpr int childGraphNode = 4, allocNode = 10, freeNode = 11, conditionalNode = 13;

template <class Params>
auto attached(Graph graph, Node node, Params *params, int)
    -> decltype(void(params->conditional.phGraph_out)) {
  if (static_cast<int>(params->type) == conditionalNode)
    bodiesAdded(graph, node, params->conditional.phGraph_out, params->conditional.size);
  else if (static_cast<int>(params->type) == childGraphNode)
    childAdded(graph, node, params->graph.graph);
  else if (static_cast<int>(params->type) == allocNode)
    allocatedInGraph(params->alloc);
}
template <class Params>
auto attached(Graph, Node, Params *params, int) -> decltype(void(params->poolProps)) {
  allocatedInGraph(*params);
}
inline void attached(Graph graph, Node node, Graph child, int) { childAdded(graph, node, child); }
template <class Argument> void attached(Graph, Node, const Argument &, long) {}

template <class Result, class... Arguments>
Result added(Node *node, Graph graph, Result result, const Arguments &...arguments) {
  if (detail::ok(result) && active()) {
    nodeAdded(graph, *node);
    (detail::attached(graph, *node, arguments, 0), ...);
  }
  return result;
}

// Before: the copy that a child node gets is the program's alone.
template <class Params>
auto attaching(Params *params, int) -> decltype(void(params->conditional.phGraph_out)) {
  if (params && static_cast<int>(params->type) == childGraphNode)
    graphUsing(params->graph.graph);
}
inline void attaching(Graph child, int) { graphUsing(child); }
template <class Argument> void attaching(const Argument &, long) {}

template <class... Arguments> void adding(Node *, Graph, const Arguments &...arguments) {
  (detail::attaching(arguments, 0), ...);
}
template <class First, class... Rest> void adding(const First &, const Rest &...) {}

// Whether a child node is given a copy of a graph: one that moves into the node has none.
template <class Child> auto isMoved(const Child &child, int) -> decltype(bool(child.ownership)) {
  return static_cast<int>(child.ownership) != 0;
}
template <class Child> bool isMoved(const Child &, long) { return false; }
template <class Params> bool givesCopy(const Params *params) {
  return params && static_cast<int>(params->type) == childGraphNode &&
         !detail::isMoved(params->graph, 0);
}

// What a node that is added frees, by its parameters; null where it is no such node.
template <class Params>
auto freedWith(Params *params, int)
    -> decltype(void(params->conditional.phGraph_out), static_cast<const void *>(nullptr)) {
  return params && static_cast<int>(params->type) == freeNode ? detail::address(params->free.dptr)
                                                              : nullptr;
}
template <class Argument> const void *freedWith(const Argument &, long) { return nullptr; }

template <class... Arguments> const void *freedBy(const Arguments &...arguments) {
  const void *found = nullptr;
  ((found = found ? found : detail::freedWith(arguments, 0)), ...);
  return found;
}

// What a call edits: a node is added to a graph, else the graph is its first argument, else that of
// its first node.
template <class Result, class... Rest>
Result told(Result result, Node *node, Graph graph, Rest... rest) {
  return detail::added(node, graph, result, rest...);
}
template <class Result, class... Rest> Result told(Result result, Graph graph, Rest...) {
  return detail::edited(graph, result);
}
template <class Result, class... Rest> Result told(Result result, Node node, Rest...) {
  return detail::edited(node, result);
}

/// A function that changes a graph.
template <auto Function, class Signature = decltype(Function)> struct Editing;
template <auto Function, class Result, class... Arguments>
struct Editing<Function, Result (*)(Arguments...)> {
  static Result call(Arguments... arguments) {
    const Freeing freeing(detail::freedBy(arguments...));
    detail::adding(arguments...);
    return freeing.result(detail::told(Function(arguments...), arguments...));
  }
};

/// cudaGraphAddMemFreeNode
template <auto Function, class Signature = decltype(Function)> struct AddingFree;
template <auto Function, class Result, class Pointer>
struct AddingFree<Function, Result (*)(Node *, Graph, const Node *, std::size_t, Pointer)> {
  static Result call(Node *node, Graph graph, const Node *dependencies, std::size_t count,
                     Pointer pointer) {
    const Freeing freeing(detail::address(pointer));
    return freeing.result(
        detail::added(node, graph, Function(node, graph, dependencies, count, pointer)));
  }
};

/// cudaGraphAddNode with `add()`, where there are several of that name.
template <class Params, class Add>
auto addingNode(Node *node, Graph graph, Params *params, Add add) {
  const Freeing freeing(detail::freedBy(params));
  detail::adding(node, graph, params);
  return freeing.result(detail::added(node, graph, add(), params));
}

/// Makes a change of one node in the program's graph with `change(node)`, then in its twin. The
/// repetition goes through the program's own API, because only that knows its kernels. `Errors`
/// says how to leave the API's error state as it was.
template <class Errors, class Change> auto repeated(Node node, Change change) {
  const auto result = change(node);
  if (!detail::ok(result) || !active())
    return result;
  const Node other = detail::twin(node);
  if (!other)
    return result;
  if (Errors::pending()) {
    detail::graphEdited(node);
  } else if (detail::ok(change(other))) {
    detail::nodeChanged(node);
  } else {
    Errors::clear();
    detail::graphEdited(node);
  }
  return result;
}

/// A function that changes one node of a graph.
template <class Errors, auto Function, class Signature = decltype(Function)> struct Repeated;
template <class Errors, auto Function, class Result, class... Arguments>
struct Repeated<Errors, Function, Result (*)(Node, Arguments...)> {
  static Result call(Node node, Arguments... arguments) {
    return repeated<Errors>(node, [&](Node n) { return Function(n, arguments...); });
  }
};

/// cudaGraphNodeSetParams: what a child node holds is followed where an exec is made next.
template <class Errors, auto Function, class Signature = decltype(Function)> struct ChangingNode;
template <class Errors, auto Function, class Result, class Params>
struct ChangingNode<Errors, Function, Result (*)(Node, Params *)> {
  static Result call(Node node, Params *params) {
    if (!detail::givesCopy(params))
      return Repeated<Errors, Function>::call(node, params);
    const Graph child = params->graph.graph;
    detail::graphUsing(child);
    Params changed = *params;
    changed.graph.graph = detail::childSetting(nullptr, node, child);
    const Result result = Function(node, &changed);
    detail::childSet(node, child, detail::ok(result));
    return result;
  }
};

// Changes of one node of an exec

/// The same in an exec, with `change(exec, node)`. `arguments` are what the node is given.
template <class Errors, class Change, class... Arguments>
auto mirrored(Exec exec, Node node, Change change, Arguments... arguments) {
  const auto result = change(exec, node);
  if (!detail::ok(result) || !active())
    return result;
  const Twin other = detail::twin(exec, node);
  if (!other.exec)
    return result;
  if (Errors::pending()) {
    detail::notMirrored(exec);
  } else if (!detail::ok(change(other.exec, other.node))) {
    Errors::clear();
    detail::notMirrored(exec);
  } else if (other.isShown) {
    detail::nodeChanged(exec, node, Errors::kernelIn(arguments...));
  }
  return result;
}

/// A function that changes one node of an exec.
template <class Errors, auto Function, class Signature = decltype(Function)> struct Mirrored;
template <class Errors, auto Function, class Result, class... Arguments>
struct Mirrored<Errors, Function, Result (*)(Exec, Node, Arguments...)> {
  static Result call(Exec exec, Node node, Arguments... arguments) {
    return mirrored<Errors>(
        exec, node, [&](Exec e, Node n) { return Function(e, n, arguments...); }, arguments...);
  }
};

/// Gives a child node of an exec another graph with `set(graph)`. The twin gets the child with its
/// timing nodes.
template <class Set> auto settingChild(Exec exec, Node node, Graph child, Set set) {
  detail::graphUsing(child);
  const auto result = set(detail::childSetting(exec, node, child));
  detail::childSet(exec, node, child, detail::ok(result));
  return result;
}

/// cudaGraphExecChildGraphNodeSetParams
template <auto Function, class Signature = decltype(Function)> struct SettingChild;
template <auto Function, class Result>
struct SettingChild<Function, Result (*)(Exec, Node, Graph)> {
  static Result call(Exec exec, Node node, Graph child) {
    return detail::settingChild(exec, node, child,
                                [&](Graph given) { return Function(exec, node, given); });
  }
};

/// cudaGraphExecNodeSetParams
template <class Errors, auto Function, class Signature = decltype(Function)> struct SettingNode;
template <class Errors, auto Function, class Result, class Params>
struct SettingNode<Errors, Function, Result (*)(Exec, Node, Params *)> {
  static Result call(Exec exec, Node node, Params *params) {
    if (!detail::givesCopy(params))
      return Mirrored<Errors, Function>::call(exec, node, params);
    return detail::settingChild(exec, node, params->graph.graph, [&](Graph given) {
      Params changed = *params;
      changed.graph.graph = given;
      return Function(exec, node, &changed);
    });
  }
};

/// cudaGraphNodeSetEnabled
template <class Errors, auto Function, class Signature = decltype(Function)> struct Switching;
template <class Errors, auto Function, class Result, class... Arguments>
struct Switching<Errors, Function, Result (*)(Exec, Node, Arguments...)> {
  static Result call(Exec exec, Node node, Arguments... arguments) {
    detail::nodeSwitching(exec);
    return Mirrored<Errors, Function>::call(exec, node, arguments...);
  }
};

// Everything else, one function of the API each

/// cudaStreamBeginCapture, and cudaStreamBeginCaptureToGraph in each toolkit's form.
template <CaptureInto Target, auto Function, class Signature = decltype(Function)> struct Capturing;
template <CaptureInto Target, auto Function, class Result, class... Arguments>
struct Capturing<Target, Function, Result (*)(Stream, Arguments...)> {
  static Result call(Stream stream, Arguments... arguments) {
    const Result result = Function(stream, arguments...);
    if (detail::ok(result) && active())
      detail::captureBegan(detail::driverStream(stream), Target);
    return result;
  }
};

/// cudaStreamEndCapture
template <auto Function, class Signature = decltype(Function)> struct EndingCapture;
template <auto Function, class Result> struct EndingCapture<Function, Result (*)(Stream, Graph *)> {
  static Result call(Stream stream, Graph *graph) {
    detail::captureEnding(detail::driverStream(stream));
    const Result result = Function(stream, graph);
    if (active())
      detail::captureEnded(detail::driverStream(stream), detail::ok(result),
                           detail::ok(result) && graph ? *graph : nullptr);
    return result;
  }
};

/// cudaStreamWaitEvent
template <auto Function, class Signature = decltype(Function)> struct Waiting;
template <auto Function, class Result, class... Arguments>
struct Waiting<Function, Result (*)(Stream, Arguments...)> {
  static Result call(Stream stream, Arguments... arguments) {
    const bool follows = active();
    if (follows)
      detail::waiting(detail::driverStream(stream));
    const Result result = Function(stream, arguments...);
    if (follows && detail::ok(result))
      detail::waited(detail::driverStream(stream));
    return result;
  }
};

inline unsigned long long instantiateFlags(unsigned long long flags) { return flags; }
template <class Params> unsigned long long instantiateFlags(const Params *params) {
  return params ? params->flags : 0;
}

/// Makes an exec with `make()`.
template <class Make>
auto instantiating(Exec *exec, Graph graph, unsigned long long flags, Make make) {
  detail::instantiating(graph, flags);
  const auto result = make();
  if (active())
    detail::instantiated(detail::ok(result) ? *exec : nullptr, graph, flags);
  return result;
}

/// cudaGraphInstantiateWithFlags and ...WithParams
template <auto Function, class Signature = decltype(Function)> struct Instantiating;
template <auto Function, class Result, class Options>
struct Instantiating<Function, Result (*)(Exec *, Graph, Options)> {
  static Result call(Exec *exec, Graph graph, Options options) {
    return detail::instantiating(exec, graph, detail::instantiateFlags(options),
                                 [&] { return Function(exec, graph, options); });
  }
};

/// cudaGraphLaunch
template <auto Function, class Signature = decltype(Function)> struct Launching;
template <auto Function, class Result> struct Launching<Function, Result (*)(Exec, Stream)> {
  static Result call(Exec exec, Stream stream) {
    const Launch how =
        active() ? detail::launch(exec, detail::driverStream(stream)) : Launch::Plain;
    if (how == Launch::Done)
      return Result();
    const Result result = Function(exec, stream);
    if (how == Launch::PlainThenMark && detail::ok(result))
      detail::launchedPlain(exec, detail::driverStream(stream));
    return result;
  }
};

/// cudaGraphUpload
template <auto Function, class Signature = decltype(Function)> struct Uploading;
template <auto Function, class Result> struct Uploading<Function, Result (*)(Exec, Stream)> {
  static Result call(Exec exec, Stream stream) {
    const Result result = Function(exec, stream);
    if (detail::ok(result) && active())
      detail::uploaded(exec, detail::driverStream(stream));
    return result;
  }
};

/// cudaGraphExecUpdate
template <auto Function, class Signature = decltype(Function)> struct Updating;
template <auto Function, class Result, class... Arguments>
struct Updating<Function, Result (*)(Exec, Graph, Arguments...)> {
  static Result call(Exec exec, Graph graph, Arguments... arguments) {
    detail::updating(exec, graph);
    const Result result = Function(exec, graph, arguments...);
    if (active())
      detail::updated(exec, graph, detail::ok(result));
    return result;
  }
};

/// cudaGraphClone
template <auto Function, class Signature = decltype(Function)> struct Cloning;
template <auto Function, class Result> struct Cloning<Function, Result (*)(Graph *, Graph)> {
  static Result call(Graph *clone, Graph graph) {
    detail::graphUsing(graph);
    const Result result = Function(clone, graph);
    if (detail::ok(result) && active())
      detail::graphCloned(*clone, graph);
    return result;
  }
};

/// cudaGraphCreate
template <auto Function, class Signature = decltype(Function)> struct Creating;
template <auto Function, class Result, class Flags>
struct Creating<Function, Result (*)(Graph *, Flags)> {
  static Result call(Graph *graph, Flags flags) {
    const Result result = Function(graph, flags);
    if (detail::ok(result) && active())
      detail::graphCreated(*graph);
    return result;
  }
};

/// cudaGraphDestroyNode. Told before, too, as below.
template <auto Function, class Signature = decltype(Function)> struct DestroyingNode;
template <auto Function, class Result> struct DestroyingNode<Function, Result (*)(Node)> {
  static Result call(Node node) {
    if (active())
      detail::nodeDestroying(node);
    return detail::edited(node, Function(node));
  }
};

/// cudaGraphExecDestroy and cudaGraphDestroy. Told before: the handle may be given out again as
/// soon as it is free.
template <auto Function, class Signature = decltype(Function)> struct Destroying;
template <auto Function, class Result> struct Destroying<Function, Result (*)(Exec)> {
  static Result call(Exec exec) {
    detail::execDestroying(exec);
    return Function(exec);
  }
};
template <auto Function, class Result> struct Destroying<Function, Result (*)(Graph)> {
  static Result call(Graph graph) {
    detail::graphDestroying(graph);
    return Function(graph);
  }
};

/// cudaDeviceReset and cuDevicePrimaryCtxReset. Told before: what was launched is over, but its
/// times may not have been fetched.
template <auto Function, class Signature = decltype(Function)> struct Resetting;
template <auto Function, class Result, class... Arguments>
struct Resetting<Function, Result (*)(Arguments...)> {
  static Result call(Arguments... arguments) {
    detail::deviceResetting();
    return Function(arguments...);
  }
};

} // namespace graphprof::detail

namespace graphprof {

/// The stream of a region, as either API names it.
inline StreamRef onStream(detail::Stream stream) { return StreamRef(detail::driverStream(stream)); }

} // namespace graphprof

#endif // GRAPHPROF_DETAIL_CUDA_FORWARD_H

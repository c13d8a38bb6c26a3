// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The forms that calls.def refers to: what a wrapper does, for both APIs, in C11 and in C++. Not
// for programs to call.
//
//     GRAPHPROF_FORM_x(api, declared, wrapper, function, parameters, arguments)
//
// defines the function `wrapper`, with the specifiers and result type `declared`. It calls CUDA's
// `function` and tells libgraphprof. `api` is Runtime or Driver; calls_runtime.h and calls_driver.h
// hold what differs between the two. Each form says which parameters it reads, by name. Other
// parameters may have any name but those of the variables here: result, launch, how, other, type,
// freed, bytes, room.
//
// The program's call is made exactly once, with the program's own arguments, and first where the
// order is free: where it fails, nothing of ours happens. The library hears of a destruction before
// it, because CUDA may give the handle out again as soon as it is free.

#ifndef GRAPHPROF_DETAIL_CALL_FORMS_H
#define GRAPHPROF_DETAIL_CALL_FORMS_H

#include "graphprof/detail/language.h"
#include "graphprof/detail/seam.h"

// Captures. Arguments of these forms: stream

#define GRAPHPROF_BEGINS(api, declared, wrapper, function, parameters, arguments, intoGraph)       \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_captureBegan(GRAPHPROF_STREAM(stream), intoGraph);                            \
    return result;                                                                                 \
  }
#define GRAPHPROF_FORM_BeginsCapture(...) GRAPHPROF_BEGINS(__VA_ARGS__, 0)
#define GRAPHPROF_FORM_BeginsCaptureIntoGraph(...) GRAPHPROF_BEGINS(__VA_ARGS__, 1)

// and: graph. Whoever has this wrapper in it, because it calls it, says so when it is loaded: then
// no graph may get nodes that would have to stay in it.
#define GRAPHPROF_FORM_Recaptures(api, declared, wrapper, function, parameters, arguments)         \
  declared wrapper parameters {                                                                    \
    GRAPHPROF_CALL_AT_LOAD(graphprof_seam_recaptures);                                             \
    graphprof_seam_recapturing(GRAPHPROF_STREAM(stream), graph);                                   \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_recaptureBegan(GRAPHPROF_STREAM(stream));                                     \
    return result;                                                                                 \
  }

// Into a command list of a graphics API
#define GRAPHPROF_FORM_BeginsCommandList(api, declared, wrapper, function, parameters, arguments)  \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (result == 0)                                                                               \
      graphprof_seam_commandListBegan(GRAPHPROF_STREAM(stream));                                   \
    return result;                                                                                 \
  }
#define GRAPHPROF_FORM_EndsCommandList(api, declared, wrapper, function, parameters, arguments)    \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (result == 0)                                                                               \
      graphprof_seam_commandListEnded(GRAPHPROF_STREAM(stream));                                   \
    return result;                                                                                 \
  }

// and: graph, where the graph is returned, or null
#define GRAPHPROF_FORM_EndsCapture(api, declared, wrapper, function, parameters, arguments)        \
  declared wrapper parameters {                                                                    \
    graphprof_seam_captureEnding(GRAPHPROF_STREAM(stream));                                        \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE)                                                                          \
      graphprof_seam_captureEnded(GRAPHPROF_STREAM(stream), result == 0,                           \
                                  result == 0 && graph ? *graph : GRAPHPROF_NULL);                 \
    return result;                                                                                 \
  }

// Tells which captures have several streams, and which threads add to them.
#define GRAPHPROF_FORM_Waits(api, declared, wrapper, function, parameters, arguments)              \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_waited(GRAPHPROF_STREAM(stream));                                             \
    return result;                                                                                 \
  }

// Execs. Arguments of these forms: exec, graph, stream

#define GRAPHPROF_INSTANTIATES(api, declared, wrapper, function, parameters, arguments, flags)     \
  declared wrapper parameters {                                                                    \
    graphprof_seam_instantiating(graph, flags);                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE)                                                                          \
      graphprof_seam_instantiated(result == 0 ? *exec : GRAPHPROF_NULL, graph, flags);             \
    return result;                                                                                 \
  }
#define GRAPHPROF_FORM_Instantiates(...) GRAPHPROF_INSTANTIATES(__VA_ARGS__, flags)
#define GRAPHPROF_FORM_InstantiatesWithParams(...)                                                 \
  GRAPHPROF_INSTANTIATES(__VA_ARGS__, (params ? params->flags : 0))

#define GRAPHPROF_FORM_Launches(api, declared, wrapper, function, parameters, arguments)           \
  declared wrapper parameters {                                                                    \
    const enum graphprof_seam_launch launch =                                                      \
        GRAPHPROF_ACTIVE ? graphprof_seam_launch(exec, GRAPHPROF_STREAM(stream))                   \
                         : graphprof_seam_plain;                                                   \
    if (launch == graphprof_seam_done)                                                             \
      return GRAPHPROF_SUCCESS_##api;                                                              \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (launch == graphprof_seam_plainThenMark && result == 0)                                     \
      graphprof_seam_launchedPlain(exec, GRAPHPROF_STREAM(stream));                                \
    return result;                                                                                 \
  }

#define GRAPHPROF_FORM_Uploads(api, declared, wrapper, function, parameters, arguments)            \
  declared wrapper parameters {                                                                    \
    graphprof_seam_uploading(exec, GRAPHPROF_STREAM(stream));                                      \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE)                                                                          \
      graphprof_seam_uploaded(exec, GRAPHPROF_STREAM(stream), result == 0);                        \
    return result;                                                                                 \
  }

#define GRAPHPROF_FORM_Updates(api, declared, wrapper, function, parameters, arguments)            \
  declared wrapper parameters {                                                                    \
    graphprof_seam_updating(exec, graph);                                                          \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE)                                                                          \
      graphprof_seam_updated(exec, graph, result == 0);                                            \
    return result;                                                                                 \
  }

#define GRAPHPROF_FORM_DestroysExec(api, declared, wrapper, function, parameters, arguments)       \
  declared wrapper parameters {                                                                    \
    graphprof_seam_execDestroying(exec);                                                           \
    return function arguments;                                                                     \
  }

// Reported before the call: launched work has finished by then, but its times may still be unread.
#define GRAPHPROF_FORM_ResetsCurrentDevice(api, declared, wrapper, function, parameters,           \
                                           arguments)                                              \
  declared wrapper parameters {                                                                    \
    graphprof_seam_primaryContextEnding(-1);                                                       \
    return function arguments;                                                                     \
  }
// Arguments: device
#define GRAPHPROF_FORM_ResetsDevice(api, declared, wrapper, function, parameters, arguments)       \
  declared wrapper parameters {                                                                    \
    graphprof_seam_primaryContextEnding(device);                                                   \
    return function arguments;                                                                     \
  }
// Nobody knows before the call whether it is the last that holds the context.
#define GRAPHPROF_FORM_ReleasesDevice(api, declared, wrapper, function, parameters, arguments)     \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (result == 0)                                                                               \
      graphprof_seam_primaryContextReleased(device);                                               \
    return result;                                                                                 \
  }
// Arguments: context
#define GRAPHPROF_FORM_DestroysContext(api, declared, wrapper, function, parameters, arguments)    \
  declared wrapper parameters {                                                                    \
    graphprof_seam_contextEnding(context);                                                         \
    return function arguments;                                                                     \
  }
#define GRAPHPROF_FORM_DestroysGreenContext(api, declared, wrapper, function, parameters,          \
                                            arguments)                                             \
  declared wrapper parameters {                                                                    \
    graphprof_seam_greenContextEnding(context);                                                    \
    return function arguments;                                                                     \
  }

// Told before, whatever comes of it: without a profiler of CUDA's these do nothing.
#define GRAPHPROF_FORM_StartsProfiler(api, declared, wrapper, function, parameters, arguments)     \
  declared wrapper parameters {                                                                    \
    graphprof_seam_profiling(1);                                                                   \
    return function arguments;                                                                     \
  }
#define GRAPHPROF_FORM_StopsProfiler(api, declared, wrapper, function, parameters, arguments)      \
  declared wrapper parameters {                                                                    \
    graphprof_seam_profiling(0);                                                                   \
    return function arguments;                                                                     \
  }

// What a kernel's parameters have run, in how many blocks, and the threads and dynamic shared
// memory of each.
#define GRAPHPROF_GRID_Runtime(given)                                                              \
  graphprof_functionOf((given).func), GRAPHPROF_NULL,                                              \
      1ULL * (given).gridDim.x *(given).gridDim.y *(given).gridDim.z,                              \
      (given).blockDim.x *(given).blockDim.y *(given).blockDim.z, (given).sharedMemBytes
#define GRAPHPROF_GRID_Driver(given)                                                               \
  (given).func, (given).kern, 1ULL * (given).gridDimX *(given).gridDimY *(given).gridDimZ,         \
      (given).blockDimX *(given).blockDimY *(given).blockDimZ, (given).sharedMemBytes

// Changes of one node of an exec, repeated on its twin. Arguments: exec, node
//
// The repetition goes through the program's own API, because only that knows its kernels. The
// runtime API keeps its last error: that of a repetition can be cleared without hiding one of the
// program's only while none is pending.

// Makes the call and returns. `kernel` is the symbol that a kernel node runs from now on.
#define GRAPHPROF_MIRROR(api, function, arguments, kernel)                                         \
  struct CUgraphExec_st *otherExec = GRAPHPROF_NULL;                                               \
  struct CUgraphNode_st *otherNode = GRAPHPROF_NULL;                                               \
  const GRAPHPROF_RESULT_##api result = function arguments;                                        \
  const int how = GRAPHPROF_ACTIVE && result == 0                                                  \
                      ? graphprof_seam_twin(exec, node, &otherExec, &otherNode)                    \
                      : 0;                                                                         \
  if (how == 0)                                                                                    \
    return result;                                                                                 \
  if (graphprof_hasError##api()) {                                                                 \
    graphprof_seam_notMirrored(exec);                                                              \
  } else if (function GRAPHPROF_ON_OTHER_EXEC arguments != 0) {                                    \
    graphprof_clearError##api();                                                                   \
    graphprof_seam_notMirrored(exec);                                                              \
  } else if (how == 2) {                                                                           \
    graphprof_seam_execNodeChanged(exec, node, kernel);                                            \
  }                                                                                                \
  return result
#define GRAPHPROF_ON_OTHER_EXEC(exec, node, ...) (otherExec, otherNode, __VA_ARGS__)

#define GRAPHPROF_FORM_Mirrors(api, declared, wrapper, function, parameters, arguments)            \
  declared wrapper parameters { GRAPHPROF_MIRROR(api, function, arguments, GRAPHPROF_NULL); }

// and: params
#define GRAPHPROF_FORM_MirrorsKernel(api, declared, wrapper, function, parameters, arguments)      \
  declared wrapper parameters {                                                                    \
    if (GRAPHPROF_ACTIVE && params)                                                                \
      graphprof_seam_execKernelChanging(exec, node, GRAPHPROF_GRID_##api(*params));                \
    GRAPHPROF_MIRROR(api, function, arguments, graphprof_kernelOf##api(params));                   \
  }

// Nodes stay switched through updates.
#define GRAPHPROF_FORM_MirrorsSwitch(api, declared, wrapper, function, parameters, arguments)      \
  declared wrapper parameters {                                                                    \
    graphprof_seam_nodeSwitching(exec, node, enabled != 0);                                        \
    GRAPHPROF_MIRROR(api, function, arguments, GRAPHPROF_NULL);                                    \
  }

// and: child. The twin gets it with its timing nodes.
#define GRAPHPROF_FORM_MirrorsChild(api, declared, wrapper, function, parameters, arguments)       \
  declared wrapper parameters {                                                                    \
    graphprof_seam_graphUsing(child);                                                              \
    const GRAPHPROF_RESULT_##api result =                                                          \
        function(exec, node, graphprof_seam_childSetting(exec, node, child));                      \
    graphprof_seam_childSet(exec, node, child, result == 0);                                       \
    return result;                                                                                 \
  }

// and: params, of any type of node
#define GRAPHPROF_FORM_MirrorsNode(api, declared, wrapper, function, parameters, arguments)        \
  declared wrapper parameters {                                                                    \
    if (!graphprof_givesCopy##api(params)) {                                                       \
      if (GRAPHPROF_ACTIVE && params && graphprof_isKernel##api(params))                           \
        graphprof_seam_execKernelChanging(exec, node, GRAPHPROF_GRID_##api(params->kernel));       \
      GRAPHPROF_MIRROR(api, function, arguments, graphprof_kernelIn##api(params));                 \
    }                                                                                              \
    graphprof_seam_graphUsing(params->graph.graph);                                                \
    GRAPHPROF_PARAMS_##api changed = *params;                                                      \
    changed.graph.graph = graphprof_seam_childSetting(exec, node, params->graph.graph);            \
    const GRAPHPROF_RESULT_##api result = function(exec, node, &changed);                          \
    graphprof_seam_childSet(exec, node, params->graph.graph, result == 0);                         \
    return result;                                                                                 \
  }

// Graphs. Arguments of these forms: graph

#define GRAPHPROF_FORM_Creates(api, declared, wrapper, function, parameters, arguments)            \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_graphCreated(*graph);                                                         \
    return result;                                                                                 \
  }

// and: clone
#define GRAPHPROF_FORM_Clones(api, declared, wrapper, function, parameters, arguments)             \
  declared wrapper parameters {                                                                    \
    graphprof_seam_graphUsing(graph);                                                              \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_graphCloned(*clone, graph);                                                   \
    return result;                                                                                 \
  }

#define GRAPHPROF_FORM_DestroysGraph(api, declared, wrapper, function, parameters, arguments)      \
  declared wrapper parameters {                                                                    \
    graphprof_seam_graphDestroying(graph);                                                         \
    return function arguments;                                                                     \
  }

#define GRAPHPROF_FORM_Edits(api, declared, wrapper, function, parameters, arguments)              \
  declared wrapper parameters {                                                                    \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_graphEdited(graph);                                                           \
    return result;                                                                                 \
  }

// What the program asks about a graph. Arguments of these forms: count; nodes, or from and to; and
// edgeData, where there is some

#define GRAPHPROF_LISTS(api, declared, wrapper, function, parameters, arguments, told)             \
  declared wrapper parameters {                                                                    \
    const size_t room = count ? *count : 0;                                                        \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      told;                                                                                        \
    return result;                                                                                 \
  }
// of: graph
#define GRAPHPROF_FORM_ListsNodes(...)                                                             \
  GRAPHPROF_LISTS(__VA_ARGS__, graphprof_seam_nodesListed(graph, 0, nodes, room, count))
#define GRAPHPROF_FORM_ListsRoots(...)                                                             \
  GRAPHPROF_LISTS(__VA_ARGS__, graphprof_seam_nodesListed(graph, 1, nodes, room, count))
#define GRAPHPROF_FORM_ListsEdges(...)                                                             \
  GRAPHPROF_LISTS(__VA_ARGS__,                                                                     \
                  graphprof_seam_edgesListed(graph, from, to, GRAPHPROF_NULL, room, count))
#define GRAPHPROF_FORM_ListsEdgesWithData(...)                                                     \
  GRAPHPROF_LISTS(__VA_ARGS__, graphprof_seam_edgesListed(graph, from, to, edgeData, room, count))
// of: node
#define GRAPHPROF_FORM_ListsBefore(...)                                                            \
  GRAPHPROF_LISTS(__VA_ARGS__,                                                                     \
                  graphprof_seam_neighboursListed(node, 0, nodes, GRAPHPROF_NULL, room, count))
#define GRAPHPROF_FORM_ListsBeforeWithData(...)                                                    \
  GRAPHPROF_LISTS(__VA_ARGS__,                                                                     \
                  graphprof_seam_neighboursListed(node, 0, nodes, edgeData, room, count))
#define GRAPHPROF_FORM_ListsBehind(...)                                                            \
  GRAPHPROF_LISTS(__VA_ARGS__,                                                                     \
                  graphprof_seam_neighboursListed(node, 1, nodes, GRAPHPROF_NULL, room, count))
#define GRAPHPROF_FORM_ListsBehindWithData(...)                                                    \
  GRAPHPROF_LISTS(__VA_ARGS__,                                                                     \
                  graphprof_seam_neighboursListed(node, 1, nodes, edgeData, room, count))

// Nodes that are added. Arguments of these forms: node, where it is returned, and graph

// `also` is done where it was added.
#define GRAPHPROF_ADD(api, function, arguments, also)                                              \
  const GRAPHPROF_RESULT_##api result = function arguments;                                        \
  if (GRAPHPROF_ACTIVE && result == 0) {                                                           \
    graphprof_seam_nodeAdded(graph, *node);                                                        \
    also;                                                                                          \
  }

#define GRAPHPROF_FORM_Adds(api, declared, wrapper, function, parameters, arguments)               \
  declared wrapper parameters {                                                                    \
    GRAPHPROF_ADD(api, function, arguments, (void)0)                                               \
    return result;                                                                                 \
  }

// and: child. Before, its state is made known: the copy that the node gets is the program's alone.
#define GRAPHPROF_FORM_AddsChild(api, declared, wrapper, function, parameters, arguments)          \
  declared wrapper parameters {                                                                    \
    graphprof_seam_graphUsing(child);                                                              \
    GRAPHPROF_ADD(api, function, arguments, graphprof_seam_childAdded(graph, *node, child))        \
    return result;                                                                                 \
  }

// and: params
#define GRAPHPROF_FORM_AddsAllocation(api, declared, wrapper, function, parameters, arguments)     \
  declared wrapper parameters {                                                                    \
    GRAPHPROF_ADD(api, function, arguments, GRAPHPROF_ALLOCATED(*params))                          \
    return result;                                                                                 \
  }
#define GRAPHPROF_ALLOCATED(asked)                                                                 \
  graphprof_seam_allocatedOn(                                                                      \
      GRAPHPROF_AS_INT((asked).poolProps.location.type) == graphprof_locationDevice                \
          ? (asked).poolProps.location.id                                                          \
          : -1,                                                                                    \
      GRAPHPROF_ADDRESS((asked).dptr), (asked).bytesize, graphprof_seam_memoryGraph)

// and: memory
#define GRAPHPROF_FORM_AddsFree(api, declared, wrapper, function, parameters, arguments)           \
  declared wrapper parameters {                                                                    \
    const void *const freed = GRAPHPROF_ADDRESS(memory);                                           \
    const size_t bytes = GRAPHPROF_ACTIVE ? graphprof_seam_freeing(freed) : 0;                     \
    GRAPHPROF_ADD(api, function, arguments, (void)0)                                               \
    if (bytes > 0)                                                                                 \
      graphprof_seam_freed(freed, bytes, result == 0);                                             \
    return result;                                                                                 \
  }

// and: params, of any type of node
#define GRAPHPROF_FORM_AddsNode(api, declared, wrapper, function, parameters, arguments)           \
  declared wrapper parameters {                                                                    \
    const int type = params ? GRAPHPROF_AS_INT(params->type) : -1;                                 \
    const void *const freed =                                                                      \
        type == graphprof_nodeFree ? GRAPHPROF_ADDRESS(params->free.dptr) : GRAPHPROF_NULL;        \
    const size_t bytes = GRAPHPROF_ACTIVE ? graphprof_seam_freeing(freed) : 0;                     \
    if (type == graphprof_nodeChild)                                                               \
      graphprof_seam_graphUsing(params->graph.graph);                                              \
    GRAPHPROF_ADD(api, function, arguments, GRAPHPROF_ADDED_WITH(params))                          \
    if (bytes > 0)                                                                                 \
      graphprof_seam_freed(freed, bytes, result == 0);                                             \
    return result;                                                                                 \
  }
#define GRAPHPROF_ADDED_WITH(params)                                                               \
  if (type == graphprof_nodeConditional)                                                           \
    graphprof_seam_bodiesAdded(graph, *node, params->conditional.phGraph_out,                      \
                               params->conditional.size);                                          \
  else if (type == graphprof_nodeChild)                                                            \
    graphprof_seam_childAdded(graph, *node, params->graph.graph);                                  \
  else if (type == graphprof_nodeAllocation)                                                       \
  GRAPHPROF_ALLOCATED(params->alloc)

// cudaGraphNodeType, CUgraphNodeType; cudaMemLocationType, CUmemLocationType
enum {
  graphprof_nodeChild = 4,
  graphprof_nodeAllocation = 10,
  graphprof_nodeFree = 11,
  graphprof_nodeConditional = 13
};
enum { graphprof_locationDevice = 1 };

// Nodes of a graph. Arguments of these forms: node

#define GRAPHPROF_FORM_DestroysNode(api, declared, wrapper, function, parameters, arguments)       \
  declared wrapper parameters {                                                                    \
    if (GRAPHPROF_ACTIVE)                                                                          \
      graphprof_seam_nodeDestroying(node);                                                         \
    const GRAPHPROF_RESULT_##api result = function arguments;                                      \
    if (GRAPHPROF_ACTIVE && result == 0)                                                           \
      graphprof_seam_nodeEdited(node);                                                             \
    return result;                                                                                 \
  }

// Makes a change, repeats it on the node's twin, and returns.
#define GRAPHPROF_REPEAT(api, function, arguments)                                                 \
  const GRAPHPROF_RESULT_##api result = function arguments;                                        \
  struct CUgraphNode_st *const other =                                                             \
      GRAPHPROF_ACTIVE && result == 0 ? graphprof_seam_nodeTwin(node) : GRAPHPROF_NULL;            \
  if (!other)                                                                                      \
    return result;                                                                                 \
  if (graphprof_hasError##api()) {                                                                 \
    graphprof_seam_nodeEdited(node);                                                               \
  } else if (function GRAPHPROF_ON_OTHER arguments == 0) {                                         \
    graphprof_seam_nodeChanged(node);                                                              \
  } else {                                                                                         \
    graphprof_clearError##api();                                                                   \
    graphprof_seam_nodeEdited(node);                                                               \
  }                                                                                                \
  return result
#define GRAPHPROF_ON_OTHER(node, ...) (other, __VA_ARGS__)

#define GRAPHPROF_FORM_Changes(api, declared, wrapper, function, parameters, arguments)            \
  declared wrapper parameters { GRAPHPROF_REPEAT(api, function, arguments); }

// and: params, of any type of node. What a child node holds is followed where an exec is made next.
#define GRAPHPROF_FORM_ChangesNode(api, declared, wrapper, function, parameters, arguments)        \
  declared wrapper parameters {                                                                    \
    if (!graphprof_givesCopy##api(params)) {                                                       \
      GRAPHPROF_REPEAT(api, function, arguments);                                                  \
    }                                                                                              \
    graphprof_seam_graphUsing(params->graph.graph);                                                \
    GRAPHPROF_PARAMS_##api changed = *params;                                                      \
    changed.graph.graph = graphprof_seam_childSetting(GRAPHPROF_NULL, node, params->graph.graph);  \
    const GRAPHPROF_RESULT_##api result = function(node, &changed);                                \
    graphprof_seam_childSetInGraph(node, params->graph.graph, result == 0);                        \
    return result;                                                                                 \
  }

#endif // GRAPHPROF_DETAIL_CALL_FORMS_H

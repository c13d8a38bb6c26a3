// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/detail/graph_calls.h and memory_calls.h for C: what the functions of graphprof/c.h tell
// libgraphprof. Not for programs to call.
//
// Every function here may be called from any thread and touches no runtime API state. None of them
// does anything while graphprof is not active; a call costs a load and a branch then.

#ifndef GRAPHPROF_DETAIL_SEAM_H
#define GRAPHPROF_DETAIL_SEAM_H

#include <stddef.h>

struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;

#ifdef __cplusplus
#define GRAPHPROF_NULL nullptr
extern "C" {
#else
#define GRAPHPROF_NULL NULL // C11 has no other
#endif

/// The stream as the driver API takes it, of a unit whose default stream is each thread's own.
struct CUstream_st *graphprof_seam_perThread(struct CUstream_st *stream);

void graphprof_seam_captureBegan(struct CUstream_st *stream, int intoExistingGraph);
void graphprof_seam_captureEnding(struct CUstream_st *stream);
/// `graph` is null where the capture failed or the program did not ask for it.
void graphprof_seam_captureEnded(struct CUstream_st *stream, int succeeded,
                                 struct CUgraph_st *graph);

void graphprof_seam_waiting(struct CUstream_st *stream);
void graphprof_seam_waited(struct CUstream_st *stream);

void graphprof_seam_graphUsing(struct CUgraph_st *graph);
void graphprof_seam_instantiating(struct CUgraph_st *graph, unsigned long long flags);
/// `exec` is null where the driver refused.
void graphprof_seam_instantiated(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                 unsigned long long flags);
void graphprof_seam_updating(struct CUgraphExec_st *exec, struct CUgraph_st *graph);
void graphprof_seam_updated(struct CUgraphExec_st *exec, struct CUgraph_st *graph, int succeeded);
void graphprof_seam_uploaded(struct CUgraphExec_st *exec, struct CUstream_st *stream);
void graphprof_seam_execDestroying(struct CUgraphExec_st *exec);

enum graphprof_seam_launch {
  graphprof_seam_done,         ///< the profiled exec was launched: nothing is left to do
  graphprof_seam_plain,        ///< launch the program's own exec
  graphprof_seam_plainThenMark ///< launch the program's own exec, then call launchedPlain
};
enum graphprof_seam_launch graphprof_seam_launch(struct CUgraphExec_st *exec,
                                                 struct CUstream_st *stream);
void graphprof_seam_launchedPlain(struct CUgraphExec_st *exec, struct CUstream_st *stream);

void graphprof_seam_deviceResetting(void);

void graphprof_seam_graphCreated(struct CUgraph_st *graph);
void graphprof_seam_nodeAdded(struct CUgraph_st *graph, struct CUgraphNode_st *node);
/// `node` is conditional, and these are its bodies.
void graphprof_seam_bodiesAdded(struct CUgraph_st *graph, struct CUgraphNode_st *node,
                                struct CUgraph_st *const *bodies, unsigned count);
/// `node` holds a copy of `child`.
void graphprof_seam_childAdded(struct CUgraph_st *graph, struct CUgraphNode_st *node,
                               struct CUgraph_st *child);
void graphprof_seam_nodeDestroying(struct CUgraphNode_st *node);
void graphprof_seam_graphDestroying(struct CUgraph_st *graph);
void graphprof_seam_graphCloned(struct CUgraph_st *clone, struct CUgraph_st *graph);
void graphprof_seam_graphEdited(struct CUgraph_st *graph);
void graphprof_seam_nodeEdited(struct CUgraphNode_st *node);
/// Where a change of a node of a graph has to be repeated; null where there is nothing to repeat.
struct CUgraphNode_st *graphprof_seam_nodeTwin(struct CUgraphNode_st *node);
void graphprof_seam_nodeChanged(struct CUgraphNode_st *node);

/// Where a change of a node of `exec` has to be repeated; 0 where there is nothing to repeat, 2
/// where it is then to be told to execNodeChanged.
int graphprof_seam_twin(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                        struct CUgraphExec_st **otherExec, struct CUgraphNode_st **otherNode);
void graphprof_seam_execNodeChanged(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    const char *kernel);
/// What to give the child node instead of `child`; then childSet.
struct CUgraph_st *graphprof_seam_childSetting(struct CUgraphExec_st *exec,
                                               struct CUgraphNode_st *node,
                                               struct CUgraph_st *child);
void graphprof_seam_childSet(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                             struct CUgraph_st *child, int succeeded);
/// The same of a node of a graph: `exec` was null.
void graphprof_seam_childSetInGraph(struct CUgraphNode_st *node, struct CUgraph_st *child,
                                    int succeeded);
void graphprof_seam_nodeSwitching(struct CUgraphExec_st *exec);
void graphprof_seam_notMirrored(struct CUgraphExec_st *exec);

enum graphprof_seam_way {
  graphprof_seam_toDevice,
  graphprof_seam_toHost,
  graphprof_seam_onDevice,
  graphprof_seam_byPointers,
  graphprof_seam_notTimed
};
/// A copy that the program is about to make.
struct graphprof_seam_copy {
  enum graphprof_seam_way way;
  const void *target, *source; ///< null: on the device
  size_t bytes;
  const void *array; ///< where `bytes` counts elements, the array that they are of; else null
};
/// Whether copies of this thread may be timed now.
int graphprof_seam_inStep(void);
/// On `stream`. Null where it is not timed; else the argument of copyEnded.
void *graphprof_seam_copyBegins(struct graphprof_seam_copy copy, struct CUstream_st *stream);
void graphprof_seam_copyEnded(void *copy, int succeeded);

enum graphprof_seam_memory {
  graphprof_seam_memoryDevice,
  graphprof_seam_memoryPool,
  graphprof_seam_memoryManaged,
  graphprof_seam_memoryHost,
  graphprof_seam_memoryGraph
};
/// `stream`: of memory from a pool.
void graphprof_seam_allocated(const void *address, size_t bytes, enum graphprof_seam_memory kind,
                              struct CUstream_st *stream);
/// In the memory of `device`, its ordinal; -1: in the host's.
void graphprof_seam_allocatedOn(int device, const void *address, size_t bytes,
                                enum graphprof_seam_memory kind);

/// As ArrayShape.
struct graphprof_seam_shape {
  size_t width, height, depth;
  unsigned flags;
  unsigned levels;
};
void graphprof_seam_channelArray(const void *array, struct graphprof_seam_shape shape, int kind,
                                 int channelBits);
void graphprof_seam_formatArray(const void *array, struct graphprof_seam_shape shape, int format,
                                unsigned channels);

/// Told before; returns how many bytes of ours are known there. Where there are some, freed
/// follows.
size_t graphprof_seam_freeing(const void *address);
void graphprof_seam_freed(const void *address, size_t bytes, int succeeded);

/// As mappableCreated() and what follows it there.
void graphprof_seam_mappableCreated(unsigned long long handle, size_t bytes, int device);
void graphprof_seam_mappableRetained(unsigned long long handle);
void graphprof_seam_mappableMapped(unsigned long long handle, unsigned long long address,
                                   size_t bytes);
void *graphprof_seam_mappableReleasing(unsigned long long handle);
void *graphprof_seam_mappableUnmapping(unsigned long long address, size_t bytes);
void graphprof_seam_mappableTaken(void *taken, int succeeded);

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_DETAIL_SEAM_H

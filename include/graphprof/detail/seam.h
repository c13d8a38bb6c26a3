// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the redirected CUDA calls tell the library: the seam between the wrappers, which are
// compiled with the program's own cudart, and libgraphprof, which links none. C11 and C++. Not for
// programs to call.
//
// Every function here may be called from any thread, never throws, and touches no runtime API
// state. While graphprof is not active none does anything, childSetting excepted.

#ifndef GRAPHPROF_DETAIL_SEAM_H
#define GRAPHPROF_DETAIL_SEAM_H

#include <stddef.h>

struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;
struct CUfunc_st;
struct CUkern_st;

#ifdef __cplusplus
#define GRAPHPROF_NULL nullptr
#define GRAPHPROF_NOEXCEPT noexcept
extern "C" {
#else
#define GRAPHPROF_NULL NULL // C11 has no other
#define GRAPHPROF_NOEXCEPT
#endif

#pragma GCC visibility push(default) // libgraphprof exports all of them

// Captures

/// The program began to capture `stream`, into a new graph or into one that it already has (the
/// body of a conditional node, perhaps).
void graphprof_seam_captureBegan(struct CUstream_st *stream, int intoExisting) GRAPHPROF_NOEXCEPT;
/// The program is about to end the capture that `stream` is in: captureEnded comes next.
void graphprof_seam_captureEnding(struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;
/// The capture that began on `stream` ended; `graph` is what the program got, null where it failed
/// or the program did not ask.
void graphprof_seam_captureEnded(struct CUstream_st *stream, int succeeded,
                                 struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;

/// The program has let `stream` wait for an event, which may have forked or joined a capture.
void graphprof_seam_waited(struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;

// Execs

/// The program is about to clone `graph`, or to make it the child of another. What is known of it
/// is made to be true now: its capture may have ended unseen, it may have been changed since, or
/// its handle be another graph's.
void graphprof_seam_graphUsing(struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;
/// The program is about to instantiate `graph` with `flags`: the same, and instantiated comes next.
void graphprof_seam_instantiating(struct CUgraph_st *graph,
                                  unsigned long long flags) GRAPHPROF_NOEXCEPT;
/// It did so; `exec` is the handle that it got, null where the driver refused.
void graphprof_seam_instantiated(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                                 unsigned long long flags) GRAPHPROF_NOEXCEPT;
/// The program is about to update `exec` from `graph`: the same, and updated comes next.
void graphprof_seam_updating(struct CUgraphExec_st *exec,
                             struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;
/// It did so, or the driver refused.
void graphprof_seam_updated(struct CUgraphExec_st *exec, struct CUgraph_st *graph,
                            int succeeded) GRAPHPROF_NOEXCEPT;
/// The program uploaded `exec` in `stream`, successfully.
void graphprof_seam_uploaded(struct CUgraphExec_st *exec,
                             struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;
/// The program is about to destroy `exec`.
void graphprof_seam_execDestroying(struct CUgraphExec_st *exec) GRAPHPROF_NOEXCEPT;

enum graphprof_seam_launch {
  graphprof_seam_done,         ///< launched, the profiled exec or the program's own: all is done
  graphprof_seam_plain,        ///< launch the program's own exec
  graphprof_seam_plainThenMark ///< launch the program's own exec, then call launchedPlain
};
/// The program launches `exec` in `stream`.
enum graphprof_seam_launch graphprof_seam_launch(struct CUgraphExec_st *exec,
                                                 struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;
/// The program's own exec was launched in `stream`, successfully, as launch() asked for: the next
/// launch may be a profiled one, or the launch is shown.
void graphprof_seam_launchedPlain(struct CUgraphExec_st *exec,
                                  struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;

/// The program is about to reset its device: waits, a second at most, for the times of what was
/// launched.
void graphprof_seam_deviceResetting(void) GRAPHPROF_NOEXCEPT;

// Graphs

/// The program created `graph`, empty: what it adds while regions are open is theirs.
void graphprof_seam_graphCreated(struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;
/// The program added `node` to `graph`.
void graphprof_seam_nodeAdded(struct CUgraph_st *graph,
                              struct CUgraphNode_st *node) GRAPHPROF_NOEXCEPT;
/// `node` is conditional, and these are its bodies.
void graphprof_seam_bodiesAdded(struct CUgraph_st *graph, struct CUgraphNode_st *node,
                                struct CUgraph_st *const *bodies,
                                unsigned count) GRAPHPROF_NOEXCEPT;
/// `node` holds a copy of `child`.
void graphprof_seam_childAdded(struct CUgraph_st *graph, struct CUgraphNode_st *node,
                               struct CUgraph_st *child) GRAPHPROF_NOEXCEPT;
/// The program is about to destroy `node`.
void graphprof_seam_nodeDestroying(struct CUgraphNode_st *node) GRAPHPROF_NOEXCEPT;
/// The program is about to destroy `graph`.
void graphprof_seam_graphDestroying(struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;
/// The program cloned `graph`.
void graphprof_seam_graphCloned(struct CUgraph_st *clone,
                                struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;
/// The program changed `graph`, or the graph of `node`, in a way that cannot be repeated.
void graphprof_seam_graphEdited(struct CUgraph_st *graph) GRAPHPROF_NOEXCEPT;
void graphprof_seam_nodeEdited(struct CUgraphNode_st *node) GRAPHPROF_NOEXCEPT;
/// Where a change of a node of a graph has to be repeated; null where there is nothing to repeat.
struct CUgraphNode_st *graphprof_seam_nodeTwin(struct CUgraphNode_st *node) GRAPHPROF_NOEXCEPT;
/// It was repeated.
void graphprof_seam_nodeChanged(struct CUgraphNode_st *node) GRAPHPROF_NOEXCEPT;

// Nodes of an exec

/// Where a change of a node of `exec` has to be repeated; 0 where there is nothing to repeat, 2
/// where what the node does is shown: once repeated, the change is told to execNodeChanged.
int graphprof_seam_twin(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                        struct CUgraphExec_st **otherExec,
                        struct CUgraphNode_st **otherNode) GRAPHPROF_NOEXCEPT;
/// The program is about to have the kernel node `node` of `exec` run `function`, or where that is
/// null `kernel` (both null: it is not known what) in so many blocks, each of so many threads and
/// so much dynamic shared memory.
void graphprof_seam_execKernelChanging(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                       struct CUfunc_st *function, struct CUkern_st *kernel,
                                       unsigned long long blocks, unsigned threads,
                                       unsigned sharedBytes) GRAPHPROF_NOEXCEPT;
/// It was repeated; `kernel` is the symbol that a kernel node runs now, null where that is not
/// known or the node is none.
void graphprof_seam_execNodeChanged(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                    const char *kernel) GRAPHPROF_NOEXCEPT;
/// The program is about to give the child node `node` of `exec`, or where that is null of its
/// graph, another graph: returns what it is to be given. That is `child`; where the graph is timed
/// in place and has timing nodes in what the node holds, a copy of it that has them too, also while
/// graphprof is not active. childSet comes next, or childSetInGraph.
struct CUgraph_st *graphprof_seam_childSetting(struct CUgraphExec_st *exec,
                                               struct CUgraphNode_st *node,
                                               struct CUgraph_st *child) GRAPHPROF_NOEXCEPT;
/// It did so, or the driver refused.
void graphprof_seam_childSet(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                             struct CUgraph_st *child, int succeeded) GRAPHPROF_NOEXCEPT;
void graphprof_seam_childSetInGraph(struct CUgraphNode_st *node, struct CUgraph_st *child,
                                    int succeeded) GRAPHPROF_NOEXCEPT;
/// The program enables or disables `node` in `exec`, which stays so through updates.
void graphprof_seam_nodeSwitching(struct CUgraphExec_st *exec, struct CUgraphNode_st *node,
                                  int isOn) GRAPHPROF_NOEXCEPT;
/// A change could not be repeated: `exec` runs unprofiled from now on.
void graphprof_seam_notMirrored(struct CUgraphExec_st *exec) GRAPHPROF_NOEXCEPT;

// Copies

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
int graphprof_seam_inStep(void) GRAPHPROF_NOEXCEPT;
/// On `stream`. Null where it is not timed; else the argument of copyEnded. Asks the driver about
/// memory.
void *graphprof_seam_copyBegins(struct graphprof_seam_copy copy,
                                struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;
void graphprof_seam_copyEnded(void *copy, int succeeded) GRAPHPROF_NOEXCEPT;

// graphprof/c_steps.h
void graphprof_seam_step(void) GRAPHPROF_NOEXCEPT;
/// `mode`: a CopyMode.
void graphprof_seam_setCopies(int mode, int d2h, int d2d) GRAPHPROF_NOEXCEPT;
void graphprof_seam_wrapCopy(const void *source) GRAPHPROF_NOEXCEPT;
void graphprof_seam_patchCopies(int begins) GRAPHPROF_NOEXCEPT;

// Allocations. These make no CUDA call, but ask which device is current.

/// As graphprof::MemoryKind.
enum graphprof_seam_memory {
  graphprof_seam_memoryDevice,
  graphprof_seam_memoryPool,
  graphprof_seam_memoryManaged,
  graphprof_seam_memoryHost,
  graphprof_seam_memoryGraph
};
/// The program was given `bytes` at `address`; from a pool in the order of `stream`.
void graphprof_seam_allocated(const void *address, size_t bytes, enum graphprof_seam_memory kind,
                              struct CUstream_st *stream) GRAPHPROF_NOEXCEPT;
/// The same in the memory of `device`, its ordinal; -1: in the host's.
void graphprof_seam_allocatedOn(int device, const void *address, size_t bytes,
                                enum graphprof_seam_memory kind) GRAPHPROF_NOEXCEPT;

/// The program is about to free `address`; returns how many bytes of ours are known there, 0: none.
/// Where there are some, freed follows on this thread.
size_t graphprof_seam_freeing(const void *address) GRAPHPROF_NOEXCEPT;
/// It was freed, or is still the program's.
void graphprof_seam_freed(const void *address, size_t bytes, int succeeded) GRAPHPROF_NOEXCEPT;

// Memory that the program maps itself is freed when its handle has been released, as often as it
// was retained, and its last mapping is gone.

/// The program was given `handle`, to `bytes` of `device`; -1: of the host's.
void graphprof_seam_mappableCreated(unsigned long long handle, size_t bytes,
                                    int device) GRAPHPROF_NOEXCEPT;
void graphprof_seam_mappableRetained(unsigned long long handle) GRAPHPROF_NOEXCEPT;
void graphprof_seam_mappableMapped(unsigned long long handle, unsigned long long address,
                                   size_t bytes) GRAPHPROF_NOEXCEPT;
/// The program is about to release `handle`, or to take the mappings away that lie there. Null
/// where none of them is known; else the argument of mappableTaken(), which follows.
void *graphprof_seam_mappableReleasing(unsigned long long handle) GRAPHPROF_NOEXCEPT;
void *graphprof_seam_mappableUnmapping(unsigned long long address, size_t bytes) GRAPHPROF_NOEXCEPT;
void graphprof_seam_mappableTaken(void *taken, int succeeded) GRAPHPROF_NOEXCEPT;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif // GRAPHPROF_DETAIL_SEAM_H

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the redirected CUDA calls tell the library: the seam between graphprof/cuda.h, which is
// compiled with the program's own cudart, and libgraphprof, which links none. Not for programs to
// call.
//
// Every function here may be called from any thread, never throws, and touches no runtime API
// state.

#ifndef GRAPHPROF_DETAIL_GRAPH_CALLS_H
#define GRAPHPROF_DETAIL_GRAPH_CALLS_H

struct CUstream_st;
struct CUgraph_st;
struct CUgraphExec_st;
struct CUgraphNode_st;

namespace graphprof::detail {

/// The program began to capture `stream`, into a new graph or into one that it already has (the
/// body of a conditional node, perhaps).
enum class CaptureInto { NewGraph, ExistingGraph };
void captureBegan(CUstream_st *stream, CaptureInto target) noexcept;
/// The program is about to end the capture that `stream` is in: captureEnded comes next.
void captureEnding(CUstream_st *stream) noexcept;
/// The capture that began on `stream` ended; `graph` is what the program got, null where it did not
/// ask.
void captureEnded(CUstream_st *stream, bool succeeded, CUgraph_st *graph) noexcept;

/// The program is about to let `stream` wait for an event, which may fork or join a capture: waited
/// comes next where that worked.
void waiting(CUstream_st *stream) noexcept;
void waited(CUstream_st *stream) noexcept;

/// The program is about to clone `graph`, or to make it the child of another. What is known of it
/// is made to be true now: its capture may have ended unseen, it may have been changed since, or
/// its handle be another graph's.
void graphUsing(CUgraph_st *graph) noexcept;
/// The program is about to instantiate `graph` with `flags`: the same, and instantiated comes next.
void instantiating(CUgraph_st *graph, unsigned long long flags) noexcept;
/// It did so; `exec` is the handle that it got, null where the driver refused.
void instantiated(CUgraphExec_st *exec, CUgraph_st *graph, unsigned long long flags) noexcept;
/// The program is about to update `exec` from `graph`: the same, and updated comes next.
void updating(CUgraphExec_st *exec, CUgraph_st *graph) noexcept;
/// It did so, or the driver refused.
void updated(CUgraphExec_st *exec, CUgraph_st *graph, bool succeeded) noexcept;
/// The program uploaded `exec` in `stream`, successfully.
void uploaded(CUgraphExec_st *exec, CUstream_st *stream) noexcept;
/// The program is about to destroy `exec`.
void execDestroying(CUgraphExec_st *exec) noexcept;

enum class Launch {
  Done,          ///< launched, the profiled exec or the program's own: nothing is left to do
  Plain,         ///< launch the program's own exec
  PlainThenMark, ///< launch the program's own exec, then call launchedPlain
};
/// The program launches `exec` in `stream`.
Launch launch(CUgraphExec_st *exec, CUstream_st *stream) noexcept;
/// The program's own exec was launched in `stream`, successfully, as launch() asked for: the next
/// launch may be a profiled one, or the launch is shown.
void launchedPlain(CUgraphExec_st *exec, CUstream_st *stream) noexcept;

/// The program is about to reset its device: waits, a second at most, for the times of what was
/// launched.
void deviceResetting() noexcept;

/// The program created `graph`, empty: what it adds while regions are open is theirs.
void graphCreated(CUgraph_st *graph) noexcept;
/// The program added `node` to `graph`.
void nodeAdded(CUgraph_st *graph, CUgraphNode_st *node) noexcept;
/// `node` is conditional, and these are its bodies.
void bodiesAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *const *bodies,
                 unsigned count) noexcept;
/// `node` holds a copy of `child`.
void childAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *child) noexcept;
/// The program is about to destroy `node`.
void nodeDestroying(CUgraphNode_st *node) noexcept;
/// The program is about to destroy `graph`.
void graphDestroying(CUgraph_st *graph) noexcept;
/// The program cloned `graph`.
void graphCloned(CUgraph_st *clone, CUgraph_st *graph) noexcept;
/// The program changed `graph`, or the graph of `node`, in a way that cannot be repeated.
void graphEdited(CUgraph_st *graph) noexcept;
void graphEdited(CUgraphNode_st *node) noexcept;
/// Where a change of a node of a graph has to be repeated; null where there is nothing to repeat.
CUgraphNode_st *twin(CUgraphNode_st *node) noexcept;
/// It was repeated.
void nodeChanged(CUgraphNode_st *node) noexcept;

/// Where a change of a node of `exec` has to be repeated. `exec` is null where there is nothing to
/// repeat.
struct Twin {
  CUgraphExec_st *exec;
  CUgraphNode_st *node;
  bool isShown; ///< what the node does is shown: once repeated, the change is told to nodeChanged
};
Twin twin(CUgraphExec_st *exec, CUgraphNode_st *node) noexcept;
/// It was repeated; `kernel` is the symbol that a kernel node runs now, null where that is not
/// known or the node is none.
void nodeChanged(CUgraphExec_st *exec, CUgraphNode_st *node, const char *kernel) noexcept;
/// The program is about to give the child node `node` of `exec`, or where that is null of its
/// graph, another graph: returns what it is to be given. That is `child`; where the graph is timed
/// in place and has timing nodes in what the node holds, a copy of it that has them too. childSet
/// comes next.
CUgraph_st *childSetting(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraph_st *child) noexcept;
/// It did so, or the driver refused.
void childSet(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraph_st *child,
              bool succeeded) noexcept;
void childSet(CUgraphNode_st *node, CUgraph_st *child, bool succeeded) noexcept;
/// The program enables or disables a node of `exec`, which stays so through updates.
void nodeSwitching(CUgraphExec_st *exec) noexcept;
/// A change could not be repeated: `exec` runs unprofiled from now on.
void notMirrored(CUgraphExec_st *exec) noexcept;

} // namespace graphprof::detail

#endif // GRAPHPROF_DETAIL_GRAPH_CALLS_H

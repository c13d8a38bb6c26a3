// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// graphprof/detail/seam.h

#include "graphprof/detail/seam.h"

#include <cstdint>
#include <new>

#include "graphprof/control.h"
#include "graphprof/detail/graph_calls.h"
#include "graphprof/detail/memory_calls.h"
#include "graphprof/step.h"

namespace detail = graphprof::detail;
using graphprof::active;

CUstream_st *graphprof_seam_perThread(CUstream_st *stream) {
  constexpr std::uintptr_t perThread = 2; // CU_STREAM_PER_THREAD
  return stream ? stream : reinterpret_cast<CUstream_st *>(perThread);
}

void graphprof_seam_captureBegan(CUstream_st *stream, int intoExistingGraph) {
  if (active())
    detail::captureBegan(stream, intoExistingGraph ? detail::CaptureInto::ExistingGraph
                                                   : detail::CaptureInto::NewGraph);
}

void graphprof_seam_captureEnding(CUstream_st *stream) { detail::captureEnding(stream); }

void graphprof_seam_captureEnded(CUstream_st *stream, int succeeded, CUgraph_st *graph) {
  if (active())
    detail::captureEnded(stream, succeeded != 0, graph);
}

void graphprof_seam_waiting(CUstream_st *stream) {
  if (active())
    detail::waiting(stream);
}

void graphprof_seam_waited(CUstream_st *stream) {
  if (active())
    detail::waited(stream);
}

void graphprof_seam_graphUsing(CUgraph_st *graph) { detail::graphUsing(graph); }

void graphprof_seam_instantiating(CUgraph_st *graph, unsigned long long flags) {
  detail::instantiating(graph, flags);
}

void graphprof_seam_instantiated(CUgraphExec_st *exec, CUgraph_st *graph,
                                 unsigned long long flags) {
  if (active())
    detail::instantiated(exec, graph, flags);
}

void graphprof_seam_updating(CUgraphExec_st *exec, CUgraph_st *graph) {
  detail::updating(exec, graph);
}

void graphprof_seam_updated(CUgraphExec_st *exec, CUgraph_st *graph, int succeeded) {
  if (active())
    detail::updated(exec, graph, succeeded != 0);
}

void graphprof_seam_uploaded(CUgraphExec_st *exec, CUstream_st *stream) {
  if (active())
    detail::uploaded(exec, stream);
}

void graphprof_seam_execDestroying(CUgraphExec_st *exec) { detail::execDestroying(exec); }

enum graphprof_seam_launch graphprof_seam_launch(CUgraphExec_st *exec, CUstream_st *stream) {
  if (!active())
    return graphprof_seam_plain;
  switch (detail::launch(exec, stream)) {
  case detail::Launch::Done:
    return graphprof_seam_done;
  case detail::Launch::PlainThenMark:
    return graphprof_seam_plainThenMark;
  case detail::Launch::Plain:
    break;
  }
  return graphprof_seam_plain;
}

void graphprof_seam_launchedPlain(CUgraphExec_st *exec, CUstream_st *stream) {
  detail::launchedPlain(exec, stream);
}

void graphprof_seam_deviceResetting(void) { detail::deviceResetting(); }

void graphprof_seam_graphCreated(CUgraph_st *graph) {
  if (active())
    detail::graphCreated(graph);
}

void graphprof_seam_nodeAdded(CUgraph_st *graph, CUgraphNode_st *node) {
  if (active())
    detail::nodeAdded(graph, node);
}

void graphprof_seam_bodiesAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *const *bodies,
                                unsigned count) {
  if (active())
    detail::bodiesAdded(graph, node, bodies, count);
}

void graphprof_seam_childAdded(CUgraph_st *graph, CUgraphNode_st *node, CUgraph_st *child) {
  if (active())
    detail::childAdded(graph, node, child);
}

void graphprof_seam_nodeDestroying(CUgraphNode_st *node) {
  if (active())
    detail::nodeDestroying(node);
}

void graphprof_seam_graphDestroying(CUgraph_st *graph) { detail::graphDestroying(graph); }

void graphprof_seam_graphCloned(CUgraph_st *clone, CUgraph_st *graph) {
  if (active())
    detail::graphCloned(clone, graph);
}

void graphprof_seam_graphEdited(CUgraph_st *graph) {
  if (active())
    detail::graphEdited(graph);
}

void graphprof_seam_nodeEdited(CUgraphNode_st *node) {
  if (active())
    detail::graphEdited(node);
}

int graphprof_seam_twin(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraphExec_st **otherExec,
                        CUgraphNode_st **otherNode) {
  const detail::Twin twin =
      active() ? detail::twin(exec, node) : detail::Twin{nullptr, nullptr, false};
  *otherExec = twin.exec;
  *otherNode = twin.node;
  return !twin.exec ? 0 : twin.isShown ? 2 : 1;
}

void graphprof_seam_execNodeChanged(CUgraphExec_st *exec, CUgraphNode_st *node,
                                    const char *kernel) {
  detail::nodeChanged(exec, node, kernel);
}

CUgraphNode_st *graphprof_seam_nodeTwin(CUgraphNode_st *node) {
  return active() ? detail::twin(node) : nullptr;
}

void graphprof_seam_nodeChanged(CUgraphNode_st *node) { detail::nodeChanged(node); }

CUgraph_st *graphprof_seam_childSetting(CUgraphExec_st *exec, CUgraphNode_st *node,
                                        CUgraph_st *child) {
  return detail::childSetting(exec, node, child);
}

void graphprof_seam_childSet(CUgraphExec_st *exec, CUgraphNode_st *node, CUgraph_st *child,
                             int succeeded) {
  detail::childSet(exec, node, child, succeeded != 0);
}

void graphprof_seam_childSetInGraph(CUgraphNode_st *node, CUgraph_st *child, int succeeded) {
  detail::childSet(node, child, succeeded != 0);
}

void graphprof_seam_nodeSwitching(CUgraphExec_st *exec) { detail::nodeSwitching(exec); }

void graphprof_seam_notMirrored(CUgraphExec_st *exec) { detail::notMirrored(exec); }

int graphprof_seam_inStep(void) { return active() && graphprof::currentStep() >= 0 ? 1 : 0; }

void *graphprof_seam_copyBegins(graphprof_seam_copy copy, CUstream_st *stream) {
  const detail::TimedCopy timed = detail::timedCopy(copy, stream);
  return timed.site ? new (std::nothrow) graphprof::Scope(*timed.site, graphprof::StreamRef(stream),
                                                          graphprof::key("bytes", timed.bytes),
                                                          graphprof::key("memory", timed.memory))
                    : nullptr;
}

void graphprof_seam_copyEnded(void *copy, int succeeded) {
  auto *const scope = static_cast<graphprof::Scope *>(copy);
  if (!succeeded)
    scope->discard();
  delete scope;
}

void graphprof_seam_allocated(const void *address, std::size_t bytes, graphprof_seam_memory kind,
                              CUstream_st *stream) {
  static_assert(static_cast<int>(graphprof::MemoryKind::Graph) == graphprof_seam_memoryGraph);
  if (active())
    detail::memoryAllocated(address, bytes, static_cast<graphprof::MemoryKind>(kind), stream);
}

void graphprof_seam_allocatedOn(int device, const void *address, std::size_t bytes,
                                graphprof_seam_memory kind) {
  if (active())
    detail::memoryAllocatedOn(device, address, bytes, static_cast<graphprof::MemoryKind>(kind));
}

namespace {
detail::ArrayShape shapeOf(const graphprof_seam_shape &shape) {
  return {shape.width, shape.height, shape.depth, shape.flags, shape.levels};
}
} // namespace

void graphprof_seam_channelArray(const void *array, graphprof_seam_shape shape, int kind,
                                 int channelBits) {
  if (active())
    detail::channelArrayAllocated(array, shapeOf(shape), kind, channelBits);
}

void graphprof_seam_formatArray(const void *array, graphprof_seam_shape shape, int format,
                                unsigned channels) {
  if (active())
    detail::formatArrayAllocated(array, shapeOf(shape), format, channels);
}

std::size_t graphprof_seam_freeing(const void *address) {
  return address && active() ? detail::memoryFreeing(address) : 0;
}

void graphprof_seam_freed(const void *address, std::size_t bytes, int succeeded) {
  if (succeeded)
    detail::memoryFreed(bytes);
  else
    detail::memoryKept(address, bytes);
}

void graphprof_seam_mappableCreated(unsigned long long handle, std::size_t bytes, int device) {
  if (active())
    detail::mappableCreated(handle, bytes, device);
}

void graphprof_seam_mappableRetained(unsigned long long handle) {
  if (active())
    detail::mappableRetained(handle);
}

void graphprof_seam_mappableMapped(unsigned long long handle, unsigned long long address,
                                   std::size_t bytes) {
  if (active())
    detail::mappableMapped(handle, address, bytes);
}

void *graphprof_seam_mappableReleasing(unsigned long long handle) {
  return active() ? detail::mappableReleasing(handle) : nullptr;
}

void *graphprof_seam_mappableUnmapping(unsigned long long address, std::size_t bytes) {
  return active() ? detail::mappableUnmapping(address, bytes) : nullptr;
}

void graphprof_seam_mappableTaken(void *taken, int succeeded) {
  detail::mappableTaken(static_cast<detail::MappableTaken *>(taken), succeeded != 0);
}

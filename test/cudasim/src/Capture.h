// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Stream capture: one Capture from cudaStreamBeginCapture to cudaStreamEndCapture, the streams that
// joined it, and the rules by which other calls are refused or break it.

#ifndef CUDASIM_SRC_CAPTURE_H
#define CUDASIM_SRC_CAPTURE_H

#include "Edge.h"
#include "Op.h"

#include <memory>
#include <thread>
#include <vector>

struct CUstream_st;
struct CUgraphNode_st;
struct CUevent_st;

namespace cudasim {

// The nodes that the next work of a capturing stream will depend on, with the data of those edges.
struct Frontier {
  std::vector<CUgraphNode_st *> nodes;
  std::vector<cudaGraphEdgeData> edges;

  // A node that is there already keeps one edge: the one that waits for the whole of it, if any.
  void add(CUgraphNode_st *node, cudaGraphEdgeData edge);
  void forget(const CUgraphNode_st *node);
};

struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id owner;
  CUgraph_st *graph = nullptr;
  bool madeGraph = true; // else cudaStreamBeginCaptureToGraph was given it
  CUstream_st *origin = nullptr;
  std::vector<CUstream_st *> streams;
  bool invalidated = false;
};

cudaError_t beginCapture(Device &device, cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t beginCaptureToGraph(Device &device, cudaStream_t stream, cudaGraph_t graph,
                                const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, std::size_t count,
                                cudaStreamCaptureMode mode);
cudaError_t endCapture(Device &device, cudaStream_t stream, cudaGraph_t *graph);
cudaError_t isCapturing(Device &device, cudaStream_t stream, cudaStreamCaptureStatus *status);
cudaError_t captureInfo(Device &device, cudaStream_t stream, cudaStreamCaptureStatus *status,
                        unsigned long long *id, cudaGraph_t *graph,
                        const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edgeData,
                        std::size_t *count);
cudaError_t updateCaptureDependencies(Device &device, cudaStream_t stream,
                                      cudaGraphNode_t *dependencies,
                                      const cudaGraphEdgeData *edgeData, std::size_t count,
                                      unsigned flags);
cudaError_t exchangeMode(cudaStreamCaptureMode *mode);

// A capturing stream takes part in event's capture: a fork, or a join.
cudaError_t waitInCapture(Device &device, CUstream_st &stream, CUevent_st &event);

// A stream that goes away, or an abandoned capture: its streams leave, nothing is returned.
void abandon(Device &device, Capture &capture);

// For a call that could break a capture ("unsafe" in CUDA's words): refused, and the captures that
// it met are invalidated, unless the calling thread's mode allows it.
[[nodiscard]] cudaError_t forbidUnsafe(Device &device);

// For a call that no capture of the context survives (cudaDeviceSynchronize), whatever its mode.
[[nodiscard]] cudaError_t forbidAnyCapture(Device &device);

// For work on the legacy stream, which would wait for blocking streams being captured.
[[nodiscard]] cudaError_t forbidLegacy(Device &device);

// For a wait or a look at an event whose last record was captured: breaks that capture if it still
// goes on.
cudaError_t refuseCaptured(CUevent_st &event);

} // namespace cudasim

#endif // CUDASIM_SRC_CAPTURE_H

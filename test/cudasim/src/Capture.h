// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Stream capture: a Capture exists from cudaStreamBeginCapture to cudaStreamEndCapture. Also the
// streams that joined it, and the rules by which other calls are refused or break it.

#ifndef CUDASIM_SRC_CAPTURE_H
#define CUDASIM_SRC_CAPTURE_H

#include "Edge.h"
#include "Op.h"

#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

struct CUstream_st;
struct CUgraphNode_st;
struct CUevent_st;

namespace cudasim {

// The nodes that the next work of a capturing stream depends on, with the data of those edges.
struct Frontier {
  std::vector<CUgraphNode_st *> nodes;
  std::vector<cudaGraphEdgeData> edges;

  // If the node is already there, it keeps one edge: the one that waits for the whole node, if any.
  void add(CUgraphNode_st *node, cudaGraphEdgeData edge);
  void forget(const CUgraphNode_st *node);
};

// A capture of the nodes that a graph has already, in the order in which they were created.
struct Recapture {
  // Called for a node whose parameters differ; an error ends the recapture.
  using Changed = std::function<cudaError_t(CUgraphNode_st &node, const Op &recaptured)>;

  Changed changed;      // empty: they may differ
  std::size_t next = 0; // the node that comes next
};

struct Capture {
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id owner;
  CUgraph_st *graph = nullptr;
  bool madeGraph = true; // otherwise cudaStreamBeginCaptureToGraph got it
  std::optional<Recapture> recapture;
  CUstream_st *origin = nullptr;
  std::vector<CUstream_st *> streams;
  bool invalidated = false;
  bool isCommandList = false; // the graph stands in for one of a graphics API
};

cudaError_t beginCapture(Device &device, cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t beginCaptureToGraph(Device &device, cudaStream_t stream, cudaGraph_t graph,
                                const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, std::size_t count,
                                cudaStreamCaptureMode mode);
// The graph must get the same nodes, with the same edges. If it does not, and in any other failure,
// it must be destroyed: nothing else takes it any more.
cudaError_t beginRecapture(Device &device, cudaStream_t stream, cudaStreamCaptureMode mode,
                           cudaGraph_t graph, Recapture::Changed changed);
// The next node of a recapture does `op` from now on, behind what the stream is behind.
cudaError_t recaptureNode(Capture &capture, Recapture &recapture, const Frontier &frontier, Op op,
                          CUgraphNode_st **node);
cudaError_t endCapture(Device &device, cudaStream_t stream, cudaGraph_t *graph);
// Into a command list of a graphics API, which runs once, as soon as the capture has ended.
cudaError_t beginCommandList(Device &device, cudaStream_t stream);
cudaError_t endCommandList(Device &device, cudaStream_t stream);
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

// Makes a stream wait for an event of a capture: a fork or a join.
cudaError_t waitInCapture(Device &device, CUstream_st &stream, CUevent_st &event);

// Ends a capture without a result: all its streams leave it. For destroyed streams and abandoned
// captures.
void abandon(Device &device, Capture &capture);

// Call it in functions that CUDA calls unsafe during captures. Unless the thread's capture mode
// allows them, returns an error and invalidates the captures in question.
[[nodiscard]] cudaError_t forbidUnsafe(Device &device);

// Call it in functions that break every capture of the context in any mode (cudaDeviceSynchronize).
[[nodiscard]] cudaError_t forbidAnyCapture(Device &device);

// Call it for work on the legacy stream, which would wait for blocking streams that are being
// captured.
[[nodiscard]] cudaError_t forbidLegacy(Device &device);

// Call it in functions that wait for an event or query it. For an event that was captured: returns
// an error, and breaks the capture if it is still open.
cudaError_t refuseCaptured(CUevent_st &event);

} // namespace cudasim

#endif // CUDASIM_SRC_CAPTURE_H

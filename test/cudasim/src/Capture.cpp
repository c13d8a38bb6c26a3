// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// CUDA's rules for stream capture.

#include "Capture.h"

#include "Device.h"
#include "Event.h"
#include "Exec.h"
#include "Graph.h"
#include "Stream.h"

#include <algorithm>
#include <unordered_set>

namespace cudasim {
namespace {

thread_local cudaStreamCaptureMode threadMode = cudaStreamCaptureModeGlobal;

bool validMode(cudaStreamCaptureMode mode) {
  return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

void join(const std::shared_ptr<Capture> &capture, CUstream_st &stream) {
  stream.capture = capture;
  stream.frontier = {};
  capture->streams.push_back(&stream);
}

void leave(Capture &capture) {
  for (CUstream_st *stream : capture.streams) {
    stream->capture.reset();
    stream->frontier = {};
  }
  capture.streams.clear();
}

// Whether edges of any kind lead from all captured work to the stream that began the capture.
bool allJoined(const Capture &capture) {
  std::unordered_set<const CUgraphNode_st *> reached;
  std::vector<const CUgraphNode_st *> open(capture.origin->frontier.nodes.begin(),
                                           capture.origin->frontier.nodes.end());
  while (!open.empty()) {
    const CUgraphNode_st *node = open.back();
    open.pop_back();
    if (reached.insert(node).second)
      for (const Edge &edge : node->in)
        open.push_back(edge.node);
  }
  for (const CUstream_st *stream : capture.streams)
    for (const CUgraphNode_st *node : stream->frontier.nodes)
      if (!reached.count(node))
        return false;
  return true;
}

cudaError_t begin(Device &device, cudaStream_t handle, CUgraph_st *graph,
                  cudaStreamCaptureMode mode, CUstream_st **began) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!validMode(mode))
    return cudaErrorInvalidValue;
  if (stream->isLegacy())
    return cudaErrorStreamCaptureUnsupported;
  if (stream->capture)
    return cudaErrorIllegalState;

  auto capture = std::make_shared<Capture>();
  capture->mode = mode;
  capture->owner = std::this_thread::get_id();
  capture->madeGraph = !graph;
  capture->graph =
      graph ? graph : device.graphs.add(std::shared_ptr<CUgraph_st>(new CUgraph_st(device, true)));
  capture->id = capture->graph->id;
  capture->origin = stream;
  join(capture, *stream);
  device.captures.push_back(capture);
  *began = stream;
  return cudaSuccess;
}

void finish(Device &device, Capture &capture) {
  leave(capture);
  if (capture.recapture && capture.recapture->next != capture.graph->nodes.size())
    capture.graph->isUndefined = true;
  std::erase_if(device.captures, [&](const auto &other) { return other.get() == &capture; });
}

// Whether the handles are nodes of the graph, and edges with these data can leave them.
bool areInGraph(const Device &device, const CUgraph_st &graph, const cudaGraphNode_t *nodes,
                const cudaGraphEdgeData *edgeData, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!device.nodes.count(nodes[i]) || nodes[i]->graph != &graph ||
        (edgeData && !mayLeave(nodes[i]->type(), edgeData[i])))
      return false;
  return true;
}

bool hasSameEdges(const CUgraphNode_st &node, const Frontier &frontier) {
  if (node.in.size() != frontier.nodes.size())
    return false;
  for (std::size_t i = 0; i < frontier.nodes.size(); ++i)
    if (std::none_of(node.in.begin(), node.in.end(), [&](const Edge &edge) {
          return edge.node == frontier.nodes[i] && sameData(edge.data, frontier.edges[i]);
        }))
      return false;
  return true;
}

bool hasBlockingStream(const Capture &capture) {
  return std::any_of(capture.streams.begin(), capture.streams.end(),
                     [](const CUstream_st *stream) { return stream->isBlocking(); });
}

bool blockedByLegacy(const Device &device) {
  return std::any_of(device.captures.begin(), device.captures.end(),
                     [](const auto &capture) { return hasBlockingStream(*capture); });
}

} // namespace

void Frontier::add(CUgraphNode_st *node, cudaGraphEdgeData edge) {
  if (auto at = std::find(nodes.begin(), nodes.end(), node); at != nodes.end()) {
    if (isFull(edge))
      edges[static_cast<std::size_t>(at - nodes.begin())] = edge;
    return;
  }
  nodes.push_back(node);
  edges.push_back(edge);
}

void Frontier::forget(const CUgraphNode_st *node) {
  auto at = std::find(nodes.begin(), nodes.end(), node);
  if (at == nodes.end())
    return;
  edges.erase(edges.begin() + (at - nodes.begin()));
  nodes.erase(at);
}

cudaError_t beginCapture(Device &device, cudaStream_t stream, cudaStreamCaptureMode mode) {
  CUstream_st *began = nullptr;
  return begin(device, stream, nullptr, mode, &began);
}

cudaError_t beginCaptureToGraph(Device &device, cudaStream_t stream, cudaGraph_t graphHandle,
                                const cudaGraphNode_t *dependencies,
                                const cudaGraphEdgeData *edgeData, std::size_t count,
                                cudaStreamCaptureMode mode) {
  CUgraph_st *graph = findGraph(device, graphHandle);
  if (!graph || (count && !dependencies))
    return cudaErrorInvalidValue;
  if (!areInGraph(device, *graph, dependencies, edgeData, count))
    return cudaErrorInvalidValue;
  CUstream_st *began = nullptr;
  if (cudaError_t status = begin(device, stream, graph, mode, &began))
    return status;
  for (std::size_t i = 0; i < count; ++i)
    began->frontier.add(dependencies[i], edgeData ? edgeData[i] : cudaGraphEdgeData{});
  return cudaSuccess;
}

cudaError_t beginRecapture(Device &device, cudaStream_t stream, cudaStreamCaptureMode mode,
                           cudaGraph_t graphHandle, Recapture::Changed changed) {
  CUgraph_st *graph = findGraph(device, graphHandle);
  if (!graph)
    return cudaErrorInvalidValue;
  CUstream_st *began = nullptr;
  if (cudaError_t status = begin(device, stream, graph, mode, &began))
    return status;
  began->capture->recapture = {std::move(changed)};
  return cudaSuccess;
}

cudaError_t recaptureNode(Capture &capture, Recapture &recapture, const Frontier &frontier, Op op,
                          CUgraphNode_st **recaptured) {
  CUgraphNode_st *const node = recapture.next < capture.graph->nodes.size()
                                   ? capture.graph->nodes[recapture.next].get()
                                   : nullptr;
  const bool isMemory = std::holds_alternative<AllocOp>(op) || std::holds_alternative<FreeOp>(op);
  const bool same = node && hasSameEdges(*node, frontier) && node->type() == typeOf(op) &&
                    (!isMemory || haveSameParams(node->op, op));
  const bool refused = same && recapture.changed && !haveSameParams(node->op, op) &&
                       recapture.changed(*node, op) != cudaSuccess;
  if (!same || refused) {
    capture.invalidated = capture.graph->isUndefined = true;
    return cudaErrorGraphRecaptureFailure;
  }
  if (!isMemory) // memory stays where it is
    node->op = std::move(op);
  ++recapture.next;
  *recaptured = node;
  return cudaSuccess;
}

cudaError_t endCapture(Device &device, cudaStream_t handle, cudaGraph_t *graph) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture || capture->isCommandList)
    return graph ? cudaErrorIllegalState : cudaErrorInvalidValue;
  if (!graph && capture->madeGraph) // an existing graph stays with the program
    return cudaErrorInvalidValue;
  if (capture->origin != stream)
    return cudaErrorStreamCaptureUnmatched;
  // The capture ends, whatever the result.
  cudaError_t status = cudaSuccess;
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->owner != std::this_thread::get_id())
    status = cudaErrorStreamCaptureWrongThread;
  else if (capture->invalidated)
    status = cudaErrorStreamCaptureInvalidated;
  else if (!allJoined(*capture))
    status = cudaErrorStreamCaptureUnjoined;
  else if (capture->recapture && capture->recapture->next != capture->graph->nodes.size())
    status = cudaErrorGraphRecaptureFailure;
  if (capture->recapture && status != cudaSuccess)
    capture->graph->isUndefined = true;
  finish(device, *capture);
  if (graph)
    *graph = status == cudaSuccess ? capture->graph : nullptr;
  if (status != cudaSuccess && capture->madeGraph)
    device.graphs.remove(capture->graph);
  return status;
}

cudaError_t beginCommandList(Device &device, cudaStream_t stream) {
  CUstream_st *began = nullptr;
  if (cudaError_t status = begin(device, stream, nullptr, cudaStreamCaptureModeRelaxed, &began))
    return status;
  began->capture->isCommandList = true;
  return cudaSuccess;
}

cudaError_t endCommandList(Device &device, cudaStream_t handle) {
  CUstream_st *stream = device.stream(handle);
  if (!stream || !stream->capture || !stream->capture->isCommandList)
    return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  stream->capture->isCommandList = false;
  cudaGraph_t list = nullptr;
  if (cudaError_t status = endCapture(device, handle, &list))
    return status;
  cudaGraphExec_t exec = nullptr;
  cudaError_t status = instantiate(device, &exec, list, 0);
  if (status == cudaSuccess)
    status = execLaunch(device, exec, handle);
  if (exec)
    execDestroy(device, exec);
  graphDestroy(device, list);
  return status;
}

cudaError_t isCapturing(Device &device, cudaStream_t stream, cudaStreamCaptureStatus *status) {
  if (!status)
    return cudaErrorInvalidValue;
  return captureInfo(device, stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t captureInfo(Device &device, cudaStream_t handle, cudaStreamCaptureStatus *status,
                        unsigned long long *id, cudaGraph_t *graph,
                        const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edgeData,
                        std::size_t *count) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (!status)
    return cudaErrorInvalidValue;
  if (stream->isLegacy()) {
    // A query of the legacy stream is refused like work on it, but breaks nothing.
    if (blockedByLegacy(device))
      return cudaErrorStreamCaptureImplicit;
  }
  const Capture *capture = stream->capture.get();
  if (capture && capture->isCommandList) // no graph is captured
    capture = nullptr;
  *status = !capture               ? cudaStreamCaptureStatusNone
            : capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
  if (*status != cudaStreamCaptureStatusActive)
    return cudaSuccess;
  const Frontier &frontier = stream->frontier;
  if (dependencies && !edgeData)
    for (const cudaGraphEdgeData &edge : frontier.edges)
      if (carriesData(edge))
        return cudaErrorLossyQuery;
  if (id)
    *id = capture->id;
  if (graph)
    *graph = capture->graph;
  if (dependencies)
    *dependencies = frontier.nodes.data();
  if (edgeData)
    *edgeData = frontier.edges.data();
  if (count)
    *count = frontier.nodes.size();
  return cudaSuccess;
}

cudaError_t updateCaptureDependencies(Device &device, cudaStream_t handle,
                                      cudaGraphNode_t *dependencies,
                                      const cudaGraphEdgeData *edgeData, std::size_t count,
                                      unsigned flags) {
  CUstream_st *stream = device.stream(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (flags > cudaStreamSetCaptureDependencies || (count && !dependencies))
    return cudaErrorInvalidValue;
  if (!stream->capture)
    return cudaErrorIllegalState;
  if (stream->capture->invalidated)
    return cudaErrorStreamCaptureInvalidated;
  if (!areInGraph(device, *stream->capture->graph, dependencies, edgeData, count))
    return cudaErrorInvalidValue;
  if (flags == cudaStreamSetCaptureDependencies)
    stream->frontier = {};
  for (std::size_t i = 0; i < count; ++i)
    stream->frontier.add(dependencies[i], edgeData ? edgeData[i] : cudaGraphEdgeData{});
  return cudaSuccess;
}

cudaError_t exchangeMode(cudaStreamCaptureMode *mode) {
  if (!mode || !validMode(*mode))
    return cudaErrorInvalidValue;
  std::swap(*mode, threadMode);
  return cudaSuccess;
}

cudaError_t waitInCapture(Device &, CUstream_st &stream, CUevent_st &event) {
  std::shared_ptr<Capture> capture =
      event.state == CUevent_st::State::Captured ? event.capture.lock() : nullptr;
  if (stream.capture) {
    if (stream.capture->invalidated)
      return cudaErrorStreamCaptureInvalidated;
    if (event.state == CUevent_st::State::Never)
      return cudaSuccess; // nothing to wait for
    if (capture != stream.capture) {
      stream.capture->invalidated = true;
      if (!capture)
        return cudaErrorStreamCaptureIsolation;
      capture->invalidated = true;
      return cudaErrorStreamCaptureMerge;
    }
  } else {
    if (!capture)
      return cudaErrorInvalidValue; // captured once, by a capture that has ended
    if (capture->invalidated)
      return cudaErrorStreamCaptureInvalidated;
    if (stream.isLegacy()) {
      capture->invalidated = true;
      return cudaErrorStreamCaptureImplicit;
    }
    join(capture, stream);
  }
  for (std::size_t i = 0; i < event.frontier.nodes.size(); ++i)
    stream.frontier.add(event.frontier.nodes[i], event.frontier.edges[i]);
  return cudaSuccess;
}

void abandon(Device &device, Capture &capture) {
  CUgraph_st *graph = capture.madeGraph ? capture.graph : nullptr;
  finish(device, capture);
  if (graph)
    device.graphs.remove(graph);
}

cudaError_t forbidUnsafe(Device &device) {
  if (threadMode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  cudaError_t status = cudaSuccess;
  for (const auto &capture : device.captures) {
    if (capture->mode == cudaStreamCaptureModeRelaxed)
      continue;
    const bool own = capture->owner == std::this_thread::get_id();
    const bool reachesUs =
        capture->mode == cudaStreamCaptureModeGlobal && threadMode == cudaStreamCaptureModeGlobal;
    if (!own && !reachesUs)
      continue;
    capture->invalidated = true;
    status = cudaErrorStreamCaptureUnsupported;
  }
  return status;
}

cudaError_t forbidAnyCapture(Device &device) {
  for (const auto &capture : device.captures)
    capture->invalidated = true;
  return device.captures.empty() ? cudaSuccess : cudaErrorStreamCaptureUnsupported;
}

cudaError_t forbidLegacy(Device &device) {
  cudaError_t status = cudaSuccess;
  for (const auto &capture : device.captures) {
    if (!hasBlockingStream(*capture))
      continue;
    capture->invalidated = true;
    status = cudaErrorStreamCaptureImplicit;
  }
  return status;
}

cudaError_t refuseCaptured(CUevent_st &event) {
  auto capture = event.capture.lock();
  if (!capture)
    return cudaErrorInvalidValue;
  capture->invalidated = true;
  return cudaErrorCapturedEvent;
}

} // namespace cudasim

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Captures: how they begin, what joins them, what they produce, what breaks them.

#include "Conformance.h"

namespace conformance {
namespace {

struct CaptureRules : Conformance {
  Stream stream, fork;
  Event forked, joined;
  Graph graph;

  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    OK(cudaStreamBeginCapture(stream, mode));
  }
};

TEST_F(CaptureRules, CapturedWorkBecomesChain) {
  // Captured work becomes a chain of nodes.
  begin();
  spinOn(stream);
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, &graph));
  auto nodes = nodesOf(graph);
  ASSERT_EQ(2u, nodes.size());
  std::size_t roots = 0;
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT_EQ(1u, roots);
}

TEST_F(CaptureRules, LegacyStreamCannotBeCaptured) {
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported,
              cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}

TEST_F(CaptureRules, BeginningTwiceIsIllegal) {
  begin();
  EXPECT_CUDA(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_CUDA(cudaSuccess, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, EndingWithoutBeginningIsIllegal) {
  EXPECT_CUDA(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, ForeignEndLosesGlobalCapture) {
  // Another thread's end of a global capture loses it.
  begin();
  onAnotherThread([&] {
    cudaGraph_t ended = nullptr;
    EXPECT_CUDA(cudaErrorStreamCaptureWrongThread, cudaStreamEndCapture(stream, &ended));
    EXPECT_EQ(nullptr, ended);
  });
  EXPECT_CUDA(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, AnyThreadEndsRelaxedCapture) {
  // Another thread can end a relaxed capture.
  begin(cudaStreamCaptureModeRelaxed);
  onAnotherThread([&] { EXPECT_CUDA(cudaSuccess, cudaStreamEndCapture(stream, &graph)); });
}

TEST_F(CaptureRules, CaptureInfoTellsFinalGraph) {
  // The graph of the capture's info is the graph that cudaStreamEndCapture returns.
  begin();
  spinOn(stream);
  cudaStreamCaptureStatus status;
  cudaGraph_t during = nullptr;
  const cudaGraphNode_t *frontier = nullptr;
  std::size_t count = 0;
  unsigned long long id = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, &id, &during, &frontier, nullptr, &count));
  EXPECT_EQ(cudaStreamCaptureStatusActive, status);
  EXPECT_NE(0u, id);
  ASSERT_EQ(1u, count);
  const cudaGraphNode_t last = frontier[0];
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(during, graph);
  EXPECT_EQ(nodesOf(graph).back(), last);
}

TEST_F(CaptureRules, CaptureIdsAreNeverReused) {
  unsigned long long ids[2];
  for (auto &id : ids) {
    Graph captured;
    cudaStreamCaptureStatus status;
    begin();
    OK(cudaStreamGetCaptureInfo(stream, &status, &id));
    OK(cudaStreamEndCapture(stream, &captured));
  }
  EXPECT_NE(ids[0], ids[1]);
}

TEST_F(CaptureRules, EventForksAndJoins) {
  begin();
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamWaitEvent(fork, forked));
  EXPECT_EQ(cudaStreamCaptureStatusActive, captureStatus(fork));
  spinOn(fork);
  spinOn(stream);
  OK(cudaEventRecord(joined, fork));
  OK(cudaStreamWaitEvent(stream, joined));
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(cudaStreamCaptureStatusNone, captureStatus(fork));
  auto nodes = nodesOf(graph);
  ASSERT_EQ(4u, nodes.size());
  std::size_t edges = 0;
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  EXPECT_EQ(4u, edges);
}

TEST_F(CaptureRules, UnjoinedForkFailsCapture) {
  begin();
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamWaitEvent(fork, forked));
  spinOn(fork);
  EXPECT_CUDA(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(nullptr, static_cast<cudaGraph_t>(graph));
  EXPECT_EQ(cudaStreamCaptureStatusNone, captureStatus(fork));
}

TEST_F(CaptureRules, IdleForkNeedsNoJoin) {
  // A fork without work needs no join.
  begin();
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamWaitEvent(fork, forked));
  EXPECT_CUDA(cudaSuccess, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, ExternalEventDoesNotJoin) {
  begin();
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamWaitEvent(fork, forked));
  spinOn(fork);
  OK(cudaEventRecordWithFlags(joined, fork, cudaEventRecordExternal));
  // Until a replay has recorded the event, there is nothing to wait for.
  EXPECT_CUDA(cudaSuccess, cudaStreamWaitEvent(stream, joined));
  EXPECT_CUDA(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, EndingOnForkIsUnmatched) {
  begin();
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamWaitEvent(fork, forked));
  EXPECT_CUDA(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(fork, &graph));
  cudaStreamEndCapture(stream, &graph);
}

TEST_F(CaptureRules, OutsideEventBreaksCapture) {
  // Waiting for an event from outside breaks the capture.
  OK(cudaEventRecord(forked, fork));
  begin();
  EXPECT_CUDA(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, forked));
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, TwoCapturesDoNotMerge) {
  Graph other;
  begin(cudaStreamCaptureModeRelaxed);
  OK(cudaStreamBeginCapture(fork, cudaStreamCaptureModeRelaxed));
  spinOn(fork);
  OK(cudaEventRecord(forked, fork));
  EXPECT_CUDA(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(stream, forked));
  cudaStreamEndCapture(stream, &graph);
  cudaStreamEndCapture(fork, &other);
}

TEST_F(CaptureRules, EndedCapturesEventIsUseless) {
  // An event of an ended capture cannot be waited for.
  begin();
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaStreamWaitEvent(fork, forked));
}

TEST_F(CaptureRules, StreamSynchroniseBreaksCapture) {
  // Synchronising the stream is refused and breaks the capture.
  begin();
  spinOn(stream);
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  EXPECT_EQ(cudaStreamCaptureStatusInvalidated, captureStatus(stream));
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(nullptr, static_cast<cudaGraph_t>(graph));
  EXPECT_EQ(cudaStreamCaptureStatusNone, captureStatus(stream));
}

TEST_F(CaptureRules, BrokenCaptureRefusesWork) {
  begin();
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  spinOn(stream);
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaGetLastError());
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaEventRecord(forked, stream));
  cudaStreamEndCapture(stream, &graph);
}

TEST_F(CaptureRules, DeviceSynchroniseBreaksCapture) {
  // The device cannot be synchronised during a capture.
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, CapturedEventQueryIsRefused) {
  // A query of an event in its capture is refused even when relaxed.
  begin(cudaStreamCaptureModeRelaxed);
  spinOn(stream);
  OK(cudaEventRecord(forked, stream));
  {
    Relaxed relaxed;
    EXPECT_CUDA(cudaErrorCapturedEvent, cudaEventQuery(forked));
  }
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, CapturedElapsedTimeIsRefused) {
  // Elapsed time of events in their capture is refused and harmless.
  float ms = 0;
  begin(cudaStreamCaptureModeRelaxed);
  OK(cudaEventRecord(forked, stream));
  OK(cudaEventRecord(joined, stream));
  EXPECT_CUDA(cudaErrorCapturedEvent, cudaEventElapsedTime(&ms, forked, joined));
  EXPECT_CUDA(cudaSuccess, cudaStreamEndCapture(stream, &graph));
}

TEST_F(CaptureRules, LegacyWorkBreaksBlockingCapture) {
  // Legacy stream work breaks a capture of a blocking stream.
  Stream blocking(cudaStreamDefault);
  OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  spinOn(nullptr);
  EXPECT_CUDA(cudaErrorStreamCaptureImplicit, cudaGetLastError());
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
}

TEST_F(CaptureRules, LegacyRecordBreaksBlockingCapture) {
  // An event record on the legacy stream breaks a capture of a blocking stream.
  Stream blocking(cudaStreamDefault);
  OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  EXPECT_CUDA(cudaErrorStreamCaptureImplicit, cudaEventRecord(forked, nullptr));
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
}

TEST_F(CaptureRules, LegacyCaptureQueryIsHarmless) {
  // A look at the legacy stream's capture state is refused and harmless.
  Stream blocking(cudaStreamDefault);
  cudaStreamCaptureStatus status;
  OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  EXPECT_CUDA(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(nullptr, &status));
  EXPECT_CUDA(cudaSuccess, cudaStreamEndCapture(blocking, &graph));
}

TEST_F(CaptureRules, LegacyWorkSparesNonBlockingCapture) {
  // Legacy stream work leaves a capture of a non-blocking stream alone.
  begin(cudaStreamCaptureModeRelaxed);
  spinOn(nullptr);
  EXPECT_CUDA(cudaSuccess, cudaGetLastError());
  EXPECT_CUDA(cudaSuccess, cudaStreamEndCapture(stream, &graph));
}

// A graph cannot be launched into a capture. Also in relaxed mode, and for an exec that was
// launched before. To put a graph into a graph, a program adds a child graph node.
TEST_F(CaptureRules, LaunchIntoCaptureIsRefused) {
  Graph inner;
  Exec exec;
  captureChain(fork, &inner, 2);
  OK(cudaGraphInstantiate(&exec, inner, 0));
  OK(cudaGraphLaunch(exec, fork));
  OK(cudaStreamSynchronize(fork));
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
  cudaStreamEndCapture(stream, &graph);
}

TEST_F(CaptureRules, ChildNodeCopiesItsGraph) {
  // A child graph node holds a copy of its graph.
  Graph inner;
  captureChain(fork, &inner, 2);
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t child = nullptr;
  cudaGraph_t embedded = nullptr;
  OK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  EXPECT_EQ(cudaGraphNodeTypeGraph, typeOf(child));
  OK(cudaGraphChildGraphNodeGetGraph(child, &embedded));
  EXPECT_NE(static_cast<cudaGraph_t>(inner), embedded);
  EXPECT_EQ(2u, nodesOf(embedded).size());
}

TEST_F(CaptureRules, CaptureToGraphAppends) {
  captureChain(fork, &graph, 1);
  auto nodes = nodesOf(graph);
  OK(cudaStreamBeginCaptureToGraph(stream, graph, nodes.data(), nullptr, 1,
                                   cudaStreamCaptureModeGlobal));
  spinOn(stream);
  cudaGraph_t ended = nullptr;
  OK(cudaStreamEndCapture(stream, &ended));
  EXPECT_EQ(static_cast<cudaGraph_t>(graph), ended);
  nodes = nodesOf(graph);
  ASSERT_EQ(2u, nodes.size());
  cudaGraphNode_t dependency = nullptr;
  std::size_t count = 1;
  OK(cudaGraphNodeGetDependencies(nodes[1], &dependency, nullptr, &count));
  EXPECT_EQ(nodes[0], dependency);
}

TEST_F(CaptureRules, CapturesToGraphShareId) {
  // Captures to one graph have one id.
  unsigned long long into[2] = {}, own[2] = {};
  const auto capture = [this](cudaGraph_t target, unsigned long long &id) {
    OK(target ? cudaStreamBeginCaptureToGraph(stream, target, nullptr, nullptr, 0,
                                              cudaStreamCaptureModeGlobal)
              : cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    spinOn(stream);
    cudaStreamCaptureStatus status;
    OK(cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr, nullptr));
    cudaGraph_t ended = nullptr;
    OK(cudaStreamEndCapture(stream, &ended));
    if (!target)
      OK(cudaGraphDestroy(ended));
  };
  OK(cudaGraphCreate(&graph, 0));
  for (unsigned long long &id : into)
    capture(graph, id);
  for (unsigned long long &id : own)
    capture(nullptr, id);
  EXPECT_EQ(into[0], into[1]);
  EXPECT_NE(into[0], own[0]);
  EXPECT_NE(own[0], own[1]);
}

TEST_F(CaptureRules, EndNeedsNoGraph) {
  // The end of a capture to a graph needs not name it.
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                   cudaStreamCaptureModeGlobal));
  spinOn(stream);
  OK(cudaStreamEndCapture(stream, nullptr));
  EXPECT_EQ(1u, nodesOf(graph).size());
}

TEST_F(CaptureRules, StreamIdQueryBreaksCapture) {
  // Asking for the id of a capturing stream breaks the capture.
  begin();
  spinOn(stream);
  unsigned long long id = 0;
  EXPECT_NE(CUDA_SUCCESS, DRIVER(cuStreamGetId)(stream, &id));
  cudaGraph_t ended = nullptr;
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &ended));
}

TEST_F(CaptureRules, CaptureDependenciesAreReplaceable) {
  // Dependencies of a capturing stream can be replaced.
  begin();
  spinOn(stream);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *frontier = nullptr;
  std::size_t count = 0;
  OK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &frontier, nullptr, &count));
  cudaGraphNode_t first = frontier[0];
  spinOn(stream);
  OK(cudaStreamUpdateCaptureDependencies(stream, &first, nullptr, 1,
                                         cudaStreamSetCaptureDependencies));
  spinOn(stream);
  // The second spin is now a leaf but not a stream's last work, so it needs no join.
  OK(cudaStreamEndCapture(stream, &graph));
  std::size_t dependents = 0;
  OK(cudaGraphNodeGetDependentNodes(first, nullptr, nullptr, &dependents));
  EXPECT_EQ(2u, dependents);
}

TEST_F(CaptureRules, DestroyedStreamEndsItsCapture) {
  // Destroying the capturing stream ends its capture.
  Stream doomed;
  OK(cudaStreamBeginCapture(doomed, cudaStreamCaptureModeGlobal));
  cudaStream_t handle = doomed.release();
  EXPECT_CUDA(cudaSuccess, cudaStreamDestroy(handle));
  // No capture is open any more: a call that a capture would forbid works.
  void *memory = nullptr;
  EXPECT_CUDA(cudaSuccess, cudaMalloc(&memory, 16));
  cudaFree(memory);
}

} // namespace
} // namespace conformance

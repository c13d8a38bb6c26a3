// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Events: what they report, when, and which events of a graph stay readable.

#include "Conformance.h"

namespace conformance {
namespace {

struct EventRules : Conformance {
  Event start, end;
  Stream stream;
  float ms = -1;

  // A chain of two spins between two external records, instantiated.
  void makeTimedExec(Graph &graph, Exec &exec, unsigned long long ns) {
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    OK(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal));
    spinOn(stream, ns);
    spinOn(stream, ns);
    OK(cudaEventRecordWithFlags(end, stream, cudaEventRecordExternal));
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
  }
};

TEST_F(EventRules, EagerEventsTimeWorkBetween) {
  OK(cudaEventRecord(start, stream));
  spinOn(stream, 1'000'000);
  OK(cudaEventRecord(end, stream));
  OK(cudaEventSynchronize(end));
  OK(cudaEventElapsedTime(&ms, start, end));
  EXPECT_GT(ms, 0.5f);
  EXPECT_LT(ms, 5.0f);
}

TEST_F(EventRules, UnrecordedEventsHaveNoTime) {
  // The elapsed time of events that were never recorded is an invalid handle.
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, end));
}

TEST_F(EventRules, UntimedEventHasNoTime) {
  // Elapsed time with timing disabled is an invalid handle.
  Event untimed(cudaEventDisableTiming);
  OK(cudaEventRecord(start, stream));
  OK(cudaEventRecord(untimed, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));
}

TEST_F(EventRules, PendingEventsAreNotReady) {
  // The elapsed time of pending events is not ready.
  OK(cudaEventRecord(start, stream));
  spinOn(stream, kLongNs);
  OK(cudaEventRecord(end, stream));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventQuery(end));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventElapsedTime(&ms, start, end));
  OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaSuccess, cudaEventElapsedTime(&ms, start, end));
}

TEST_F(EventRules, NotReadyIsNoError) {
  // cudaErrorNotReady is an answer, and no error that stays.
  OK(cudaEventRecord(start, stream));
  spinOn(stream, kLongNs);
  OK(cudaEventRecord(end, stream));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventQuery(end));
  EXPECT_CUDA(cudaErrorNotReady, cudaStreamQuery(stream));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventElapsedTime(&ms, start, end));
  EXPECT_CUDA(cudaSuccess, cudaGetLastError());
}

TEST_F(EventRules, UnrecordedEventsAreComplete) {
  EXPECT_CUDA(cudaSuccess, cudaEventQuery(start));
  EXPECT_CUDA(cudaSuccess, cudaEventSynchronize(start));
  EXPECT_CUDA(cudaSuccess, cudaStreamWaitEvent(stream, start));
}

TEST_F(EventRules, CapturedPlainRecordIsNoNode) {
  // A plain record in a capture is no node, and cannot be timed.
  Graph graph;
  Exec exec;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaEventRecord(start, stream));
  spinOn(stream);
  OK(cudaEventRecord(end, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(1u, nodesOf(graph).size());
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaEventElapsedTime(&ms, start, end));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaEventQuery(end));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaEventSynchronize(end));
}

TEST_F(EventRules, CapturedEventRecordsEagerlyAgain) {
  Graph graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaEventRecord(start, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaEventRecord(start, stream));
  OK(cudaEventRecord(end, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaSuccess, cudaEventElapsedTime(&ms, start, end));
}

TEST_F(EventRules, ExternalRecordTimesEachReplay) {
  // An external record in a capture is a node, and times each replay.
  Graph graph;
  Exec exec;
  makeTimedExec(graph, exec, 500'000);
  EXPECT_EQ(4u, nodesOf(graph).size());
  for (int replay = 0; replay < 3; ++replay) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT_GT(ms, 0.5f);
    EXPECT_LT(ms, 5.0f);
  }
}

TEST_F(EventRules, UncapturedExternalRecordIsRefused) {
  EXPECT_CUDA(cudaErrorIllegalState,
              cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal));
}

TEST_F(EventRules, FirstReplaySetsExternalEvents) {
  // External events are untouched until the first replay.
  Graph graph;
  Exec exec;
  makeTimedExec(graph, exec, kShortNs);
  EXPECT_CUDA(cudaSuccess, cudaEventQuery(end));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, end));
}

TEST_F(EventRules, QueuedLaunchResetsEvents) {
  // A queued launch resets its events to not ready.
  Graph graph;
  Exec exec;
  makeTimedExec(graph, exec, kShortNs);
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventElapsedTime(&ms, start, end));
  spinOn(stream, kLongNs);
  OK(cudaGraphLaunch(exec, stream));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventQuery(end));
  EXPECT_CUDA(cudaErrorNotReady, cudaEventElapsedTime(&ms, start, end));
  OK(cudaStreamSynchronize(stream));
  EXPECT_CUDA(cudaSuccess, cudaEventElapsedTime(&ms, start, end));
}

TEST_F(EventRules, WaitOrdersWorkAfterEvent) {
  // Work after a wait starts after the event.
  Stream other;
  Event otherEnd;
  OK(cudaEventRecord(start, stream));
  spinOn(stream, 2'000'000);
  OK(cudaEventRecord(end, stream));
  OK(cudaStreamWaitEvent(other, end));
  spinOn(other, kShortNs);
  OK(cudaEventRecord(otherEnd, other));
  OK(cudaEventSynchronize(otherEnd));
  OK(cudaEventElapsedTime(&ms, start, otherEnd));
  EXPECT_GT(ms, 1.0f);
}

TEST_F(EventRules, LegacyStreamDoesNotOverlap) {
  // Streams overlap and the legacy stream does not.
  Stream first(cudaStreamDefault), second(cudaStreamDefault);
  auto together = [&](cudaStream_t a, cudaStream_t b) {
    Event aStart, aEnd, bStart, bEnd;
    float spanMs = 0;
    EXPECT_EQ(cudaSuccess, cudaEventRecord(aStart, a));
    spinOn(a, 5'000'000);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(aEnd, a));
    spinOn(b, 5'000'000);
    EXPECT_EQ(cudaSuccess, cudaEventRecord(bEnd, b));
    EXPECT_EQ(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQ(cudaSuccess, cudaEventElapsedTime(&spanMs, aStart, bEnd));
    return spanMs;
  };
  together(first, second); // a warm-up that loads the kernel
  EXPECT_LT(together(first, second), 9.0f);
  EXPECT_GT(together(first, nullptr), 9.0f);
  EXPECT_GT(together(nullptr, first), 9.0f);
  EXPECT_LT(together(stream, nullptr), 9.0f); // non-blocking
}

} // namespace
} // namespace conformance

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Why a timer made of two plain events does not survive capture, and what does: the two failing
// attempts of "Transparent Profiling for PyTorch CUDA Graphs" and its fix, in CUDA C++.

#include "Conformance.h"

namespace conformance {
namespace {

// The article's first timer: record, run, record; then synchronize and subtract.
struct SimpleTimer {
  Event start, end;

  template <typename Body> cudaError_t time(cudaStream_t stream, unsigned flags, Body &&body) {
    if (cudaError_t error = cudaEventRecordWithFlags(start, stream, flags))
      return error;
    body();
    return cudaEventRecordWithFlags(end, stream, flags);
  }
  cudaError_t elapsed(float *ms) {
    if (cudaError_t error = cudaDeviceSynchronize())
      return error;
    return cudaEventElapsedTime(ms, start, end);
  }
};

struct SeedAttempts : Conformance {
  Stream stream;
  SimpleTimer timer;
  Graph graph;
  Exec exec;
  float ms = -1;

  void replay() {
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
  }
};

TEST_F(SeedAttempts, EagerTimerWorks) {
  OK(timer.time(stream, cudaEventRecordDefault, [&] { spinOn(stream, 1'000'000); }));
  OK(timer.elapsed(&ms));
  EXPECT_GT(ms, 0.5f);
}

TEST_F(SeedAttempts, TimerReadInsideCapture) {
  // Attempt 1.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(timer.time(stream, cudaEventRecordDefault, [&] { spinOn(stream); }));
  EXPECT_CUDA(cudaErrorStreamCaptureUnsupported, timer.elapsed(&ms));
  EXPECT_CUDA(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
}

TEST_F(SeedAttempts, TimerReadAfterReplay) {
  // Attempt 2.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(timer.time(stream, cudaEventRecordDefault, [&] { spinOn(stream); }));
  OK(cudaStreamEndCapture(stream, &graph));
  replay();
  EXPECT_CUDA(cudaErrorInvalidValue, timer.elapsed(&ms));
}

TEST_F(SeedAttempts, ExternalEventsFixTimer) {
  // The fix: external events.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(timer.time(stream, cudaEventRecordExternal, [&] { spinOn(stream, 1'000'000); }));
  OK(cudaStreamEndCapture(stream, &graph));
  replay();
  OK(timer.elapsed(&ms));
  EXPECT_GT(ms, 0.5f);
}

} // namespace
} // namespace conformance

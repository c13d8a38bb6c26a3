// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The driver API beside the runtime API: same handles, no trace in the program's error state.

#include "Conformance.h"

namespace conformance {
namespace {

struct DriverRules : Conformance {
  Stream stream;
  Graph graph;
};

TEST_F(DriverRules, AFailedDriverCallLeavesTheProgramsErrorStateAlone) {
  CUgraph clone = nullptr;
  EXPECT_NE(CUDA_SUCCESS, DRIVER(cuGraphClone)(&clone, nullptr));
  EXPECT_CUDA(cudaSuccess, cudaPeekAtLastError());
  float ms = 0;
  Event never;
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, DRIVER(cuEventElapsedTime)(&ms, never, never));
  EXPECT_CUDA(cudaSuccess, cudaPeekAtLastError());
}

TEST_F(DriverRules, AFailedRuntimeCallStaysUntilItIsRead) {
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaPeekAtLastError());
  Event event; // succeeds, and changes nothing
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_CUDA(cudaSuccess, cudaGetLastError());
}

TEST_F(DriverRules, TheErrorStateIsTheThreads) {
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphCreate(nullptr, 0));
  onAnotherThread([] { EXPECT_CUDA(cudaSuccess, cudaPeekAtLastError()); });
  cudaGetLastError();
}

TEST_F(DriverRules, HandlesAreTheSameObjects) {
  Event start, end;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuEventRecord)(start, stream));
  spinOn(stream);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuEventRecord)(end, stream));
  OK(cudaEventSynchronize(end));
  float ms = 0;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuEventElapsedTime)(&ms, start, end));
  EXPECT_GT(ms, 0.0f);
  unsigned long long id = 0, driverId = 1;
  OK(cudaStreamGetId(stream, &id));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamGetId)(stream, &driverId));
  EXPECT_EQ(id, driverId);
}

TEST_F(DriverRules, StreamIdsAreNotReused) {
  unsigned long long first = 0, second = 0;
  {
    Stream gone;
    OK(cudaStreamGetId(gone, &first));
  }
  Stream made;
  OK(cudaStreamGetId(made, &second));
  EXPECT_NE(first, second);
}

TEST_F(DriverRules, TheCaptureModeIsTheThreadsInBothApis) {
  auto mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuThreadExchangeStreamCaptureMode)(&mode));
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
  auto runtimeMode = cudaStreamCaptureModeGlobal;
  OK(cudaThreadExchangeStreamCaptureMode(&runtimeMode));
  EXPECT_EQ(cudaStreamCaptureModeRelaxed, runtimeMode);
}

TEST_F(DriverRules, TheDriverSeesTheRuntimesCapture) {
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spinOn(stream);
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  CUgraph captured = nullptr;
  const CUgraphNode *frontier = nullptr;
  const CUgraphEdgeData *edges = nullptr;
  size_t count = 0;
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamGetCaptureInfo)(stream, &status, &id, &captured, &frontier,
                                                         &edges, &count));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status);
  EXPECT_EQ(1u, count);
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(captured, static_cast<cudaGraph_t>(graph));
}

TEST_F(DriverRules, ALaunchThroughTheDriverRuns) {
  Exec exec;
  captureChain(stream, &graph, 1);
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphInstantiateWithFlags)(&exec, graph, 0));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphUpload)(exec, stream));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuGraphLaunch)(exec, stream));
  EXPECT_EQ(CUDA_SUCCESS, DRIVER(cuStreamSynchronize)(stream));
}

TEST_F(DriverRules, AnInvalidGraphIsAnInvalidValue) {
  Exec exec;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, DRIVER(cuGraphInstantiateWithFlags)(&exec, nullptr, 0));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, nullptr, 0));
}

} // namespace
} // namespace conformance

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What the program sees of graphprof: nothing. Its graphs, its errors and its captures are as they
// would be without.

#include <array>
#include <thread>

#include "support/Recorder.h"
#include "support/Work.h"

namespace graphprof::test {
namespace {

void twoRegions(cudaStream_t stream) {
  {
    GRAPHPROF_SCOPE(1, "first", on_stream(stream));
    shortWork(stream);
    shortWork(stream);
  }
  GRAPHPROF_SCOPE(2, "second", on_stream(stream));
  shortWork(stream);
}

TEST(Program, CapturedGraphHoldsOnlyOwnNodes) {
  // The program's captured graph holds only its own nodes and edges.
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { twoRegions(stream); });
  EXPECT_EQ(3u, nodeCount(graph));
  std::size_t roots = 0;
  CUDA_OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT_EQ(1u, roots);
  std::vector<cudaGraphNode_t> nodes(3);
  std::size_t count = nodes.size();
  CUDA_OK(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    CUDA_OK(cudaGraphNodeGetType(node, &type));
    EXPECT_EQ(cudaGraphNodeTypeKernel, type);
    cudaKernelNodeParams params{};
    CUDA_OK(cudaGraphKernelNodeGetParams(node, &params));
    EXPECT_EQ(shortKernel(), params.func);
  }
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Program, PlainGraphIsLeftAlone) {
  // A graph without regions is left alone, and its nodes are not timed.
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] { shortWork(stream); });
  EXPECT_EQ(1u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(0u, recorder.all().size()) << "GRAPHPROF_NODES is not set";
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Program, ErrorStateStaysUntouched) {
  // The program's error state is untouched throughout.
  Recorder recorder;
  TestStream stream;
  EXPECT_EQ(cudaSuccess, cudaGetLastError());
  const cudaGraph_t graph = capture(stream, [&] { twoRegions(stream); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ(2u, recorder.all().size());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST(Program, OwnErrorStaysPending) {
  // An error of the program's own stays pending until it asks.
  Recorder recorder;
  TestStream stream;
  EXPECT_NE(cudaSuccess, cudaSetDevice(1000000));
  const cudaError_t pending = cudaPeekAtLastError();
  EXPECT_NE(cudaSuccess, pending);
  const cudaGraph_t graph = capture(stream, [&] { twoRegions(stream); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ(2u, recorder.all().size());
  EXPECT_EQ(pending, cudaGetLastError());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// A memory node's graph can neither be cloned nor lose nodes: the clone that we ask for is refused.
TEST(Program, RefusedCloneLeavesNoError) {
  Recorder recorder;
  TestStream stream;
  const cudaGraph_t graph = capture(stream, [&] {
    void *memory = nullptr;
    EXPECT_EQ(cudaSuccess, cudaMallocAsync(&memory, 1024, stream));
    twoRegions(stream);
    EXPECT_EQ(cudaSuccess, cudaFreeAsync(memory, stream));
  });
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(2u, recorder.all().size());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// A capture into an existing graph adds the program's nodes only. What a conditional node's body
// is filled with. With events nothing may be added; with stamps nothing may be left behind.
TEST(Program, CaptureAddsOnlyProgramsNodes) {
  TestStream stream;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  CUDA_OK(cuda::cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                              cudaStreamCaptureModeGlobal));
  twoRegions(stream);
  const Losses before = losses();
  CUDA_OK(cuda::cudaStreamEndCapture(stream, nullptr)); // the program has the graph already
  EXPECT_EQ(before.invalidated, losses().invalidated);
  EXPECT_EQ(3u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  CUDA_OK(cudaStreamSynchronize(stream));
  EXPECT_TRUE(flush()); // its replay is nobody else's
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// Regions captured into a graph that is never instantiated are counted. As happens to the body of
// a conditional node.
TEST(Program, UninstantiatedRegionsAreCounted) {
  TestStream stream;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cudaGraphCreate(&graph, 0));
  const Losses before = losses();
  CUDA_OK(cuda::cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                              cudaStreamCaptureModeGlobal));
  twoRegions(stream);
  CUDA_OK(cuda::cudaStreamEndCapture(stream, nullptr));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  EXPECT_EQ(before.incomplete + 2, losses().incomplete);
}

TEST(Program, InvalidatedCaptureIsCounted) {
  // An invalidated capture fails as it would, and is counted.
  const Losses before = losses();
  TestStream stream;
  cudaGraph_t graph = nullptr;
  CUDA_OK(cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    GRAPHPROF_SCOPE(1, "doomed", on_stream(stream));
    shortWork(stream);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  }
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cuda::cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cudaGetLastError());
  EXPECT_EQ(before.invalidated + 1, losses().invalidated);
  // The next capture in this stream is as good as any.
  Recorder recorder;
  graph = capture(stream, [&] { twoRegions(stream); });
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  EXPECT_EQ(2u, recorder.all().size());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

// Nothing of ours invalidates a capture on another thread. Harvesting, eager events, instantiating
// and launching on one thread, a global-mode capture on another.
TEST(Program, ForeignCaptureStaysValid) {
  Recorder recorder;
  TestStream stream, captured;
  const cudaGraph_t graph = capture(stream, [&] { twoRegions(stream); });
  const cudaGraphExec_t exec = instantiate(graph);

  CUDA_OK(cuda::cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  std::thread other([&] {
    cudaStreamCaptureMode mode =
        cudaStreamCaptureModeRelaxed; // the program's own launches are its own affair
    cudaThreadExchangeStreamCaptureMode(&mode);
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
      GRAPHPROF_SCOPE(1, "eager", on_stream(stream));
      shortWork(stream);
    }
    const cudaGraphExec_t more = instantiate(graph);
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(more, stream));
    EXPECT_TRUE(flush());
    EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(more));
  });
  twoRegions(captured);
  other.join();
  cudaGraph_t second = nullptr;
  EXPECT_EQ(cudaSuccess, cuda::cudaStreamEndCapture(captured, &second));
  EXPECT_EQ(3u, nodeCount(second));
  EXPECT_EQ(50u + 102u, recorder.all().size());
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
  CUDA_OK(cuda::cudaGraphDestroy(second));
}

TEST(Program, LaunchIntoCaptureIsRefused) {
  // A launch into a capture is refused as it is without us.
  TestStream stream;
  const cudaGraph_t inner = capture(stream, [&] { twoRegions(stream); });
  const cudaGraphExec_t exec = instantiate(inner);
  const auto launchCaptured = [&](cudaError_t (*launch)(cudaGraphExec_t, cudaStream_t)) {
    cudaGraph_t outer = nullptr;
    EXPECT_EQ(cudaSuccess, cuda::cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const cudaError_t error = launch(exec, stream);
    const cudaError_t end = cuda::cudaStreamEndCapture(stream, &outer);
    return std::array{error, end, cudaGetLastError()};
  };
  EXPECT_EQ(launchCaptured(&::cudaGraphLaunch), launchCaptured(&cuda::cudaGraphLaunch));
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(inner));
}

// A device reset loses nothing that was over, and timing goes on. Streams, execs and graphs of
// before the reset are gone with it.
TEST(Program, DeviceResetLosesNothing) {
  Recorder recorder;
  for (int life = 0; life < 2; ++life) {
    cudaStream_t stream = nullptr;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    const cudaGraph_t graph = capture(stream, [&] { twoRegions(stream); });
    const cudaGraphExec_t exec = instantiate(graph);
    for (int replay = 0; replay < 5; ++replay)
      CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cuda::cudaDeviceReset());
  }
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(20u, seen.size());
  EXPECT_EQ(seen.front().clock, seen.back().clock);
  EXPECT_EQ(cudaSuccess, cudaPeekAtLastError());
}

TEST(Program, ThreadsCaptureAndReplayAtOnce) {
  Recorder recorder;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      TestStream stream;
      for (int round = 0; round < 5; ++round) {
        const cudaGraph_t graph =
            capture(stream, [&] { twoRegions(stream); }, cudaStreamCaptureModeThreadLocal);
        const cudaGraphExec_t exec = instantiate(graph);
        for (int replay = 0; replay < 10; ++replay)
          EXPECT_EQ(cudaSuccess, cuda::cudaGraphLaunch(exec, stream));
        EXPECT_EQ(cudaSuccess, cuda::cudaGraphExecDestroy(exec));
        EXPECT_EQ(cudaSuccess, cuda::cudaGraphDestroy(graph));
      }
      EXPECT_EQ(cudaSuccess, cudaStreamSynchronize(stream));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(4u * 5 * 10 * 2, recorder.all().size());
}

} // namespace
} // namespace graphprof::test

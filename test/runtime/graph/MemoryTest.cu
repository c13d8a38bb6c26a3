// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The redirected copies and allocations.

#include <vector>

#include "graphprof/step.h"
#include "support/Recorder.h"

namespace graphprof::test {
namespace {

__device__ float table[64];

/// Device and host memory of a test, made and freed by the redirected calls.
struct Buffers {
  static constexpr std::size_t bytes = 1 << 16;

  Buffers() : host(bytes) {
    EXPECT_EQ(cudaSuccess, cuda::cudaMalloc(&device, bytes));
    EXPECT_EQ(cudaSuccess, cuda::cudaMallocHost(&pinned, bytes));
  }
  ~Buffers() {
    EXPECT_EQ(cudaSuccess, cuda::cudaFree(device));
    EXPECT_EQ(cudaSuccess, cuda::cudaFreeHost(pinned));
  }
  Buffers(const Buffers &) = delete;
  Buffers &operator=(const Buffers &) = delete;

  char *device = nullptr, *pinned = nullptr;
  std::vector<char> host;
};

TEST(Copies, StepsCopiesAreTimed) {
  // Copies to the device are timed inside a step, with their bytes.
  Recorder recorder;
  TestStream stream;
  Buffers on;
  {
    GRAPHPROF_STEP(1);
    CUDA_OK(cuda::cudaMemcpy(on.device, on.host.data(), Buffers::bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cuda::cudaMemcpyAsync(on.device, on.pinned, 100, cudaMemcpyHostToDevice, stream));
    CUDA_OK(cuda::cudaMemcpy2D(on.device, 64, on.pinned, 32, 16, 8, cudaMemcpyHostToDevice));
    CUDA_OK(cuda::cudaMemcpy2DAsync(on.device, 64, on.pinned, 32, 16, 4, cudaMemcpyHostToDevice,
                                    stream));
    CUDA_OK(cuda::cudaMemcpyToSymbol(table, on.host.data(), 64));
    CUDA_OK(cuda::cudaMemcpyToSymbolAsync(table, on.pinned, 32, 0, cudaMemcpyHostToDevice, stream));
  }
  EXPECT_EQ((std::vector<std::uint64_t>{Buffers::bytes, 100, 16 * 8, 16 * 4, 64, 32}),
            copiedBytes(recorder));
}

TEST(Copies, OtherCopiesAreNotTimed) {
  // Copies outside a step or to elsewhere are not timed.
  Recorder recorder;
  Buffers on;
  CUDA_OK(cuda::cudaMemcpy(on.device, on.host.data(), 10, cudaMemcpyHostToDevice));
  {
    GRAPHPROF_STEP(1);
    CUDA_OK(cuda::cudaMemcpy(on.host.data(), on.device, 10, cudaMemcpyDeviceToHost));
    CUDA_OK(cuda::cudaMemcpy(on.device + 20, on.device, 10, cudaMemcpyDeviceToDevice));
    stop();
    CUDA_OK(cuda::cudaMemcpy(on.device, on.host.data(), 10, cudaMemcpyHostToDevice));
    start();
  }
  EXPECT_TRUE(recorder.all().empty());
}

TEST(Copies, CopyAndFailAsPlainCalls) {
  // They copy, and fail, as the program's own.
  TestStream stream;
  Buffers on;
  GRAPHPROF_STEP(1);
  on.host[3] = 42;
  CUDA_OK(cuda::cudaMemcpy(on.device, on.host.data(), 10, cudaMemcpyHostToDevice));
  std::vector<char> back(10);
  CUDA_OK(cuda::cudaMemcpy(back.data(), on.device, 10, cudaMemcpyDeviceToHost));
  EXPECT_EQ(42, back[3]);
  EXPECT_EQ(cudaErrorInvalidValue,
            cuda::cudaMemcpy(nullptr, on.host.data(), 10, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_EQ(cudaSuccess, cudaGetLastError()) << "one error of the program's, none of ours";
  EXPECT_TRUE(flush()); // its copies are no other test's
}

TEST(Copies, FailedCopiesAreNoRegions) {
  Recorder recorder;
  TestStream stream;
  Buffers on;
  const Losses before = losses();
  cudaGraph_t graph = nullptr;
  {
    GRAPHPROF_STEP(1);
    const auto fail = [&](cudaStream_t where) {
      EXPECT_EQ(cudaErrorInvalidValue,
                cuda::cudaMemcpyAsync(nullptr, on.pinned, 10, cudaMemcpyHostToDevice, where));
      EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    };
    fail(stream); // outermost
    GRAPHPROF_SCOPE(2, "around", on_stream(stream));
    CUDA_OK(cuda::cudaMemcpy(on.device, on.host.data(), 10, cudaMemcpyHostToDevice));
    fail(stream);
    CUDA_OK(cuda::cudaMemcpy(on.device, on.host.data(), 20, cudaMemcpyHostToDevice));
  }
  EXPECT_TRUE(flush()); // regions and replays come in no order among each other
  {
    GRAPHPROF_STEP(1);
    graph = capture(stream, [&] {
      EXPECT_EQ(cudaErrorInvalidValue,
                cuda::cudaMemcpyAsync(nullptr, on.pinned, 10, cudaMemcpyHostToDevice, stream));
      EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
      CUDA_OK(cuda::cudaMemcpyAsync(on.device, on.pinned, 30, cudaMemcpyHostToDevice, stream));
    });
  }
  EXPECT_EQ(1u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  std::vector<std::string> seen;
  for (const Seen &each : recorder.all()) {
    EXPECT_GE(each.durationNs, 0) << each.name;
    seen.push_back(each.context.empty() ? each.name
                                        : std::to_string(each.context[0].as_unsigned()));
  }
  EXPECT_EQ((std::vector<std::string>{"around", "10", "20", "30"}), seen);
  EXPECT_EQ(before.regions_outside_graphs_failed, losses().regions_outside_graphs_failed);
  EXPECT_EQ(before.incomplete, losses().incomplete);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Copies, CapturedCopiesAreGraphsRegions) {
  // Copies in a capture are regions of the graph.
  Recorder recorder;
  TestStream stream;
  Buffers on;
  cudaGraph_t graph = nullptr;
  {
    GRAPHPROF_STEP(1);
    graph = capture(stream, [&] {
      CUDA_OK(cuda::cudaMemcpyAsync(on.device, on.pinned, 100, cudaMemcpyHostToDevice, stream));
    });
  }
  EXPECT_EQ(1u, nodeCount(graph));
  const cudaGraphExec_t exec = instantiate(graph);
  CUDA_OK(cuda::cudaGraphLaunch(exec, stream));
  const std::vector<Seen> seen = recorder.all();
  ASSERT_EQ(1u, seen.size());
  EXPECT_EQ("h2d", seen[0].name);
  EXPECT_NE(0u, seen[0].graph);
  CUDA_OK(cuda::cudaGraphExecDestroy(exec));
  CUDA_OK(cuda::cudaGraphDestroy(graph));
}

TEST(Allocations, ProgramsAllocationsWork) {
  // Every form works as the program's own.
  TestStream stream;
  float *one = nullptr;
  void *untyped = nullptr;
  const int *managed = nullptr;
  std::size_t pitch = 0;
  CUDA_OK(cuda::cudaMalloc(&one, 16));
  CUDA_OK(cuda::cudaMalloc(&untyped, 16));
  CUDA_OK(cuda::cudaFree(one));
  CUDA_OK(cuda::cudaFree(untyped));
  CUDA_OK(cuda::cudaMallocManaged(&managed, 16));
  CUDA_OK(cuda::cudaFree(const_cast<int *>(managed)));
  CUDA_OK(cuda::cudaMallocPitch(&one, &pitch, 100, 3));
  EXPECT_GE(pitch, 100u);
  CUDA_OK(cuda::cudaFree(one));
  CUDA_OK(cuda::cudaMallocHost(&untyped, 16));
  CUDA_OK(cuda::cudaFreeHost(untyped));
  CUDA_OK(cuda::cudaHostAlloc(&one, 16, cudaHostAllocPortable));
  CUDA_OK(cuda::cudaFreeHost(one));
  CUDA_OK(cuda::cudaMallocAsync(&one, 16, stream));
  CUDA_OK(cuda::cudaFreeAsync(one, stream));
  cudaMemPool_t pool = nullptr;
  CUDA_OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CUDA_OK(cuda::cudaMallocAsync(&one, 16, pool, stream));
  CUDA_OK(cuda::cudaFreeAsync(one, stream));
  CUDA_OK(cuda::cudaMallocFromPoolAsync(&untyped, 16, pool, stream));
  CUDA_OK(cuda::cudaFreeAsync(untyped, stream));
  CUDA_OK(cuda::cudaFree(nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cuda::cudaMalloc(static_cast<void **>(nullptr), 16));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  CUDA_OK(cudaStreamSynchronize(stream));

  cudaError_t (*const pointer)(void **, std::size_t) = cuda::cudaMalloc;
  CUDA_OK(pointer(&untyped, 16));
  CUDA_OK(cuda::cudaFree(untyped));
}

} // namespace
} // namespace graphprof::test

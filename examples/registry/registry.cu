// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// Many timers in one graph: a TimerRegistry is filled while the graph is captured and read, in
// capture order, after each replay.

#include <graphprof/timer_registry.h>

#include "../common/example.h"

__global__ void add(float *sum, const float *a, const float *b, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] = a[i] + b[i];
}

int main() {
  constexpr std::size_t size = 1000 * 1000;
  const std::vector<float> zeros(size, 0.0F);
  example::DeviceArray a(zeros);
  example::DeviceArray b(zeros);
  const example::DeviceArray sum(zeros);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  graphprof::TimerRegistry<int> registry; // the context is the iteration's number
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 10; ++i) {
    const auto running = registry.time(i, stream);
    add<<<example::blocksFor(size), example::threadsPerBlock, 0, stream>>>(sum.data(), a.data(),
                                                                           b.data(), size);
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

  example::Comparison comparison;
  for (unsigned replay = 0; replay < 3; ++replay) {
    std::printf("--- Replay Iteration %u ---\n", replay);
    std::vector<float> expected = example::randomNumbers(size, 2 * replay);
    const std::vector<float> summand = example::randomNumbers(size, 2 * replay + 1);
    a.assign(expected, stream);
    b.assign(summand, stream);
    CHECK(cudaGraphLaunch(exec, stream));
    for (const auto &[iteration, elapsed] : registry.elapsed_times()) {
      if (elapsed)
        std::printf("[Iter %d] %.3f ms\n", iteration, static_cast<double>(*elapsed) * 1e-6);
      else
        std::printf("[Iter %d] not measured\n", iteration);
    }

    for (std::size_t i = 0; i < size; ++i)
      expected[i] += summand[i];
    comparison.compare(sum.read(stream), expected);
  }

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A Timer inside a capture. Its events become external event nodes of the graph, which hold the
// times of the last replay. The capture has ten iterations and one timer, so it reads the last
// iteration.

#include <graphprof/timer.h>

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

  graphprof::Timer timer;
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 10; ++i) {
    const auto running = timer.time(stream);
    add<<<example::blocksFor(size), example::threadsPerBlock, 0, stream>>>(sum.data(), a.data(),
                                                                           b.data(), size);
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

  example::Comparison comparison;
  for (unsigned replay = 0; replay < 3; ++replay) {
    std::vector<float> expected = example::randomNumbers(size, 2 * replay);
    const std::vector<float> summand = example::randomNumbers(size, 2 * replay + 1);
    a.assign(expected, stream);
    b.assign(summand, stream);
    CHECK(cudaGraphLaunch(exec, stream));
    if (const auto elapsed = timer.elapsed_ns()) // waits for the replay's second event
      std::printf("[Iter 10] Elapsed time: %.3f ms\n", static_cast<double>(*elapsed) * 1e-6);
    else
      std::printf("[Iter 10] not measured\n");

    for (std::size_t i = 0; i < size; ++i)
      expected[i] += summand[i];
    comparison.compare(sum.read(stream), expected);
  }

  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}

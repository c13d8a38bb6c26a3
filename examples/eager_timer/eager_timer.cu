// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The simplest measurement: a Timer around one kernel, without a graph.

#include <graphprof/timer.h>

#include "../common/example.h"

__global__ void add(float *sum, const float *a, const float *b, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] = a[i] + b[i];
}

int main() {
  constexpr std::size_t size = 1000 * 1000;
  std::vector<float> expected = example::randomNumbers(size, 1);
  const example::DeviceArray a(expected);
  const std::vector<float> summand = example::randomNumbers(size, 2);
  const example::DeviceArray b(summand);
  const example::DeviceArray sum(std::vector<float>(size, 0.0F));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  graphprof::Timer timer;
  for (int i = 0; i < 10; ++i) {
    {
      const auto running = timer.time(stream);
      add<<<example::blocksFor(size), example::threadsPerBlock, 0, stream>>>(sum.data(), a.data(),
                                                                             b.data(), size);
    }
    CHECK(cudaGetLastError());
    if (const auto elapsed = timer.elapsed_ns()) // waits for the second event
      std::printf("[Iter %d] Elapsed time: %.3f ms\n", i, static_cast<double>(*elapsed) * 1e-6);
    else
      std::printf("[Iter %d] not measured\n", i);
  }

  for (std::size_t i = 0; i < size; ++i)
    expected[i] += summand[i];
  example::Comparison comparison;
  comparison.compare(sum.read(stream), expected);
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}

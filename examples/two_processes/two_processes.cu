// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A solver that runs in several processes. Each smooths its part of a field, in a CUDA graph that
// it replays once in each step. RANK and WORLD_SIZE, which torchrun sets, select the part; the last
// rank has more to do. The program has nothing of graphprof but the annotations.

#include <cstdlib>

#include "../common/example.h"

namespace {

constexpr int sweeps = 4;
constexpr int steps = 10;

std::size_t fromEnvironment(const char *name, std::size_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

// The number of elements of a rank. The last one has twice as many.
std::size_t sizeOf(std::size_t rank, std::size_t ranks) {
  constexpr std::size_t elements = 250'000;
  return rank + 1 == ranks ? 2 * elements : elements;
}

} // namespace

__global__ void smooth(float *to, const float *from, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = 0.5F * from[i] + 0.25F * (from[i == 0 ? n - 1 : i - 1] + from[i + 1 == n ? 0 : i + 1]);
}

void smoothOnHost(std::vector<float> &field) {
  const std::vector<float> from = field;
  const std::size_t n = field.size();
  for (std::size_t i = 0; i < n; ++i)
    field[i] =
        0.5F * from[i] + 0.25F * (from[i == 0 ? n - 1 : i - 1] + from[i + 1 == n ? 0 : i + 1]);
}

int main() {
  const std::size_t rank = fromEnvironment("RANK", 0), ranks = fromEnvironment("WORLD_SIZE", 1);
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaSetDevice(static_cast<int>(rank % static_cast<std::size_t>(devices))));

  const std::size_t size = sizeOf(rank, ranks);
  const int blocks = example::blocksFor(size);
  std::vector<float> field = example::randomNumbers(size, static_cast<unsigned>(rank));
  const example::DeviceArray x(field), y(field);
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    [[graphprof::time("sweep {}", sweep, elements = size)]] {
      smooth<<<blocks, example::threadsPerBlock, 0, stream>>>(y.data(), x.data(), size);
      smooth<<<blocks, example::threadsPerBlock, 0, stream>>>(x.data(), y.data(), size);
    }
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

  for (int step = 0; step < steps; ++step) [[graphprof::step]] {
    CHECK(cudaGraphLaunch(exec, stream));
  }

  example::Comparison comparison;
  const std::vector<float> output = x.read(stream);
  for (int i = 0; i < 2 * sweeps * steps; ++i)
    smoothOnHost(field);
  comparison.compare(output, field);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}

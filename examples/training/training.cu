// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A training loop: each step copies a batch to the device and replays a graph that processes it.
// Half of the batch is in pinned memory and half in pageable memory; the profile shows what each
// costs. Copies before the loop belong to no step. The program has nothing of graphprof but the
// annotations.

#include "../common/example.h"

namespace {

constexpr std::size_t features = 1 << 20;
constexpr int steps = 8;

} // namespace

__global__ void learn(float *weights, const float *batch, float rate, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    weights[i] = weights[i] * 0.5F + rate * batch[i];
}

void learnOnHost(std::vector<float> &weights, const std::vector<float> &batch, float rate) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = weights[i] * 0.5F + rate * batch[i];
}

int main() {
  constexpr float rate = 0.25F; // a power of two, so the device's sums equal the host's
  std::vector<float> expected(features, 1.0F);
  const example::DeviceArray weights(expected), batch(std::vector<float>(features, 0.0F));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  [[graphprof::time("learn", features = features)]] {
    learn<<<example::blocksFor(features), example::threadsPerBlock, 0, stream>>>(
        weights.data(), batch.data(), rate, features);
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));

  constexpr std::size_t half = features / 2;
  float *pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, half * sizeof(float)));
  for (int step = 0; step < steps; ++step) {
    std::vector<float> loaded = example::randomNumbers(features, static_cast<unsigned>(step));
    std::memcpy(pinned, loaded.data(), half * sizeof(float));
    learnOnHost(expected, loaded, rate);
    [[graphprof::step]] {
      CHECK(cudaMemcpyAsync(batch.data(), pinned, half * sizeof(float), cudaMemcpyHostToDevice,
                            stream));
      CHECK(cudaMemcpyAsync(batch.data() + half, loaded.data() + half, half * sizeof(float),
                            cudaMemcpyHostToDevice, stream));
      CHECK(cudaGraphLaunch(exec, stream));
      CHECK(cudaStreamSynchronize(stream)); // the next step copies into the same memory
    }
  }

  example::Comparison comparison;
  comparison.compare(weights.read(stream), expected);
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return comparison.finish();
}

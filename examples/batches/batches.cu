// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A server in small: it captures a graph for each of a few batch sizes, and serves a batch of
// requests by the smallest graph that has room for it. What is too much is padding, which the GPU
// computes for nobody. One annotation names the graphs, another one says for how many requests each
// is launched.
//
//     batches [SIZE...]     sizes for which there are graphs, ascending; usually 1 2 4 8

#include <algorithm>
#include <map>

#include "../common/example.h"

constexpr std::size_t width = 1 << 18; // numbers of a request

__global__ void scale(float *x, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 1.5F;
}

struct Decoder {
  cudaStream_t stream;
  float *x;                             // of as many requests as there may be
  std::map<int, cudaGraphExec_t> execs; // by batch size

  void capture(int size);
  void serve(int requests);
};

[[graphprof::graph("decode", batch = size)]]
void Decoder::capture(int size) {
  const std::size_t n = size * width;
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  [[graphprof::time("attention", stream = stream)]] {
    scale<<<example::blocksFor(n), example::threadsPerBlock, 0, stream>>>(x, n);
  }
  [[graphprof::time("mlp", stream = stream)]] {
    scale<<<example::blocksFor(n), example::threadsPerBlock, 0, stream>>>(x, n);
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiateWithFlags(&execs[size], graph, 0));
  CHECK(cudaGraphDestroy(graph));
}

void Decoder::serve(int requests) {
  const auto fits = execs.lower_bound(requests);
  if (fits == execs.end())
    return;
  [[graphprof::graph("decode", batch = fits->first, used = requests)]] CHECK(
      cudaGraphLaunch(fits->second, stream));
}

int main(int count, char **arguments) {
  std::vector<int> sizes;
  for (int i = 1; i < count; ++i)
    sizes.push_back(std::atoi(arguments[i]));
  if (sizes.empty())
    sizes = {1, 2, 4, 8};
  if (*std::min_element(sizes.begin(), sizes.end()) < 1) {
    std::fprintf(stderr, "batches: a size must be a number from 1 on\n");
    return 1;
  }
  const int most = *std::max_element(sizes.begin(), sizes.end());
  const std::vector<float> ones(most * width, 1.0F);
  const example::DeviceArray x(ones);
  Decoder decoder{};
  CHECK(cudaStreamCreate(&decoder.stream));
  decoder.x = x.data();
  for (const int size : sizes)
    decoder.capture(size);

  int served = 0;
  for (int round = 0; round < 25; ++round)
    for (const int requests : {1, 5, 3, 8, 5}) {
      decoder.serve(requests);
      served += requests <= most ? requests : 0;
    }
  CHECK(cudaStreamSynchronize(decoder.stream));
  std::printf("served %d requests\n", served);
  for (const auto &[size, exec] : decoder.execs)
    CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(decoder.stream));
  return 0;
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A graph of 256 regions that compute, for test/benchmark/diff-proof. One of them can take longer.
//
//     diff_proof REPLAYS SLOWED FACTOR     SLOWED: a region's number; -1: none

#include <cstdio>
#include <cstdlib>
#include <string>

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

namespace {

constexpr int regions = 256;

// Depends on itself, so the compiler keeps all of it, and its time follows the clock.
__global__ void compute(float *x, int rounds) {
  float value = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int i = 0; i < rounds; ++i)
    value = value * 0.999F + 0.001F;
  x[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

void check(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "diff_proof: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: diff_proof REPLAYS SLOWED FACTOR\n");
    return 2;
  }
  const int replays = std::atoi(argv[1]), slowed = std::atoi(argv[2]);
  const double factor = std::atof(argv[3]);
  constexpr int blocks = 264, threads = 256;
  float *x = nullptr;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  check(cudaMalloc(&x, blocks * threads * sizeof(float)));
  check(cudaMemset(x, 0, blocks * threads * sizeof(float)));
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < regions; ++i) {
    // From about 3 to about 45 us.
    const int rounds = 500 + 40 * i;
    nvtxRangePushA(("region " + std::to_string(i)).c_str());
    compute<<<blocks, threads, 0, stream>>>(x, i == slowed ? static_cast<int>(rounds * factor)
                                                           : rounds);
    nvtxRangePop();
  }
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < replays; ++i)
    check(cudaGraphLaunch(exec, stream));
  check(cudaStreamSynchronize(stream));
  return 0;
}

// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// A program with NVTX ranges in a capture, and replays. The run script compiles it with each way to
// link the CUDA runtime. Prints a sum of the output.

#include <cstdio>
#include <numeric>
#include <vector>

#include <nvtx3/nvtx3.hpp>

#include "Check.h"

__global__ void scale(unsigned *data, int count) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count)
    data[i] *= 3;
}

__global__ void shift(unsigned *data, int count) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count)
    data[i] += 1;
}

int main() {
  constexpr int count = 1 << 16;
  std::vector<unsigned> host(count);
  std::iota(host.begin(), host.end(), 0U);
  unsigned *data = nullptr;
  cudaStream_t stream;
  CHECK(cudaMalloc(&data, count * sizeof(unsigned)));
  CHECK(cudaMemcpy(data, host.data(), count * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  {
    const nvtx3::scoped_range range{"first part"};
    scale<<<count / 256, 256, 0, stream>>>(data, count);
    shift<<<count / 256, 256, 0, stream>>>(data, count);
  }
  {
    const nvtx3::scoped_range range{"second part"};
    scale<<<count / 256, 256, 0, stream>>>(data, count);
  }
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  // Half of the replays are in the program's own stream, half in the default stream of this
  // compilation.
  for (int replay = 0; replay < 10; ++replay)
    CHECK(cudaGraphLaunch(exec, replay < 5 ? stream : nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), data, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
  std::printf("%llu\n", std::accumulate(host.begin(), host.end(), 0ULL));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(data));
}

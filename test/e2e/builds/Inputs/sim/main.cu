// A small CUDA program as for nvcc: launches written as older versions of clang-format wrote them, with an argument in braces,
// threads in groups, numbers of 16 bits, variables with initial values, and an annotation in a header.

#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>

#include "layer.h"

__device__ int initial = 7;
__constant__ float factors[2] = {0.5f, 2};

__global__ void scale(__half *x, __half by) {
  const auto block = cooperative_groups::this_thread_block();
  x[block.thread_rank()] *= by;
  block.sync();
}

int main(int argc, char **argv) {
  __half *x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaMalloc(&x, 32 * sizeof *x);
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  [[graphprof::time("scale")]] {
    // clang-format off: the spaces
    scale << <1, {16, 2}, 0, stream>> >(x, __float2half(1.5f));
    // clang-format on
  }
  layer(x, stream);
  cudaGraphNode_t node;
  std::size_t nodes = 1;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphGetRootNodes(graph, &node, &nodes);
  cudaKernelNodeParams params{};
  cudaGraphKernelNodeGetParams(node, &params);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 5; ++replay)
    cudaGraphLaunch(exec, stream);
  const cudaError_t status = cudaStreamSynchronize(stream);
  std::printf("%s: %s, blocks of %u x %u\n", argc > 1 ? argv[1] : "none",
              cudaGetErrorString(status), params.blockDim.x, params.blockDim.y);
  int read = 0;
  float factor = 0;
  cudaMemcpyFromSymbol(&read, initial, sizeof read);
  cudaMemcpyFromSymbol(&factor, factors, sizeof factor, sizeof factor);
  std::printf("initial values: %d and %g\n", read, factor);
  return 3;
}

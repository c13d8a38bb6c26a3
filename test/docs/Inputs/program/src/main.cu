// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// The program that the commands of README and docs instrument: a header of the project with an
// annotation, and one beside the sources.

#include <cstdio>

#include "layers.h"
#include "model.h"

int main() {
  float *x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaMalloc(&x, 32 * sizeof(float));
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  for (int layer = 0; layer < layers; ++layer) {
    attention(layer, x, stream);
    mlp(layer, x, stream);
  }
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  for (int replay = 0; replay < 3; ++replay)
    cudaGraphLaunch(exec, stream);
  const cudaError_t status = cudaStreamSynchronize(stream);
  std::puts(cudaGetErrorString(status));
  return status != cudaSuccess;
}

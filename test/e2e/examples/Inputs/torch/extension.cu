// Part of graphprof, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
//
// What PyTorch and layers.py do, without PyTorch: a capture that the tool has not seen, in which the extension works; then the
// extension's own exec of that graph.

#include <cstdio>

#include <cuda_runtime.h>

#include "layers.h"

int main() {
  constexpr int layers = 3;
  float *x = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaMalloc(&x, sizeof(float) * 1024);
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(x, 0, sizeof(float) * 1024, stream);
  int failed = layersForward(x, 1024, layers, stream);
  cudaStreamEndCapture(stream, &graph);
  failed += layersInstantiate(graph, &exec);
  for (int replay = 0; replay < 5; ++replay)
    failed += layersReplay(exec, stream);
  cudaStreamSynchronize(stream);
  failed += layersDestroy(exec);
  std::printf("failed: %d\n", failed);
  return failed;
}
